{% test is_normalised(model, column_name) %}
select 1 as failure
from {{ model }}
where {{ column_name }} is distinct from {{ normalise_term(column_name) }}
{% endtest %}
