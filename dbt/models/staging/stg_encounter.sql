select
    encounter_id::text as encounter_id,
    patient_id::text as patient_id,
    started_on::date as started_on,
    {{ present('provider_id::text') }} as provider_id,
    {{ present('facility_id::text') }} as facility_id
from {{ ref('stg_' ~ var('layout') ~ '__encounter') }}
