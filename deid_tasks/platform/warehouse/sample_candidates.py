"""The one pass over the text of all notes: what a draw needs to know about each note, without its text."""

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.exclusions import exclusion_tables
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings

_MIN_NAME_CHARACTERS, _MIN_PHONE_DIGITS = 2, 7
"""Shorter names and phone numbers are not searched for."""

_PATIENTS = """
create temporary table sample_patient on commit drop as
select patient_id,
    coalesce(array_agg(term) filter (where not is_phone), '{{}}') as terms,
    coalesce(array_agg(term) filter (where is_phone), '{{}}') as phones
from (
    select distinct patient_id, kind = 'phone' as is_phone,
        case
            when kind = 'phone' then right(regexp_replace(term, '[^0-9]', '', 'g'), 10)
            else x.written
        end as term
    from {dictionaries}.dict_patient
    cross join lateral (values (normalised), (lower(term))) as x (written)
    where kind in ('first', 'last', 'preferred', 'street', 'email', 'phone')
) as own
where length(term) >= case when is_phone then %(min_phone)s else %(min_name)s end
group by patient_id
"""

_CANDIDATES = """
create temporary table sample_candidate on commit drop as
with {excluded}
select note_id, patient_id, note_type, note_datetime, characters, words, digest,
    coalesce(
        exists (
            select from unnest(terms) as t (term)
            where strpos(lower_text, term) > 0 and exists (
                select from (
                    select right(part, 1) as before, left(lead(part) over (order by part_number), 1) as after
                    from unnest(string_to_array(lower_text, term)) with ordinality as p (part, part_number)
                ) as around
                where {edge_before} and {edge_after}
            )
        )
        or exists (
            select from unnest(phones) as t (phone)
            where strpos(lower_text, right(phone, 4)) > 0
                and strpos(regexp_replace(lower_text, '[^0-9]', '', 'g'), phone) > 0
        ),
        false
    ) as has_own_pii
from (
    select n.note_id, n.patient_id, coalesce(n.note_type, '') as note_type, n.note_datetime,
        lower(t.note_text) as lower_text,
        coalesce(length(t.note_text), %(max_characters)s::bigint + 1) as characters,
        md5(t.note_text) as digest,
        cardinality(array_remove(
            string_to_array(replace(replace(t.note_text, E'\\n', ' '), E'\\t', ' '), ' '), ''
        )) as words,
        p.terms, p.phones
    from {staging}.stg_note as n
    -- `offset 0` is an optimisation fence: a text that a view composes, or that is stored compressed, is made once and
    -- not for every use. A text whose bytes show that it is too long is not read.
    cross join lateral (select n.note_text as written offset 0) as w
    cross join lateral (
        select case
            when w.written is null then ''
            when octet_length(w.written) <= 4 * %(max_characters)s::bigint then w.written || ''
        end as note_text
        offset 0
    ) as t
    -- Looked up by index, not joined: a hash join too large for memory would write every text to disk.
    left join lateral (
        select own.terms, own.phones from sample_patient as own where own.patient_id = n.patient_id offset 0
    ) as p on true
    where w.written is not null and not n.is_deleted
        and not exists (select from excluded_note as x where x.note_id = n.note_id)
        and not exists (select from excluded_patient as x where x.patient_id = n.patient_id)
    offset 0
) as read
"""


def read_candidates(connection: Connection, settings: InstitutionSettings) -> int:
    """Fill the temporary table ``sample_candidate``, and return the number of notes left out as too long.

    Excluded notes and those of excluded patients are left out too.

    Each note has its length in words, a digest of its text, and whether it holds the patient's own name, address, phone
    number or e-mail address. A term is searched for as a plain string first, and only where it is found are the
    characters around it checked: compiling a regular expression would cost PostgreSQL a millisecond a patient.
    """
    limits = {
        "min_phone": _MIN_PHONE_DIGITS,
        "min_name": _MIN_NAME_CHARACTERS,
        "max_characters": settings.notes.max_characters,
    }
    with connection.cursor() as cursor:
        cursor.execute(compose(_PATIENTS, settings), limits)
        cursor.execute("create unique index on sample_patient (patient_id)")
        cursor.execute("analyze sample_patient")
        cursor.execute(
            compose(
                _CANDIDATES,
                settings,
                excluded=exclusion_tables(settings),
                edge_before=_is_word_edge("before"),
                edge_after=_is_word_edge("after"),
            ),
            limits,
        )
        cursor.execute("delete from sample_candidate where characters > %(max_characters)s", limits)
        too_long = cursor.rowcount
        cursor.execute("create index on sample_candidate (note_id)")
        cursor.execute("analyze sample_candidate")
    return too_long


def _is_word_edge(column: str) -> sql.Composed:
    """SQL: the character is neither a letter nor a digit, or the text ends there; null where nothing follows."""
    return sql.SQL("upper({0}) = lower({0}) and {0} not between '0' and '9'").format(sql.Identifier(column))
