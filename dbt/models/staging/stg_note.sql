-- Notes that no run could hold are left out here and counted in quality_rows: without an id, without a time or
-- with one that cannot be read, or of a day that has not come. A note without a text stays: its run quarantines it
-- by name.
{% set columns %}
    note_id::text as note_id,
    {{ present('note_type::text') }} as note_type,
    note_datetime::timestamp as note_datetime,
    {{ present('author_id::text') }} as author_id,
    {{ readable_text('note_text::text') }} as note_text,
    {{ readable_date('modified_at::timestamp') }} as modified_at,
    coalesce(is_deleted::boolean, false) as is_deleted
{%- endset %}
{{ of_surviving_patients('note', columns, where=is_usable_note()) }}
