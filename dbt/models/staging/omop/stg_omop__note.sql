-- A note whose person is missing stays, without a patient: runs quarantine it. A deleted note is an absent row.
-- Notes with a time and notes with a day alone are two queries, so that a run that asks for a day reaches the index on
-- the time, also that of a foreign table. It could not through a coalesce of both.
{% set branches = [
    ('n.note_datetime', 'n.note_datetime is not null'),
    ('n.note_date::timestamp', 'n.note_datetime is null'),
] -%}
{% for moment, condition in branches -%}
select
    coalesce(n.note_source_value, n.note_id::text) as note_id,
    p.person_source_value as patient_id,
    coalesce(n.note_title, c.concept_name) as note_type,
    {{ moment }} as note_datetime,
    a.provider_source_value as author_id,
    n.note_text,
    n.load_datetime as modified_at,
    false as is_deleted
from {{ source('omop', 'note') }} as n
left join {{ source('omop', 'person') }} as p on n.person_id = p.person_id
left join {{ source('omop', 'provider') }} as a on n.provider_id = a.provider_id
left join {{ source('omop', 'concept') }} as c on n.note_class_concept_id = c.concept_id
where {{ condition }}
{% if not loop.last -%}
union all
{% endif -%}
{% endfor %}
