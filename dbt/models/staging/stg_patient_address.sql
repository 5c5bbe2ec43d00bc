select
    patient_id::text as patient_id,
    {{ present('street::text') }} as street,
    {{ present('city::text') }} as city,
    {{ present('state::text') }} as state,
    {{ present('zip::text') }} as zip
from {{ ref('stg_' ~ var('layout') ~ '__patient_address') }}
where {{ present('concat(street, city, state, zip)') }} is not null
