{#-
    What a snapshot is taken of: each row of values once, with the id as the EHR has it, so that neither a merge nor an
    undone merge changes the history. A row has no id of its own, and its content is its key.
-#}
{% macro snapshot_rows(owner, names, rows) -%}
select
    md5(concat_ws(
        e'\x1f', {{ owner }}, {% for n in names %}coalesce({{ n }}, e'\x1e'){{ ', ' if not loop.last }}{% endfor %}
    )) as value_key,
    {{ owner }},
    {{ names | join(',\n    ') }}
from (
    select distinct
        {{ owner }},
        {{ names | join(',\n        ') }}
    from ({{ rows }}) as every_row
) as distinct_rows
where
    {{ owner }} is not null
    -- A kind without a value identifies nobody.
    and coalesce({{ names | reject('equalto', 'kind') | join(', ') }}) is not null
{%- endmacro %}

{% macro patient_snapshot_rows(table, names) -%}
{%- set rows -%}
    select a.patient_id::text as patient_id, {{ patient_values(table) }}
    from {{ ref('stg_' ~ var('layout') ~ '__' ~ table) }} as a
{%- endset -%}
{{ snapshot_rows('patient_id', names, rows) }}
{%- endmacro %}

{#-
    Values of now and all values that a snapshot has seen, each row once; is_former: the EHR does not hold it now;
    first_seen: when the first refresh found it there. The snapshot's ids are mapped to survivors here. Patients whom
    the EHR no longer holds have no former values. `offset 0` keeps the rows of former ids a lookup by index, however many are merged.
-#}
{% macro known_patient_values(table, names) -%}
select
    patient_id,
    {{ names | join(',\n    ') }},
    not bool_or(is_present) as is_former,
    min(first_seen) as first_seen
from (
    select
        patient_id,
        {{ names | join(',\n        ') }},
        true as is_present,
        null::timestamp as first_seen
    from {{ ref('stg_' ~ table) }}
    union all
    select
        h.patient_id,
        {% for n in names %}h.{{ n }},
        {% endfor %}false as is_present,
        h.dbt_valid_from as first_seen
    from {{ ref(table ~ '_history') }} as h
    where
        not exists (select 1 from {{ ref('stg_patient_merge') }} as m where m.former_id = h.patient_id)
        and exists (select 1 from {{ ref('stg_patient') }} as p where p.patient_id = h.patient_id)
    union all
    select
        s.surviving_id as patient_id,
        {% for n in names %}f.{{ n }},
        {% endfor %}false as is_present,
        f.dbt_valid_from as first_seen
    from {{ ref('stg_patient_merge') }} as s
    cross join lateral (select * from {{ ref(table ~ '_history') }} as h where h.patient_id = s.former_id offset 0) as f
    where exists (select 1 from {{ ref('stg_patient') }} as p where p.patient_id = s.surviving_id)
) as known
group by patient_id, {{ names | join(', ') }}
{%- endmacro %}

{#- The same of what belongs to no patient. What has left the EHR stays known: notes still name it. -#}
{% macro known_values(table, owner, names) -%}
select
    {{ owner }},
    {{ names | join(',\n    ') }},
    not bool_or(is_present) as is_former,
    min(first_seen) as first_seen
from (
    select
        {{ owner }},
        {{ names | join(',\n        ') }},
        true as is_present,
        null::timestamp as first_seen
    from {{ ref('stg_' ~ table) }}
    union all
    select
        {{ owner }},
        {{ names | join(',\n        ') }},
        false as is_present,
        dbt_valid_from as first_seen
    from {{ ref(table ~ '_history') }}
) as known
group by {{ owner }}, {{ names | join(', ') }}
{%- endmacro %}
