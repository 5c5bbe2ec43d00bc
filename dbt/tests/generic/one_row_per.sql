{#- The grain of a model: no two rows have the same values in `columns`. -#}
{% test one_row_per(model, columns) %}
select 1 as failure
from (
    select 1
    from {{ model }}
    group by {{ columns | join(', ') }}
    having count(*) > 1
) as repeated
{% endtest %}
