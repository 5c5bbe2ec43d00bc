-- The record of a former id is not a patient's: what it holds belongs to the surviving patient.
select
    a.patient_id::text as patient_id,
    case when a.sex::text in ('F', 'M') then a.sex::text else 'U' end as sex,
    {{ readable_date('a.birth_date::date') }} as birth_date,
    case
        when a.ethnicity_hint::text in ('white', 'black', 'api', 'native', 'multiple', 'hispanic')
            then a.ethnicity_hint::text
        else 'unknown'
    end as ethnicity_hint
from {{ ref('stg_' ~ var('layout') ~ '__patient') }} as a
where not exists (select 1 from {{ ref('stg_patient_merge') }} as m where m.former_id = a.patient_id::text)
