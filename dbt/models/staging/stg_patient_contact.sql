-- A kind that is not known is told by the value: it identifies the patient all the same.
{% set columns %}
    case when kind::text in ('phone', 'email') then kind::text when value::text like '%@%' then 'email' else 'phone' end as kind,
    {{ present('value::text') }} as value
{%- endset %}
{{ of_surviving_patients('patient_contact', columns, where=present('value::text') ~ ' is not null') }}
