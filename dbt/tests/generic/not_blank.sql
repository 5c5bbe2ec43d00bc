{% test not_blank(model, column_name) %}
select 1 as failure
from {{ model }}
where {{ column_name }} is null or btrim({{ column_name }}::text) = ''
{% endtest %}
