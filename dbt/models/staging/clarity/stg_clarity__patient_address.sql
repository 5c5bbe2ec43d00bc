-- The lines of a street are looked up for each patient, not joined: a run then reads those of its own patients only.
select
    p.pat_id as patient_id,
    (
        select string_agg(a.address, ' ' order by a.line)
        from {{ source('clarity', 'pat_address') }} as a
        where a.pat_id = p.pat_id
    ) as street,
    p.city,
    s.abbr as state,
    p.zip
from {{ source('clarity', 'patient') }} as p
left join {{ source('clarity', 'zc_state') }} as s on p.state_c = s.state_c
