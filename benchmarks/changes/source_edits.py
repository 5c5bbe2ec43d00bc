"""Changes of the raw tables that no simulated event makes: what an EHR's own clean-up, or a late load, does to rows.

Each is SQL over a note, its owner, two other patients and a time, which the caller chooses. Some change no modification
time, and some leave no row behind.
"""

import datetime

_MOMENTS = {
    "moved to the next midnight": "date_trunc('day', %(moment)s::timestamp) + interval '1 day'",
    "moved before midnight": "date_trunc('day', %(moment)s::timestamp) - interval '1 microsecond'",
    "moved into a clock change": "%(moment)s::timestamp::date + time '02:30'",
}
"""New times of a note, by kind of edit."""

_THIS_NOTE = "coalesce(note_source_value, note_id::text) = %(note)s"
_OWNER = "(select person_id from person where person_source_value = %(owner)s)"
_OMOP: dict[str, str] = {
    "filed under another patient": f"""
        update note set load_datetime = %(at)s,
            person_id = (select person_id from person where person_source_value = %(patient)s)
        where {_THIS_NOTE}
    """,
    "filed under nobody": f"update note set person_id = -1, load_datetime = %(at)s where {_THIS_NOTE}",
    "type changed": f"update note set note_title = 'Letter' where {_THIS_NOTE}",
    "author's id changed": f"""
        update provider set provider_source_value = provider_source_value || 'x'
        where provider_id = (select provider_id from note where {_THIS_NOTE})
            and provider_source_value not like '%%xx'
    """,
    "amended without a time": f"""
        update note set note_text = note_text || ' Seen again on rounds.', load_datetime = null where {_THIS_NOTE}
    """,
    "removed aside": f"""
        create table if not exists removed_note (like note);
        insert into removed_note select * from note where {_THIS_NOTE};
        delete from note where {_THIS_NOTE}
    """,
    "undeleted": """
        create table if not exists removed_note (like note);
        insert into note select * from removed_note where person_id in (select person_id from person)
        on conflict do nothing;
        delete from removed_note
    """,
    "identifier given": """
        insert into person_identifier select person_id, 'mrn', 'RH9' || lpad((person_id %% 1000000)::text, 6, '0')
        from person where person_source_value = %(owner)s
    """,
    "record emptied": f"""
        delete from person_name where person_id = {_OWNER};
        delete from person_identifier where person_id = {_OWNER}
    """,
    "excluded from a later day": f"""
        insert into research_exclusion
        select coalesce(max(exclusion_id), 0) + 1000, {_OWNER}, null, 'legal_hold', '2999-01-01', null
        from research_exclusion
    """,
    "merged in a circle": """
        with pair as (
            select f.person_id as one, s.person_id as other from person as f, person as s
            where f.person_source_value = %(former)s and s.person_source_value = %(patient)s
                and f.person_id <> s.person_id
        )
        insert into person_merge select other, one, %(at)s::timestamp from pair
        union all select one, other, %(at)s::timestamp + interval '1 second' from pair
    """,
} | {
    name: f"""
        update note set note_datetime = {moment}, note_date = ({moment})::date, load_datetime = %(at)s
        where {_THIS_NOTE}
    """
    for name, moment in _MOMENTS.items()
}

_CLARITY: dict[str, str] = {
    "filed under another patient": """
        update pat_enc set pat_id = %(patient)s
        where pat_enc_csn_id = (select pat_enc_csn_id from hno_info where note_id = %(note)s)
    """,
    "filed under nobody": """
        delete from pat_enc where pat_enc_csn_id = (select pat_enc_csn_id from hno_info where note_id = %(note)s)
    """,
    "type changed": """
        update hno_info set ip_note_type_c = (select min(type_ip_c) from zc_note_type_ip) where note_id = %(note)s
    """,
    "author's id changed": """
        update hno_info set current_author_id = (select min(prov_id) from clarity_ser) where note_id = %(note)s
    """,
    "removed aside": """
        update hno_info set delete_instant_dttm = %(at)s, update_date = %(at)s where note_id = %(note)s
    """,
    "undeleted": "update hno_info set delete_instant_dttm = null where delete_instant_dttm is not null",
    "identifier given": """
        insert into identity_id select pat_id, coalesce(max(line), 0) + 1, 14, 'RH9' || right(pat_id, 6)
        from identity_id where pat_id = %(owner)s group by pat_id
    """,
    "record emptied": """
        update patient set pat_name = null, pat_middle_name = null, preferred_name = null, ssn = null
        where pat_id = %(owner)s;
        delete from patient_alias where pat_id = %(owner)s;
        delete from identity_id where pat_id = %(owner)s;
        delete from hsp_account where pat_id = %(owner)s
    """,
    "excluded from a later day": """
        insert into research_exclusion
        select coalesce(max(line), 0) + 1000, %(owner)s, null, 'legal_hold', '2999-01-01', null
        from research_exclusion where %(owner)s is not null
    """,
    "merged in a circle": """
        with pair as (
            select f.pat_id as one, s.pat_id as other from patient as f, patient as s
            where f.pat_id = %(former)s and s.pat_id = %(patient)s and f.pat_id <> s.pat_id
        )
        insert into pat_merge_history select other, one, %(at)s::timestamp from pair
        union all select one, other, %(at)s::timestamp + interval '1 second' from pair
    """,
} | {
    name: f"update hno_info set create_instant_dttm = {moment}, update_date = %(at)s where note_id = %(note)s"
    for name, moment in _MOMENTS.items()
}

_STATEMENTS = {"omop": _OMOP, "clarity": _CLARITY}
EDITS: tuple[str, ...] = tuple(_OMOP)
"""Every kind of edit; a layout in which one cannot happen leaves its tables as they are."""
_FIRST_EDIT = datetime.datetime.fromisoformat("2024-07-01")
"""After every event of a history, so that no two versions of a note have one modification time."""


def edit_statement(layout: str, kind: str) -> str:
    """Return the SQL of an edit, with the names note, moment, owner, patient, former and at.

    Empty where the layout cannot have it.
    """
    return _STATEMENTS[layout].get(kind, "")


def edit_time(number: int) -> datetime.datetime:
    """Return when the edit of this number is written."""
    return _FIRST_EDIT + datetime.timedelta(minutes=number)
