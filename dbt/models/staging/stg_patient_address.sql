{% set columns %}{{ present('street::text') }} as street,
    {{ present('city::text') }} as city,
    {{ present('state::text') }} as state,
    {{ present('zip::text') }} as zip
{%- endset %}
{{ of_surviving_patients('patient_address', columns, where=present('concat(street, city, state, zip)') ~ ' is not null') }}
