{#-
    The last steps of every dictionary. `terms` is a CTE with the keys, term, kind and source.
    One row for each kind and normalised term; `term` is its commonest spelling, `occurrences` how many rows had it.
    `version` is a hash of the content whatever its order, so the same content always has the same version.
-#}
{% macro dictionary(terms, keys=[]) -%}
    , normalised_terms as (
        select
            {% for key in keys %}{{ key }}, {% endfor %}
            btrim(term) as term,
            {{ normalise_term('term') }} as normalised,
            kind,
            source
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
            min(source) as source
        from normalised_terms
        where normalised <> ''
        group by {% for key in keys %}{{ key }}, {% endfor %}normalised, kind
    )
{%- endmacro %}

{% macro versioned(rows, columns=['kind', 'normalised', 'term', 'occurrences']) -%}
    , content as (
        select {{ content_version(columns) }} as version
        from {{ rows }}
    )
{%- endmacro %}

{% macro content_version(columns) -%}
    md5(
        count(*)::text || '-' || coalesce(
            sum(('x' || left(md5(concat_ws(e'\x1f', {% for c in columns %}coalesce({{ c }}::text, e'\x1e'){{ ', ' if not loop.last }}{% endfor %})), 15))::bit(60)::bigint::numeric),
            0
        )::text
    )
{%- endmacro %}

{#- How often a term may stand in the literature before it counts as a common word, scaled to the corpus that was counted. -#}
{% macro common_word_threshold() -%}
    {{ (var('common_term_occurrences') | int(1)) * (var('literature_documents') | int(1)) // (var('common_term_documents') | int(1)) }}
{%- endmacro %}

{#- A condition that no common word meets. A shared dictionary holds everyone's names: "Will" and "Young" would redact prose. -#}
{% macro is_uncommon(normalised) -%}
    not exists (
        select 1
        from {{ ref('literature_counts') }} as l
        where l.term = {{ normalised }} and l.occurrences > {{ common_word_threshold() }}
    )
{%- endmacro %}
