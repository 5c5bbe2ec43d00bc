{% set columns %}{{ present('relation::text') }} as relation,
    {{ patient_values('patient_relation') }}
{%- endset %}
{{ of_surviving_patients('patient_relation', columns, is_looked_up=true) }}
