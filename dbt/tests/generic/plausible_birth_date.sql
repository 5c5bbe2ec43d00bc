{% test plausible_birth_date(model, column_name) %}
select 1 as failure
from {{ model }}
where {{ column_name }} < date '1900-01-01' or {{ column_name }} > current_date
{% endtest %}
