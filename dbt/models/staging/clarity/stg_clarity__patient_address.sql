with streets as (
    select
        pat_id,
        string_agg(address, ' ' order by line) as street
    from {{ source('clarity', 'pat_address') }}
    group by pat_id
)

select
    p.pat_id as patient_id,
    a.street,
    p.city,
    s.abbr as state,
    p.zip
from {{ source('clarity', 'patient') }} as p
left join streets as a on p.pat_id = a.pat_id
left join {{ source('clarity', 'zc_state') }} as s on p.state_c = s.state_c
