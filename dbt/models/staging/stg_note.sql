{% set columns -%}
    note_id::text as note_id,
    {{ present('note_type::text') }} as note_type,
    note_datetime::timestamp as note_datetime,
    {{ present('author_id::text') }} as author_id,
    note_text::text as note_text,
    modified_at::timestamp as modified_at,
    coalesce(is_deleted::boolean, false) as is_deleted
{%- endset %}
{{ of_surviving_patients('note', columns) }}
