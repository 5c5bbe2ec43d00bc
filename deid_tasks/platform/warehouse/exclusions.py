"""Patients and notes that must not be published: those that the warehouse excludes, and those excluded by request."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import InputError
from deid_tasks.platform.warehouse.audited_records import insert_record
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A request that one patient or one note is not published."""

    patient_id: str | None
    note_id: str | None
    reason: str
    valid_from: datetime.datetime
    requested_by: str


# Their rows are few; as tables of their own they would keep the statement from using more than one process.
_ACTIVE = """
active as not materialized (
    -- A row without a reason excludes as any other does.
    select patient_id, note_id, coalesce(reason, 'unknown') as reason from {staging}.stg_exclusion
    where coalesce(valid_from, '-infinity') <= now() at time zone {zone}
        and (valid_to is null or valid_to > now() at time zone {zone})
    union all
    -- What the warehouse excluded stays in force where it vanished there, until its end is known to be meant.
    select case when kind = 'patient' then id end, case when kind = 'note' then id end, reason
    from {results}.warehouse_exclusion
    where not is_ended and (valid_to is null or valid_to > now() at time zone {zone})
    union all
    select patient_id, note_id, reason from {results}.exclusion as x
    where valid_from <= now() at time zone {zone} and (valid_to is null or valid_to > now() at time zone {zone})
    and not exists (select 1 from {results}.exclusion_end as e where e.exclusion_id = x.exclusion_id)
),

excluded_patient as not materialized (
    select coalesce(m.surviving_id, a.patient_id) as patient_id, min(a.reason) as reason
    from active as a left join {staging}.stg_patient_merge as m on a.patient_id = m.former_id
    where a.patient_id is not null group by 1
),

excluded_note as not materialized (
    select note_id, min(reason) as reason from active where note_id is not null group by 1
)
"""

_IN_FORCE = """
in_force as materialized (
    select kind, id, min(reason) as reason, nullif(max(coalesce(valid_to, 'infinity')), 'infinity') as valid_to
    from (
        select
            'patient' as kind, coalesce(m.surviving_id, x.patient_id) as id,
            coalesce(x.reason, 'unknown') as reason, x.valid_from, x.valid_to
        from {staging}.stg_exclusion as x
        left join {staging}.stg_patient_merge as m on x.patient_id = m.former_id
        where x.patient_id is not null
        union all
        select 'note', note_id, coalesce(reason, 'unknown'), valid_from, valid_to
        from {staging}.stg_exclusion where note_id is not null
    ) as x
    where coalesce(valid_from, '-infinity') <= now() at time zone {zone}
        and (valid_to is null or valid_to > now() at time zone {zone})
    group by 1, 2
)
"""


def exclusion_tables(settings: InstitutionSettings) -> sql.Composed:
    """Return the tables ``excluded_patient`` and ``excluded_note`` of a WITH clause: id and reason of what is excluded
    now."""
    return compose(_ACTIVE, settings, zone=sql.Literal(settings.notes.timezone))


def warehouse_exclusions(settings: InstitutionSettings) -> sql.Composed:
    """Return the table ``in_force`` of a WITH clause: kind, id, reason and end of what the warehouse itself excludes
    now."""
    return compose(_IN_FORCE, settings, zone=sql.Literal(settings.notes.timezone))


def add_exclusions(connection: Connection, settings: InstitutionSettings, rows: Iterable[Exclusion]) -> list[str]:
    """Record requests, which hold from their date on until somebody ends them; return the hash of each row."""
    return [insert_record(connection, settings, "exclusion", asdict(row)) for row in rows]


def end_exclusions(
    connection: Connection,
    settings: InstitutionSettings,
    *,
    patient_ids: Sequence[str],
    note_ids: Sequence[str],
    reason: str,
    requested_by: str,
) -> list[str]:
    """End the exclusions by request of these patients and notes; return the hash of the row of each end.

    Raises:
        InputError: no exclusion by request of one of them holds; those of the warehouse end there.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select exclusion_id, patient_id, note_id from {results}.exclusion as x
                where (patient_id = any(%s) or note_id = any(%s))
                and not exists (select 1 from {results}.exclusion_end as e where e.exclusion_id = x.exclusion_id)
                order by exclusion_id
                """,
                settings,
            ),
            (list(patient_ids), list(note_ids)),
        )
        holding = cursor.fetchall()
    for kind, given, held in (
        ("patients", patient_ids, {row[1] for row in holding}),
        ("notes", note_ids, {row[2] for row in holding}),
    ):
        if missing := len(set(given) - held):
            raise InputError(
                f"{settings.institution}: {missing} of the {kind} are not excluded by request; an exclusion of the"
                " warehouse ends with its row of stg_exclusion, or, where many end, once a person approves"
            )
    ends = ({"exclusion_id": row[0], "reason": reason, "requested_by": requested_by} for row in holding)
    return [insert_record(connection, settings, "exclusion_end", end) for end in ends]


def excluded_notes(
    connection: Connection, settings: InstitutionSettings, *, patient_id: str | None = None, note_id: str | None = None
) -> int:
    """Return how many notes of the ledger an exclusion of this patient or note takes away, or its end brings back."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select count(*) from {results}.note_ledger where patient_id = %s or note_id = %s",
                settings,
            ),
            (patient_id, note_id),
        )
        row = cursor.fetchone()
    return int(row[0]) if row else 0
