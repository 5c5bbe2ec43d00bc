-- The notes of stg_clarity__note without their texts, for reading all of them at once: versions are joined, where
-- stg_clarity__note looks up each note's.
with newest_version as (
    select distinct on (note_id)
        note_id,
        upd_dttm
    from {{ source('clarity', 'note_enc_info') }}
    order by note_id asc, contact_num desc, contact_serial_num desc
)

select
    h.note_id,
    e.pat_id as patient_id,
    z.name as note_type,
    h.create_instant_dttm as note_datetime,
    h.current_author_id as author_id,
    greatest(h.update_date, v.upd_dttm, h.create_instant_dttm) as modified_at,
    h.delete_instant_dttm is not null as is_deleted
from {{ source('clarity', 'hno_info') }} as h
left join newest_version as v on h.note_id = v.note_id
left join {{ source('clarity', 'pat_enc') }} as e on h.pat_enc_csn_id = e.pat_enc_csn_id
left join {{ source('clarity', 'zc_note_type_ip') }} as z on h.ip_note_type_c = z.type_ip_c
