{#-
    The last steps of every dictionary. `terms` is a CTE with the keys, term, kind, source and first_seen.
    The result has one row for each kind and normalised term: `term` is its most frequent spelling, `occurrences` the
    number of rows with it. `version` is a hash of the content in any order: the same content always has the same
    version.
-#}
{% macro dictionary(terms, keys=[]) -%}
    , normalised_terms as (
        select
            {% for key in keys %}{{ key }}, {% endfor %}
            btrim(term) as term,
            {{ normalise_term('term') }} as normalised,
            kind,
            source,
            first_seen
        from {{ terms }}
        where term is not null
    ),

    grouped as (
        select
            {% for key in keys %}{{ key }}, {% endfor %}
            mode() within group (order by term) as term,
            normalised,
            kind,
            count(*) as occurrences,
            coalesce(min(source) filter (where source not like 'former %'), min(source)) as source,
            min(first_seen) as first_seen
        from normalised_terms
        where normalised <> ''
        group by {% for key in keys %}{{ key }}, {% endfor %}normalised, kind
    )
{%- endmacro %}

{#- Materialized: where PostgreSQL expects few rows, it would compute the version again for each of them. -#}
{% macro versioned(rows, columns=['kind', 'normalised', 'term', 'occurrences']) -%}
    , content as materialized (
        select {{ content_version(columns) }} as version
        from {{ rows }}
    )
{%- endmacro %}

{% macro content_version(columns) -%}
    md5(
        count(*)::text || '-' || coalesce(
            sum((
                'x' || left(md5(concat_ws(
                    e'\x1f',
                    {% for c in columns %}coalesce({{ c }}::text, e'\x1e'){{ ', ' if not loop.last }}{% endfor %}
                )), 15)
            )::bit(60)::bigint::numeric),
            0
        )::text
    )
{%- endmacro %}

{#- Occurrences in the literature above which a term is a common word, scaled to the corpus that was counted. -#}
{% macro common_word_threshold() -%}
    {%- set occurrences = var('common_term_occurrences') | int(1) -%}
    {%- set documents = var('common_term_documents') | int(1) -%}
    {{ occurrences * (var('literature_documents') | int(1)) // documents }}
{%- endmacro %}

{#-
    A condition that common words fail: in a dictionary of all patients, "Will" and "Young" would redact ordinary prose.
-#}
{% macro is_uncommon(normalised) -%}
    not exists (
        select 1
        from {{ ref('literature_counts') }} as l
        where l.term = {{ normalised }} and l.occurrences > {{ common_word_threshold() }}
    )
{%- endmacro %}
