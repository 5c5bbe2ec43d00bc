-- The merges as they are recorded now. The newest row of a former id counts, and one without a survivor undoes the
-- merge. Of merges that form a circle the oldest is left out: the records went on to the other patients after it.
with recursive recorded as (
    select distinct on (former_id)
        former_id::text as former_id,
        surviving_id::text as surviving_id,
        {{ readable_date('merged_at::timestamp') }} as merged_at
    from {{ ref('stg_' ~ var('layout') ~ '__patient_merge') }}
    order by former_id asc, merged_at desc nulls last, surviving_id desc nulls last
),

steps as (
    select
        former_id,
        surviving_id,
        merged_at,
        coalesce(merged_at, '-infinity') as recorded_at
    from recorded
    where former_id <> surviving_id
),

walks as (
    select
        former_id,
        surviving_id as reached_id,
        recorded_at,
        true as is_oldest
    from steps
    union
    select
        w.former_id,
        s.surviving_id as reached_id,
        w.recorded_at,
        w.is_oldest and (w.recorded_at, w.former_id) < (s.recorded_at, s.former_id) as is_oldest
    from walks as w
    inner join steps as s on w.reached_id = s.former_id
    where w.reached_id <> w.former_id
),

in_force as (
    select s.*
    from steps as s
    where not exists (
        select 1 from walks as w where w.former_id = s.former_id and w.reached_id = s.former_id and w.is_oldest
    )
),

chains as (
    select
        former_id,
        surviving_id,
        merged_at
    from in_force
    union all
    select
        c.former_id,
        s.surviving_id,
        c.merged_at
    from chains as c
    inner join in_force as s on c.surviving_id = s.former_id
)

select
    c.former_id,
    c.surviving_id,
    c.merged_at
from chains as c
where not exists (select 1 from in_force as s where s.former_id = c.surviving_id)
