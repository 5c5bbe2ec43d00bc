select
    patient_id::text as patient_id,
    {{ present('relation::text') }} as relation,
    {{ present('first_name::text') }} as first_name,
    {{ present('last_name::text') }} as last_name,
    {{ present('phone::text') }} as phone
from {{ ref('stg_' ~ var('layout') ~ '__patient_relation') }}
