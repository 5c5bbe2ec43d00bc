{#- Collects statistics of a table; a view has none. -#}
{% macro analyze(relation) -%}
    {%- if model.config.materialized != 'view' -%}analyze {{ relation }}{%- endif -%}
{%- endmacro %}
