select
    patient_id::text as patient_id,
    {{ present('first_name::text') }} as first_name,
    {{ present('middle_name::text') }} as middle_name,
    {{ present('last_name::text') }} as last_name,
    {{ present('preferred_name::text') }} as preferred_name,
    valid_from::date as valid_from,
    valid_to::date as valid_to
from {{ ref('stg_' ~ var('layout') ~ '__patient_name') }}
