-- A row that names a patient and a note excludes the patient: the wider of the two. A start that cannot be read is
-- -infinity, which excludes as NULL does, and an end that cannot be read is no end.
{% set columns %}
    case when {{ present('patient_id::text') }} is null then {{ present('note_id::text') }} end as note_id,
    {{ present('reason::text') }} as reason,
    valid_from::timestamp as valid_from,
    {{ readable_date('valid_to::timestamp') }} as valid_to
{%- endset %}
{{ of_surviving_patients('exclusion', columns, where=present('concat(patient_id, note_id)') ~ ' is not null') }}
