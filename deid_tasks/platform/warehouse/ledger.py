"""The ledger: what was published of each source note, from which version of it, and by which engine."""

import datetime
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812
from psycopg2.extras import execute_values

from deid_tasks.platform.warehouse.needed_records import mark_digest
from deid_tasks.platform.warehouse.record_digests import read_record_digests
from deid_tasks.platform.warehouse.statements import column_list, compose
from deid_tasks.platform.warehouse.work_list import Part, in_part, present_tables, work_days
from deid_tasks.settings import InstitutionSettings

PUBLISHING = "publishing"
"""Outcome of a note between the announcement and the end of a publication."""
EXCLUDED = "excluded"
PUBLISHED_OUTCOMES = frozenset({"published", "unchanged", PUBLISHING})
"""Outcomes of notes that may have a row in the published table."""


@dataclass(frozen=True, slots=True)
class NoteVersion:
    """What decides the published row of a note, beside its text and the engine."""

    patient_id: str | None
    note_type: str | None
    note_datetime: datetime.datetime
    author_id: str | None
    modified_at: datetime.datetime | None
    record_digest: str


@dataclass(frozen=True, slots=True)
class SourceNote:
    """A note as the source holds it now."""

    version: NoteVersion
    exclusion: str | None


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One note of the ledger; the columns are described in the migration."""

    note_id: str
    patient_id: str | None
    note_type: str | None
    note_datetime: datetime.datetime
    note_day: datetime.date
    author_id: str | None
    modified_at: datetime.datetime | None
    content_hash: str | None
    record_digest: str
    exclusion: str | None
    outcome: str
    reason: str
    fingerprint: str
    made_by: str
    output_hash: str | None
    entities: list[str]
    slice_key: str | None
    note_key: str | None
    run_id: str

    @property
    def is_published(self) -> bool:
        """Whether the published table may hold a row of the note."""
        return self.outcome in PUBLISHED_OUTCOMES and self.note_key is not None


@dataclass(frozen=True, slots=True)
class WorkItem:
    """One note of a run's work list, and what the publication did with it."""

    note_id: str
    note_day: datetime.date
    cause: str
    is_removal: bool
    result: str | None = None
    slice_key: str | None = None
    note_key: str | None = None
    former_slice_key: str | None = None
    former_note_key: str | None = None
    outcome: str | None = None
    """What the ledger says of the note once it is published; ``None`` where its shard's row does not count."""


_LEDGER = tuple(field.name for field in fields(LedgerRow))
_ITEM = tuple(field.name for field in fields(WorkItem))


def read_work(connection: Connection, settings: InstitutionSettings, run_id: str, part: Part = "all") -> list[WorkItem]:
    """Return the run's work list, or a part of it, in order of day and note."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select {columns} from {results}.run_note as w where w.run_id = %s {in_part}"
                " order by note_day, note_id",
                settings,
                columns=column_list(_ITEM),
                in_part=in_part(part),
            ),
            (run_id,),
        )
        return [WorkItem(*row) for row in cursor.fetchall()]


def write_results(
    connection: Connection, settings: InstitutionSettings, run_id: str, items: Iterable[WorkItem]
) -> None:
    """Record what the publication does with notes of the work list."""
    with connection.cursor() as cursor:
        execute_values(
            cursor,
            compose(
                """
                update {results}.run_note as n set
                    result = x.result, cause = x.cause, slice_key = x.slice_key, note_key = x.note_key,
                    outcome = x.outcome,
                    former_slice_key = coalesce(x.former_slice_key, n.former_slice_key),
                    former_note_key = coalesce(x.former_note_key, n.former_note_key)
                from (values %s) as x (
                    run_id, note_id, result, cause, slice_key, note_key, outcome, former_slice_key, former_note_key
                )
                where n.run_id = x.run_id and n.note_id = x.note_id
                """,
                settings,
            ),
            [
                (
                    *(run_id, i.note_id, i.result, i.cause, i.slice_key, i.note_key, i.outcome),
                    *(i.former_slice_key, i.former_note_key),
                )
                for i in items
            ],
            page_size=1_000,
        )


def written_notes(connection: Connection, settings: InstitutionSettings, run_id: str, part: Part) -> set[str]:
    """Return the notes of a part of the run that get a row of the published table."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select note_id from {results}.run_note as w where w.run_id = %s and w.result = 'written' {in_part}",
                settings,
                in_part=in_part(part),
            ),
            (run_id,),
        )
        return {note for (note,) in cursor.fetchall()}


