{#-
    Dates in a column of text, for an adapter whose EHR keeps them so. PostgreSQL's own cast would stop every query at
    one impossible day (2024-13-45), and before PostgreSQL 16 nothing asks whether a cast would succeed.

    What is not a date is -infinity, which quality_rows counts; the canonical models hold NULL in its place. A column of
    another type is read as well. The time and the zone behind a day are left out of a date, the zone of a timestamp.
-#}
{% macro date_of_text(column) -%}
    {%- set text = stored_text(column) -%}
    case
        when {{ text }} ~ ('^(-?infinity|(' || {{ days() }} || ')([T ].*)?)$') then left({{ text }}, 10)::date
        when {{ text }} <> '' then '-infinity'::date
    end
{%- endmacro %}

{#- The zone is not applied: an adapter whose EHR keeps zones converts them to the institution's zone itself. -#}
{% macro timestamp_of_text(column) -%}
    {%- set text = stored_text(column) -%}
    case
        when {{ text }} ~ (
            '^(-?infinity|(' || {{ days() }} || ')([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.]\d{1,9})?)?'
            || '( ?(Z|[+-]\d\d(:?\d\d)?))?)?)$'
        ) then substring({{ text }} from '^(-?infinity|.{10}([T ][0-9:.]+)?)')::timestamp
        when {{ text }} <> '' then '-infinity'::timestamp
    end
{%- endmacro %}

{#- A date or timestamp of an adapter; NULL where the text could not be read. -#}
{% macro readable_date(column) -%}
    nullif({{ column }}, '-infinity')
{%- endmacro %}

{#- JSON has one form of a date, whatever the session's DateStyle is. -#}
{% macro stored_text(column) -%}
    btrim(to_jsonb({{ column }}) #>> '{}')
{%- endmacro %}

{#- A pattern of the days that there are, from the year 1 to 9999, leap days in leap years alone. -#}
{% macro days() -%}
    '(?!0000)\d{4}-((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|(0[469]|11)-(0[1-9]|[12]\d|30)|02-(0[1-9]|1\d|2[0-8]))'
    || '|(?!0000)(\d\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29'
{%- endmacro %}
