{#-
    The lock is for two dbt processes on a new database: without it both would create the schema, and one would fail.
-#}
{% macro postgres__create_schema(relation) -%}
    {%- call statement('create_schema') -%}
        select pg_advisory_xact_lock(hashtextextended('{{ relation.schema }}', 0));
        create schema if not exists {{ relation.without_identifier().include(database=False) }}
    {%- endcall -%}
{%- endmacro %}
