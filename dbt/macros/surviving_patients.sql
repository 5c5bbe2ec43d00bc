{#-
    The rows of an adapter with the surviving patient's id in place of a former one. Written as rows of ids that are not former
    ids and rows of former ids, so that a lookup by patient reaches the indexes of the raw tables in both.
-#}
{% macro of_surviving_patients(table, columns, where='true') -%}
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
inner join {{ adapter }} as a on s.former_id = a.patient_id::text
where {{ where }}
{%- endmacro %}
