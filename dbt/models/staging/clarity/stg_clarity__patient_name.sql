with names as (
    select
        pat_id,
        pat_name as name,
        pat_middle_name as middle_name,
        preferred_name
    from {{ source('clarity', 'patient') }}

    union all

    select
        a.pat_id,
        a.alias as name,
        p.pat_middle_name as middle_name,
        null as preferred_name
    from {{ source('clarity', 'patient_alias') }} as a
    inner join {{ source('clarity', 'patient') }} as p on a.pat_id = p.pat_id
)

select
    pat_id as patient_id,
    {{ first_name('name', 'middle_name') }} as first_name,
    middle_name,
    {{ last_name('name') }} as last_name,
    preferred_name,
    null::date as valid_from,
    null::date as valid_to
from names
