select
    patient_id::text as patient_id,
    {{ present('kind::text') }} as kind,
    {{ present('value::text') }} as value
from {{ ref('stg_' ~ var('layout') ~ '__patient_contact') }}
where {{ present('value::text') }} is not null
