{#- Identifiers have the shape that the pattern detector expects, such as ten digits for an NPI. NULL passes. -#}
{% test has_shape(model, column_name, pattern) %}
select 1 as failure
from {{ model }}
where {{ column_name }} !~ '{{ pattern }}'
{% endtest %}
