select
    note_id::text as note_id,
    patient_id::text as patient_id,
    {{ present('note_type::text') }} as note_type,
    note_datetime::timestamp as note_datetime,
    {{ present('author_id::text') }} as author_id,
    note_text::text as note_text
from {{ ref('stg_' ~ var('layout') ~ '__note') }}
