select
    patient_id::text as patient_id,
    {{ present('sex::text') }} as sex,
    birth_date::date as birth_date,
    {{ present('ethnicity_hint::text') }} as ethnicity_hint
from {{ ref('stg_' ~ var('layout') ~ '__patient') }}
