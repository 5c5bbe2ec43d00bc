{#- 'Last,First Middle' and its pieces. The middle name is known beside it, since given names may hold spaces. -#}
{% macro last_name(name) -%}
    btrim(split_part({{ name }}, ',', 1))
{%- endmacro %}

{% macro given_names(name) -%}
    btrim(substr({{ name }}, nullif(strpos({{ name }}, ','), 0) + 1))
{%- endmacro %}

{% macro first_name(name, middle) -%}
    case
        when right({{ given_names(name) }}, length({{ middle }}) + 1) = ' ' || {{ middle }}
            then btrim(left({{ given_names(name) }}, - length({{ middle }})))
        else {{ given_names(name) }}
    end
{%- endmacro %}

{#- NULL where nothing but white space stands there. -#}
{% macro present(column) -%}
    nullif(btrim({{ column }}), '')
{%- endmacro %}
