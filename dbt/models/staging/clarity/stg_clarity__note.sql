-- Versions and text are looked up for each note, not joined: a slice of one day then reads the text of that day only.
-- A note whose encounter is missing stays, without a patient: runs quarantine it.
select
    h.note_id,
    e.pat_id as patient_id,
    z.name as note_type,
    h.create_instant_dttm as note_datetime,
    h.current_author_id as author_id,
    (
        select string_agg(t.note_text, '' order by t.line)
        from {{ source('clarity', 'hno_note_text') }} as t
        where
            t.note_csn_id = (
                select v.contact_serial_num
                from {{ source('clarity', 'note_enc_info') }} as v
                where v.note_id = h.note_id
                order by v.contact_num desc, v.contact_serial_num desc
                limit 1
            )
    ) as note_text,
    greatest(
        h.update_date,
        (
            select v.upd_dttm
            from {{ source('clarity', 'note_enc_info') }} as v
            where v.note_id = h.note_id
            order by v.contact_num desc, v.contact_serial_num desc
            limit 1
        ),
        h.create_instant_dttm
    ) as modified_at,
    h.delete_instant_dttm is not null as is_deleted
from {{ source('clarity', 'hno_info') }} as h
left join {{ source('clarity', 'pat_enc') }} as e on h.pat_enc_csn_id = e.pat_enc_csn_id
left join {{ source('clarity', 'zc_note_type_ip') }} as z on h.ip_note_type_c = z.type_ip_c
