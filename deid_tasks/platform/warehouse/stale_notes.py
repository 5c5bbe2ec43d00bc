"""Published notes that another engine has read than the one in use, and carrying their rows over to it."""

import datetime
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812
from psycopg2.extras import execute_values

from deid_tasks.platform.warehouse.exclusions import exclusion_tables
from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings, RestatementRequest


@dataclass(frozen=True, slots=True)
class StaleNote:
    """A note of the ledger that a restate run looks at."""

    note_id: str
    note_day: datetime.date
    fingerprint: str
    """The engine that its row is valid for."""
    entities: frozenset[str]
    is_quarantined: bool
    updated_at: datetime.datetime
    """When the ledger's row was written."""
    text: str | None = field(repr=False)
    """Its text as the source holds it now; ``None`` where it was not asked for or is not valid UTF-8."""


@dataclass(frozen=True, slots=True)
class EngineUse:
    """How many notes of the ledger are valid for one engine."""

    fingerprint: str
    notes: int


_BATCH = 500
_CONDITIONS = {
    "stale": "l.fingerprint <> %(fingerprint)s",
    "quarantined": "l.outcome = 'quarantined'",
    "all": "l.made_by <> %(fingerprint)s",
}
_REQUESTED = """
    l.outcome in ('published', 'unchanged', 'quarantined') and {condition}
    and (cardinality(%(types)s::text[]) = 0 or l.note_type = any(%(types)s))
    and (%(first)s::date is null or l.note_day >= %(first)s) and (%(last)s::date is null or l.note_day <= %(last)s)
"""


def engines_of_notes(
    connection: Connection, settings: InstitutionSettings, fingerprint: str, request: RestatementRequest
) -> list[EngineUse]:
    """Return the engines of the notes that a request concerns; ``fingerprint`` is the engine in use."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select l.fingerprint, count(*) from {results}.note_ledger as l
                where {requested} group by 1 order by 2 desc, 1
                """,
                settings,
                requested=_requested(request),
            ),
            _values(fingerprint, request),
        )
        return [EngineUse(*row) for row in cursor.fetchall()]


def days_of_notes(
    connection: Connection, settings: InstitutionSettings, fingerprint: str, request: RestatementRequest
) -> list[datetime.date]:
    """Return the days of the notes that a request concerns, the oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select distinct l.note_day from {results}.note_ledger as l where {requested} order by 1",
                settings,
                requested=_requested(request),
            ),
            _values(fingerprint, request),
        )
        return [day for (day,) in cursor.fetchall()]


def read_stale(
    connection: Connection,
    settings: InstitutionSettings,
    fingerprint: str,
    request: RestatementRequest,
    day: datetime.date,
    with_text: Collection[str],
) -> Iterator[list[StaleNote]]:
    """Yield the notes of one day that a request concerns, in batches, in the order of their ids.

    A note that was deleted, excluded or moved to another day since it was published is left out: the changes run takes
    it.

    Args:
        connection: A connection to the warehouse; a server-side cursor streams the rows.
        settings: The institution.
        fingerprint: The engine in use.
        request: Which notes.
        day: The day.
        with_text: Engines whose notes are returned with their texts.
    """
    with connection.cursor(name=f"stale_{day:%Y%m%d}") as cursor:
        cursor.itersize = _BATCH
        cursor.execute(
            sql.SQL("with {exclusions} {select}").format(
                exclusions=exclusion_tables(settings),
                select=compose(
                    """
                    select
                        l.note_id, l.note_day, l.fingerprint, l.entities, l.outcome = 'quarantined', l.updated_at,
                        case when l.fingerprint = any(%(with_text)s) then convert_to(n.note_text, 'UTF8') end
                    from {results}.note_ledger as l
                    inner join {staging}.stg_note as n on l.note_id = n.note_id
                    left join excluded_note as en on n.note_id = en.note_id
                    left join excluded_patient as ep on n.patient_id = ep.patient_id
                    where l.note_day = %(day)s and n.note_datetime >= %(day)s and n.note_datetime < %(next)s
                        and not n.is_deleted and en.note_id is null and ep.patient_id is null and {requested}
                    order by l.note_id
                    """,
                    settings,
                    requested=_requested(request),
                ),
            ),
            _values(fingerprint, request)
            | {"day": day, "next": day + datetime.timedelta(days=1), "with_text": sorted(with_text)},
        )
        while rows := cursor.fetchmany(_BATCH):
            yield [
                StaleNote(note, day, engine, frozenset(entities), withheld, updated, _decoded(raw))
                for note, day, engine, entities, withheld, updated, raw in rows
            ]


def begin_carry(connection: Connection) -> None:
    """Begin a list of notes to carry over; it ends with the transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "create temporary table carried_note"
            " (note_id text, note_day date, fingerprint text, updated_at timestamptz) on commit drop"
        )


def add_carried(connection: Connection, notes: Iterable[StaleNote]) -> None:
    """Add notes to the list."""
    with connection.cursor() as cursor:
        execute_values(
            cursor,
            "insert into carried_note (note_id, note_day, fingerprint, updated_at) values %s",
            [(note.note_id, note.note_day, note.fingerprint, note.updated_at) for note in notes],
        )


def sample_carried(connection: Connection, seed: str, notes: int) -> list[tuple[str, datetime.date]]:
    """Return id and day of at most ``notes`` notes of the list; the choice is random, and the same for one seed."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select note_id, note_day from carried_note order by md5(%s || fingerprint || note_id) limit %s",
            (seed, notes),
        )
        return cursor.fetchall()


def carry_notes(connection: Connection, settings: InstitutionSettings, fingerprint: str) -> int:
    """Declare the rows of the list valid for an engine, and return how many; the engine that made them stays recorded.

    A row that was written since it was listed is left as it is.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                update {results}.note_ledger as l set fingerprint = %s
                from carried_note as c
                where l.note_id = c.note_id and l.fingerprint = c.fingerprint and l.updated_at = c.updated_at
                    and l.outcome <> 'publishing'
                """,
                settings,
            ),
            (fingerprint,),
        )
        return int(cursor.rowcount)


def _requested(request: RestatementRequest) -> sql.Composed:
    return sql.SQL(_REQUESTED).format(condition=sql.SQL(_CONDITIONS[request.only]))


def _values(fingerprint: str, request: RestatementRequest) -> dict[str, object]:
    return {
        "fingerprint": fingerprint,
        "types": list(request.note_types),
        "first": request.first_day,
        "last": request.last_day,
    }


def _decoded(raw: memoryview | None) -> str | None:
    """Return the text, or ``None``; what is not valid UTF-8 is quarantined under every engine."""
    try:
        return None if raw is None else bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        return None
