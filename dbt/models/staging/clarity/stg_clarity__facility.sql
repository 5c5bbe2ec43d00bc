with places as (
    select
        loc_id as facility_id,
        loc_name as name,
        location_abbr as short_name,
        loc_type as kind,
        address_line,
        city,
        state_c,
        zip,
        phone_num,
        fax_num
    from {{ source('clarity', 'clarity_loc') }}

    union all

    select
        department_id as facility_id,
        department_name as name,
        dept_abbreviation as short_name,
        'unit' as kind,
        address_line,
        city,
        state_c,
        zip,
        phone_num,
        fax_num
    from {{ source('clarity', 'clarity_dep') }}
)

select
    p.facility_id,
    p.name,
    p.short_name,
    p.kind,
    p.address_line as street,
    p.city,
    s.abbr as state,
    p.zip,
    p.phone_num as phone,
    p.fax_num as fax
from places as p
left join {{ source('clarity', 'zc_state') }} as s on p.state_c = s.state_c
