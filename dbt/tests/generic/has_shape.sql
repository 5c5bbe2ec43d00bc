{#- Identifiers keep the shape that their pattern detectors expect, e.g. ten digits for an NPI. NULL is no failure. -#}
{% test has_shape(model, column_name, pattern) %}
select 1 as failure
from {{ model }}
where {{ column_name }} !~ '{{ pattern }}'
{% endtest %}
