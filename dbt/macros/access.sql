{#- Lets the roles that may read a layer's tables enter its schema. -#}
{% macro grant_usage() -%}
    {%- set readers = {
        'staging': var('engine_roles'),
        'history': var('engine_roles'),
        'dictionaries': var('engine_roles'),
        'quality': var('quality_roles'),
    } -%}
    {%- for layer, roles in readers.items() -%}
        {%- for role in roles -%}
            grant usage on schema {{ adapter.quote(var('institution') ~ '_' ~ layer) }} to {{ adapter.quote(role) }};
        {%- endfor -%}
    {%- endfor -%}
{%- endmacro %}
