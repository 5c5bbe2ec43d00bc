{#- Every raw row of a table is either staged or quarantined. -#}
{% test rows_reconcile(model) %}
select 1 as failure
from {{ model }}
group by table_name
having
    coalesce(sum(rows_counted) filter (where status = 'raw'), 0)
    <> coalesce(sum(rows_counted) filter (where status in ('staged', 'quarantined')), 0)
{% endtest %}
