{#- `<institution>_<layer>`: every layer of an institution is a schema of its own. -#}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {%- set institution = var('institution') -%}
    {%- if not modules.re.match('^[a-z][a-z0-9_]{1,40}$', institution) -%}
        {{ exceptions.raise_compiler_error("the variable institution is no plain name") }}
    {%- endif -%}
    {%- if custom_schema_name is none and node.resource_type in ['model', 'seed', 'snapshot'] -%}
        {{ exceptions.raise_compiler_error(node.name ~ " says no schema: give its folder one in dbt_project.yml") }}
    {%- endif -%}
    {{ institution }}_{{ (custom_schema_name or 'staging') | trim }}
{%- endmacro %}
