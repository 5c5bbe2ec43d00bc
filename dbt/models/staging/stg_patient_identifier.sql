{% set columns -%}
    {{ present('kind::text') }} as kind,
    {{ present('value::text') }} as value
{%- endset %}
{{ of_surviving_patients('patient_identifier', columns, where=present('value::text') ~ ' is not null') }}
