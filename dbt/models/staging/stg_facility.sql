select
    facility_id::text as facility_id,
    {{ present('name::text') }} as name,
    {{ present('short_name::text') }} as short_name,
    {{ present('kind::text') }} as kind,
    {{ present('street::text') }} as street,
    {{ present('city::text') }} as city,
    {{ present('state::text') }} as state,
    {{ present('zip::text') }} as zip,
    {{ present('phone::text') }} as phone,
    {{ present('fax::text') }} as fax
from {{ ref('stg_' ~ var('layout') ~ '__facility') }}