def read_ledger(
    connection: Connection, settings: InstitutionSettings, run_id: str, part: Part = "all"
) -> dict[str, LedgerRow]:
    """Return the ledger's rows of the notes on the run's work list, or on a part of it, by note."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                "select {columns} from {results}.note_ledger"
                " where note_id in (select w.note_id from {results}.run_note as w where w.run_id = %s {in_part})",
                settings,
                columns=column_list(_LEDGER),
                in_part=in_part(part),
            ),
            (run_id,),
        )
        return {row[0]: LedgerRow(*row) for row in cursor.fetchall()}


def read_present(
    connection: Connection, settings: InstitutionSettings, run_id: str, seed: int, part: Part = "all"
) -> dict[str, SourceNote]:
    """Return the notes of the run's work list, or of a part of it, as the source holds them now, by note.

    A note that the source lacks, or has on another day than the work list says, is left out.
    """
    found: dict[str, SourceNote] = {}
    for day in work_days(connection, settings, run_id, part):
        with connection.cursor() as cursor:
            cursor.execute(
                _present_statement(settings, part),
                {"run_id": run_id, "day": day, "next": day + datetime.timedelta(days=1)},
            )
            rows = cursor.fetchall()
        digests = read_record_digests(connection, settings, seed, {row[1] for row in rows if row[1] is not None})
        for note_id, patient, kind, moment, author, modified, exclusion in rows:
            digest = mark_digest(settings, digests.get(patient, ""), kind)
            version = NoteVersion(patient, kind, moment, author, modified, digest)
            found[note_id] = SourceNote(version, exclusion)
    return found


def _present_statement(settings: InstitutionSettings, part: Part) -> sql.Composed:
    is_planned = compose(
        """
        and n.note_datetime >= %(day)s and n.note_datetime < %(next)s
        and exists (
            select 1 from {results}.run_note as w
            where w.run_id = %(run_id)s and w.note_day = %(day)s and w.note_id = n.note_id {in_part}
        )
        """,
        settings,
        in_part=in_part(part),
    )
    return sql.SQL(
        """
        with {present}
        select p.note_id, p.patient_id, p.note_type, p.note_datetime, p.author_id, p.modified_at, p.exclusion
        from present as p
        """
    ).format(present=present_tables(settings, is_planned))


def upsert_ledger(connection: Connection, settings: InstitutionSettings, rows: Iterable[LedgerRow]) -> None:
    """Write rows of the ledger in place of the former ones of the same notes."""
    others = [name for name in _LEDGER if name != "note_id"]
    with connection.cursor() as cursor:
        execute_values(
            cursor,
            compose(
                """
                insert into {results}.note_ledger ({columns}) values %s
                on conflict (note_id) do update set {assignments}, updated_at = now()
                """,
                settings,
                columns=column_list(_LEDGER),
                assignments=sql.SQL(", ").join(
                    sql.SQL("{0} = excluded.{0}").format(sql.Identifier(name)) for name in others
                ),
            ),
            [astuple(row) for row in rows],
            page_size=1_000,
        )


def end_publication(connection: Connection, settings: InstitutionSettings, run_id: str) -> None:
    """Write the outcomes of the run's written notes, which the ledger has as ``publishing`` until then."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                update {results}.note_ledger as l set outcome = w.outcome, note_key = w.note_key, updated_at = now()
                from {results}.run_note as w
                where w.run_id = %s and w.outcome is not null and w.note_id = l.note_id
                """,
                settings,
            ),
            (run_id,),
        )


def forget_notes(connection: Connection, settings: InstitutionSettings, note_ids: Iterable[str]) -> None:
    """Delete the ledger's rows of these notes."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose("delete from {results}.note_ledger where note_id = any(%s)", settings), (sorted(note_ids),)
        )


def unplanned_keys(connection: Connection, settings: InstitutionSettings, run_id: str) -> set[str]:
    """Return the keys of published notes of the run's whole days that are not on its work list."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select note_key from {results}.note_ledger as l
                where note_key is not null
                    and note_day in (select note_day from {results}.run_day where run_id = %(run_id)s)
                    and not exists (
                        select 1 from {results}.run_note as w where w.run_id = %(run_id)s and w.note_id = l.note_id
                    )
                """,
                settings,
            ),
            {"run_id": run_id},
        )
        return {key for (key,) in cursor.fetchall()}


def lock_publication(connection: Connection, settings: InstitutionSettings) -> None:
    """Wait until no other run of the institution publishes; the lock ends with the connection."""
    with connection.cursor() as cursor:
        cursor.execute("select pg_advisory_lock(hashtextextended(%s, 0))", (f"publish {settings.institution}",))
