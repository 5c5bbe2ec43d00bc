{% set columns %}{{ present('relation::text') }} as relation,
    {{ present('first_name::text') }} as first_name,
    {{ present('last_name::text') }} as last_name,
    {{ present('phone::text') }} as phone
{%- endset %}
{{ of_surviving_patients('patient_relation', columns) }}
