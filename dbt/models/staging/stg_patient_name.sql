{% set columns %}{{ present('first_name::text') }} as first_name,
    {{ present('middle_name::text') }} as middle_name,
    {{ present('last_name::text') }} as last_name,
    {{ present('preferred_name::text') }} as preferred_name,
    valid_from::date as valid_from,
    valid_to::date as valid_to
{%- endset %}
{{ of_surviving_patients('patient_name', columns) }}
