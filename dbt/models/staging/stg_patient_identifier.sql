-- A kind that is not known is other_id: the number identifies the patient all the same.
{% set columns %}
    case when kind::text in ('mrn', 'ssn', 'health_plan', 'account', 'license') then kind::text else 'other_id' end as kind,
    {{ present('value::text') }} as value
{%- endset %}
{{ of_surviving_patients('patient_identifier', columns, where=present('value::text') ~ ' is not null') }}
