{#-
    The rows of an adapter with the surviving patient's id in place of a former one. Written as rows of ids that are not
    former ids and rows of former ids, so that a lookup by patient reaches the indexes of the raw tables in both.

     A table that is looked up by patient (`is_looked_up`) is asked for each former id by itself: for a few patients of
    a small table PostgreSQL would rather read the whole table, and an adapter of several tables it could not ask by id
    at all. Notes are asked by day: a fence would read all notes of former ids for each day.
-#}
{% macro of_surviving_patients(table, columns, where='true', is_looked_up=false) -%}
{%- set adapter = ref('stg_' ~ var('layout') ~ '__' ~ table) -%}
select
    a.patient_id::text as patient_id,
    {{ columns }}
from {{ adapter }} as a
where
    {{ where }}
    and not exists (select 1 from {{ ref('stg_patient_merge') }} as m where m.former_id = a.patient_id::text)

union all

select
    s.surviving_id as patient_id,
    {{ columns }}
from {{ ref('stg_patient_merge') }} as s
{% if is_looked_up -%}
cross join lateral (
    -- The offset is the fence.
    select * from {{ adapter }} as f where f.patient_id::text = s.former_id offset 0
) as a
{%- else -%}
inner join {{ adapter }} as a on s.former_id = a.patient_id::text
{%- endif %}
where {{ where }}
{%- endmacro %}
