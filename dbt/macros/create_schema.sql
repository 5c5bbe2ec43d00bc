{#- Two dbt processes on a new database would otherwise both create the schema, and one of them fail. -#}
{% macro postgres__create_schema(relation) -%}
    {%- call statement('create_schema') -%}
        select pg_advisory_xact_lock(hashtextextended('{{ relation.schema }}', 0));
        create schema if not exists {{ relation.without_identifier().include(database=False) }}
    {%- endcall -%}
{%- endmacro %}
