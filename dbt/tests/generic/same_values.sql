{#- Two models hold the same values of a column, each as often. -#}
{% test same_values(model, column_name, to) %}
(
    select {{ column_name }} from {{ model }}
    except all
    select {{ column_name }} from {{ to }}
)
union all
(
    select {{ column_name }} from {{ to }}
    except all
    select {{ column_name }} from {{ model }}
)
{% endtest %}
