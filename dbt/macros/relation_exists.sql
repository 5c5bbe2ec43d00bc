{#- Whether a table that others write is there yet; never while dbt only parses. -#}
{% macro relation_exists(schema, identifier) -%}
    {{ return(execute and load_relation(api.Relation.create(database=target.database, schema=schema, identifier=identifier)) is not none) }}
{%- endmacro %}
