{#- Why a row of the note adapter cannot be staged; NULL where it can. -#}
{% macro unusable_note() -%}
    case
        when {{ present('note_id::text') }} is null then 'no_id'
        when note_datetime is null then 'no_time'
        when note_datetime = '-infinity' then 'unreadable_time'
        when {{ is_in_the_future('note_datetime') }} then 'in_the_future'
    end
{%- endmacro %}

{#-
    Whether `unusable_note` is NULL, as single conditions: PostgreSQL takes a CASE that is NULL for one row of 200, and
    would join all notes by methods for a few.
-#}
{% macro is_usable_note() -%}
    {{ is_present('note_id::text') }}
    and note_datetime <> '-infinity' and ({{ is_in_the_future('note_datetime') }}) is false
{%- endmacro %}

{#- The moment is asked for once, and not for each note. -#}
{% macro is_in_the_future(moment) -%}
    {{ moment }} > (select localtimestamp + interval '1 day')
{%- endmacro %}

{#-
    The text in a bytea column, for an adapter whose EHR keeps bytes; NULL where they are not UTF-8 or hold a NUL
    character. PostgreSQL's own convert_from would stop the whole query at such a row.
-#}
{% macro text_of_bytes(column) -%}
    case
        when encode({{ column }}, 'hex') ~ (
            '^(?:(?:0[1-9a-f]|[1-7][0-9a-f])|(?:c[2-9a-f]|d[0-9a-f])[89ab][0-9a-f]|e0[ab][0-9a-f][89ab][0-9a-f]'
            || '|(?:e[1-9abcef])(?:[89ab][0-9a-f]){2}|ed[89][0-9a-f][89ab][0-9a-f]|f0[9ab][0-9a-f](?:[89ab][0-9a-f]){2}'
            || '|f[123](?:[89ab][0-9a-f]){3}|f48[0-9a-f](?:[89ab][0-9a-f]){2})*$'
        ) then convert_from({{ column }}, 'UTF8')
    end
{%- endmacro %}

{#-
    A text as it is; NULL where the database checks no encoding (SQL_ASCII) and the text is not UTF-8. Every query that
    reads such a text as UTF-8 would fail.
-#}
{% macro readable_text(column) -%}
    case
        when getdatabaseencoding() <> 'SQL_ASCII' then {{ column }}
        else {{ text_of_bytes("convert_to(" ~ column ~ ", 'SQL_ASCII')") }}
    end
{%- endmacro %}
