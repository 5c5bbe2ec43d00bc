-- The notes that phrases are harvested from, without their texts: those with the smallest hashes of their ids, evenly
-- spread over the years. Deleted notes, and those that must not be published, are not among them. The ids of all notes
-- are read each time, as a run of changes does; texts only where the layout has no modification time.
with in_force as (
    select
        patient_id,
        note_id
    from {{ ref('stg_exclusion') }}
    where {{ is_in_force() }}
    union all
    select
        coalesce(m.surviving_id, x.patient_id) as patient_id,
        x.note_id
    from {{ source('results', 'exclusion') }} as x
    left join {{ ref('stg_patient_merge') }} as m on x.patient_id = m.former_id
    where {{ is_in_force() }}
    union all
    -- What the warehouse excluded and lacks now.
    select
        case when x.kind = 'patient' then coalesce(m.surviving_id, x.id) end as patient_id,
        case when x.kind = 'note' then x.id end as note_id
    from {{ source('results', 'warehouse_exclusion') }} as x
    left join {{ ref('stg_patient_merge') }} as m on x.kind = 'patient' and x.id = m.former_id
    where not x.is_ended and localtimestamp - interval '1 day' < coalesce(x.valid_to, 'infinity')
),

chosen as materialized (
    select
        n.note_id,
        n.patient_id,
        n.modified_at
    from {{ ref('stg_note') }} as n
    where
        not n.is_deleted
        and not exists (select 1 from in_force as x where x.note_id = n.note_id)
        and not exists (select 1 from in_force as x where x.patient_id = n.patient_id)
    order by md5(n.note_id), n.note_id
    limit {{ var('harvest_notes') }}
)

select
    c.note_id,
    c.patient_id,
    case
        when c.modified_at is not null then c.modified_at::text
        else (select max(md5(n.note_text)) from {{ ref('stg_note') }} as n where n.note_id = c.note_id)
    end as text_version
from chosen as c
