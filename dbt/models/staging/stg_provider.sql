select
    provider_id::text as provider_id,
    {{ present('first_name::text') }} as first_name,
    {{ present('middle_name::text') }} as middle_name,
    {{ present('last_name::text') }} as last_name,
    {{ present('credentials::text') }} as credentials,
    {{ present('user_id::text') }} as user_id,
    {{ present('npi::text') }} as npi,
    {{ present('phone::text') }} as phone,
    {{ present('pager::text') }} as pager
from {{ ref('stg_' ~ var('layout') ~ '__provider') }}
