-- The notes of stg_note without their texts. What compares all notes with the ledger reads them here: one pass over
-- tables that a layout may join, where stg_note can look up a few notes, or those of a few patients.
{% set adapter = 'note_state' if var('layout') in var('layouts_with_note_state') else 'note' %}
with usable as (
    select
        note_id::text as note_id,
        patient_id::text as patient_id,
        {{ present('note_type::text') }} as note_type,
        note_datetime::timestamp as note_datetime,
        {{ present('author_id::text') }} as author_id,
        {{ readable_date('modified_at::timestamp') }} as modified_at,
        coalesce(is_deleted::boolean, false) as is_deleted
    from {{ ref('stg_' ~ var('layout') ~ '__' ~ adapter) }}
    where {{ is_usable_note() }}
)

select
    u.note_id,
    case when m.former_id is null then u.patient_id else m.surviving_id end as patient_id,
    u.note_type,
    u.note_datetime,
    u.author_id,
    u.modified_at,
    u.is_deleted
from usable as u
left join {{ ref('stg_patient_merge') }} as m on u.patient_id = m.former_id
