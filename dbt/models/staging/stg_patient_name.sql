{% set columns %}{{ patient_values('patient_name') }},
    {{ readable_date('valid_from::date') }} as valid_from,
    {{ readable_date('valid_to::date') }} as valid_to
{%- endset %}
{{ of_surviving_patients('patient_name', columns, is_looked_up=true) }}
