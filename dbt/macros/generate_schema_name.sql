{#- `<institution>_<layer>`: every layer of an institution is a schema of its own. -#}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {%- set institution = var('institution') -%}
    {%- if not modules.re.match('^[a-z][a-z0-9_]{1,40}$', institution) -%}
        {{ exceptions.raise_compiler_error(
            "the variable `institution` must be lower-case letters, digits and underscores, beginning with a letter;"
            ~ " got: " ~ institution
        ) }}
    {%- endif -%}
    {%- if custom_schema_name is none and node.resource_type in ['model', 'seed', 'snapshot'] -%}
        {{ exceptions.raise_compiler_error(
            node.name ~ " has no schema: set +schema for its folder in dbt_project.yml"
        ) }}
    {%- endif -%}
    {{ institution }}_{{ (custom_schema_name or 'staging') | trim }}
{%- endmacro %}
