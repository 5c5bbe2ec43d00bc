{#-
    A CTE with the names in `relation`, and each part of a compound name: Garcia-Lopez is also written Lopez.
    Not materialized, so that a view asked for one patient reads the names of that patient alone.
-#}
{% macro name_terms(cte, relation, columns) -%}
{{ cte }}_whole as not materialized (
    select n.patient_id, x.term, x.kind, n.is_former, n.first_seen
    from {{ relation }} as n
    cross join lateral (
        values
        {% for kind, column in columns.items() %}(n.{{ column }}, '{{ kind }}'){{ ', ' if not loop.last }}{% endfor %}
    ) as x (term, kind)
    where x.term is not null
),

{{ cte }} as (
    select patient_id, term, kind, is_former, first_seen from {{ cte }}_whole
    union all
    select w.patient_id, p.part as term, w.kind, w.is_former, w.first_seen
    from {{ cte }}_whole as w
    cross join lateral regexp_split_to_table(w.term, '[\s\-‐‑]+') as p (part)
    where
        w.term ~ '[\s\-‐‑]'
        and length(p.part) >= 3
        and lower(p.part) not in (
            'del', 'der', 'den', 'dos', 'das', 'los', 'las', 'van', 'von', 'the', 'bin', 'ibn', 'iii', 'jr.', 'sr.'
        )
)
{%- endmacro %}

{#- Where a term of known values comes from. A term of values of now and of former ones is of now: see `dictionary`. -#}
{% macro known_source(table, former) -%}
    case when is_former then '{{ former }}' else '{{ table }}' end
{%- endmacro %}

{#- The usual spellings of a whole name, as rows of a VALUES list with their kind. -#}
{% macro full_names(names) -%}
    {%- set first, last = names ~ '.first_name', names ~ '.last_name' -%}
    (case when {{ last }} is not null then {{ first }} || ' ' || {{ last }} end, 'full'),
        (case when {{ first }} is not null then {{ last }} || ', ' || {{ first }} end, 'full'),
        ({{ first }} || ' ' || {{ names }}.middle_name || ' ' || {{ last }}, 'full'),
        ({{ first }} || ' ' || left({{ names }}.middle_name, 1) || '. ' || {{ last }}, 'full')
{%- endmacro %}

{% macro dictionary_rows() -%}
select
    k.term,
    k.normalised,
    k.kind,
    k.occurrences,
    k.source,
    k.first_seen,
    c.version
from kept as k
cross join content as c
{%- endmacro %}
