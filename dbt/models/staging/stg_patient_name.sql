{% set columns %}{{ patient_values('patient_name') }},
    valid_from::date as valid_from,
    valid_to::date as valid_to
{%- endset %}
{{ of_surviving_patients('patient_name', columns, is_looked_up=true) }}
