-- Races are looked up for each patient, not joined: a run then reads those of its own patients only.
select
    p.pat_id as patient_id,
    case s.name when 'Female' then 'F' when 'Male' then 'M' else 'U' end as sex,
    {{ date_of_text('p.birth_date') }} as birth_date,
    case
        when e.name like 'Hispanic%' then 'hispanic'
        when r.stated > 1 then 'multiple'
        when r.name like 'White%' then 'white'
        when r.name like 'Black%' then 'black'
        when r.name like 'Asian%' or r.name like 'Native Hawaiian%' then 'api'
        when r.name like 'American Indian%' then 'native'
        else 'unknown'
    end as ethnicity_hint
from {{ source('clarity', 'patient') }} as p
left join {{ source('clarity', 'zc_sex') }} as s on p.sex_c = s.rcpt_mem_sex_c
left join {{ source('clarity', 'zc_ethnic_group') }} as e on p.ethnic_group_c = e.ethnic_group_c
cross join lateral (
    select
        count(*) as stated,
        min(z.name) as name
    from {{ source('clarity', 'patient_race') }} as pr
    inner join {{ source('clarity', 'zc_patient_race') }} as z on pr.patient_race_c = z.patient_race_c
    where pr.pat_id = p.pat_id
) as r
