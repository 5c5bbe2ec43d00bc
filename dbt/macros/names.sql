{#- Parts of a name written 'Last,First Middle'. The middle name is passed in, since given names may hold spaces. -#}
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

{#- The trimmed value, or NULL when it is only white space. -#}
{% macro present(column) -%}
    nullif(btrim({{ column }}), '')
{%- endmacro %}

{#-
    Whether `present` of a text is not NULL. Nothing is trimmed: values of type bpchar are equal but for blanks at their
    end.
-#}
{% macro is_present(column) -%}
    ({{ column }})::bpchar <> ''
{%- endmacro %}
