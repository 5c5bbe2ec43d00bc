"""Gold sets: adjudicated notes, frozen under a version that is a hash of their content.

How the version is computed is a stable format: another one would refuse every gold set that was frozen before.
"""

import datetime
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Literal

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError, WarehouseError
from deid_tasks.core.span import Span, check_spans
from deid_tasks.evidence.annotation import Decision
from deid_tasks.evidence.sampling import hashed_name
from deid_tasks.platform.warehouse.copied_rows import insert_by_copy
from deid_tasks.platform.warehouse.statements import column_list, compose
from deid_tasks.settings import Design, InstitutionSettings

_BATCH_NOTES = 500
_COLUMNS = {
    "gold_note": ("gold_version", "note_id", "patient_id", "note_type", "note_datetime", "author_id", "period", "text"),
    "gold_span": ("gold_version", "note_id", "start_offset", "end_offset", "entity"),
    "gold_decision": ("gold_version", "note_id", "start_offset", "end_offset", "entity", "basis", "decided_by"),
}
"""The tables of a gold set's content, those that others refer to first."""


@dataclass(frozen=True, slots=True)
class GoldSet:
    """One frozen gold set: how its notes were drawn, and how well the annotators agreed on them."""

    version: str
    design: Design
    preannotated_by: str
    """Fingerprint of the engine whose spans the annotators saw; empty when they saw none."""
    notes: int
    kappa: float | None
    """Cohen's kappa of the two annotators, by word; ``None`` when the notes did not have two annotators."""
    frozen_at: datetime.datetime
    sample_version: str = ""
    written: Literal["", "frozen", "restored"] = field(default="", compare=False)
    """What ``freeze_gold_set`` wrote: nothing, a new gold set, or the content of one whose content had been changed."""


@dataclass(frozen=True, slots=True)
class GoldRow:
    """One gold note."""

    note_id: str
    patient_id: str
    note_type: str
    text: str = field(repr=False)
    spans: tuple[Span, ...]
    period: str = ""
    note_datetime: datetime.datetime | None = None


@dataclass(frozen=True, slots=True)
class NewGoldNote:
    """One adjudicated note, to be frozen in a gold set."""

    note_id: str
    patient_id: str | None
    note_type: str
    note_datetime: datetime.datetime | None
    author_id: str | None
    text: str = field(repr=False)
    spans: tuple[Span, ...]
    period: str = ""
    decisions: tuple[Decision, ...] = ()


def gold_sets(connection: Connection, settings: InstitutionSettings) -> list[GoldSet]:
    """Return every frozen gold set, the newest first."""
    with connection.cursor() as cursor:
        cursor.execute(
            compose(
                """
                select gold_version, design, preannotated_by, notes, kappa, frozen_at, sample_version
                from {gold}.gold_set order by frozen_at desc, gold_version desc
                """,
                settings,
            )
        )
        return [GoldSet(*row) for row in cursor]


def newest_gold_set(connection: Connection, settings: InstitutionSettings, design: Design) -> GoldSet:
    """Return the newest gold set of one design.

    Raises:
        WarehouseError: There is none; the text says what to run.
    """
    for gold in gold_sets(connection, settings):
        if gold.design == design:
            return gold
    name = settings.institution
    raise WarehouseError(
        f"{settings.schema_name('gold')}.gold_set has no {design} gold set; run sample__{name}, then gold__{name}"
    )


def gold_set_of(connection: Connection, settings: InstitutionSettings, version: str) -> GoldSet:
    """Return the gold set of a version.

    Raises:
        WarehouseError: There is none.
    """
    for gold in gold_sets(connection, settings):
        if gold.version == version:
            return gold
    raise WarehouseError(f"{settings.schema_name('gold')}.gold_set has no gold set {version}")


def read_gold(connection: Connection, settings: InstitutionSettings, gold: GoldSet) -> Iterator[GoldRow]:
    """Yield the notes of one gold set in order of their ids, each with its spans in order.

    The content is hashed before the first note is yielded, so that nothing is computed from a changed gold set.

    Raises:
        WarehouseError: The content is not what was frozen under this version; the text says what to do.
    """
    with connection.cursor(name="gold", scrollable=True) as cursor:
        found = _stored_version(cursor, settings, gold)
        if found != gold.version:
            schema, name = settings.schema_name("gold"), settings.institution
            raise WarehouseError(
                f"{name}: the {gold.design} gold set {gold.version} was changed after it was frozen: what {schema} has"
                f" now is version {found}; find out who wrote to gold_set, gold_note, gold_span and gold_decision of"
                f" {schema}, then restore them from a backup or run gold__{name}, which freezes what the annotators"
                " delivered"
            )
        # The cursor sees the rows of its first statement only: these are the notes that were hashed.
        cursor.scroll(0, mode="absolute")
        for note_id, patient_id, note_type, written_at, _, period, text, spans, _ in cursor:
            gold_spans = tuple(Span(start, end, Entity(entity), "gold") for start, end, entity in spans)
            yield GoldRow(note_id, patient_id or "", note_type, text, gold_spans, period, written_at)


def freeze_gold_set(
    connection: Connection,
    settings: InstitutionSettings,
    notes: Iterable[NewGoldNote],
    *,
    design: Design,
    sample_version: str,
    preannotated_by: str = "",
    kappa: float | None = None,
) -> GoldSet:
    """Write a gold set in the caller's transaction, and return it; a gold set that exists already stays as it is.

    The version is a hash of the notes, their spans and who decided them, the design and the sample; the order of the
    notes does not matter. The notes are streamed into temporary tables, since the version is known after the last note.
    Where the content of a gold set that exists does not have its version any more, these notes take its place.

    Args:
        connection: A connection to the warehouse.
        settings: The institution's settings.
        notes: The notes, each of them once.
        design: How the sample was drawn.
        sample_version: The sample that the notes come from; empty when there is none.
        preannotated_by: Fingerprint of the engine whose spans the annotators saw; empty when they saw none.
        kappa: Cohen's kappa of the two annotators, by word.

    Raises:
        InputError: There are no notes, a note comes twice, or its spans overlap or lie outside its text.
    """
    digests: dict[str, bytes] = {}
    stream = iter(notes)
    with connection.cursor() as cursor:
        _create_temporary_tables(cursor, settings)
        while batch := list(islice(stream, _BATCH_NOTES)):
            for note in batch:
                if note.note_id in digests:
                    raise InputError(f"note {note.note_id} comes twice in one gold set")
                digests[note.note_id] = _new_digest(note)
            _insert_notes(cursor, batch)
        if not digests:
            raise InputError(f"a {design} gold set without notes cannot be frozen")
        version = _version(digests, design, sample_version, preannotated_by)
        cursor.execute(
            compose(
                """
                insert into {gold}.gold_set
                    (gold_version, sample_version, design, preannotated_by, notes, kappa, frozen_at)
                values (%s, %s, %s, %s, %s, %s, clock_timestamp()) on conflict do nothing
                """,
                settings,
            ),
            (version, sample_version, design, preannotated_by, len(digests), kappa),
        )
        is_new = bool(cursor.rowcount)
        gold = gold_set_of(connection, settings, version)
        if is_new:
            _move_notes(cursor, settings, version)
            return replace(gold, written="frozen")
        with connection.cursor(name="frozen_gold") as reader:
            if _stored_version(reader, settings, gold) == version:
                return gold
        cursor.execute(compose("delete from {gold}.gold_note where gold_version = %s", settings), (version,))
        _move_notes(cursor, settings, version)
        return replace(gold, written="restored")


def count_gold_spans(connection: Connection, settings: InstitutionSettings, version: str) -> int:
    """Return the number of spans of a gold set."""
    with connection.cursor() as cursor:
        cursor.execute(compose("select count(*) from {gold}.gold_span where gold_version = %s", settings), (version,))
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def _stored_version(cursor: Any, settings: InstitutionSettings, gold: GoldSet) -> str:
    """Read a gold set with a named cursor, in the order of its notes' ids, and return the version of what is stored."""
    cursor.itersize = _BATCH_NOTES
    cursor.execute(
        compose(
            """
            select n.note_id, n.patient_id, n.note_type, n.note_datetime, n.author_id, n.period, n.text,
                (
                    select coalesce(json_agg(json_build_array(s.start_offset, s.end_offset, s.entity)
                        order by s.start_offset, s.end_offset), '[]')
                    from {gold}.gold_span as s where s.gold_version = n.gold_version and s.note_id = n.note_id
                ) as spans,
                (
                    select coalesce(json_agg(json_build_array(d.start_offset, d.end_offset, d.entity, d.basis,
                        d.decided_by)), '[]')
                    from {gold}.gold_decision as d where d.gold_version = n.gold_version and d.note_id = n.note_id
                ) as decisions
            from {gold}.gold_note as n where n.gold_version = %s order by n.note_id
            """,
            settings,
        ),
        (gold.version,),
    )
    digests = {row[0]: _digest(*row) for row in cursor}
    return _version(digests, gold.design, gold.sample_version, gold.preannotated_by)


def _create_temporary_tables(cursor: Any, settings: InstitutionSettings) -> None:
    for table in _COLUMNS:
        names = {"table": sql.Identifier(table), "new": sql.Identifier(f"new_{table}")}
        cursor.execute(compose("drop table if exists pg_temp.{new}", settings, **names))
        cursor.execute(
            compose(
                "create temporary table {new} on commit drop as select * from {gold}.{table} limit 0", settings, **names
            )
        )


def _move_notes(cursor: Any, settings: InstitutionSettings, version: str) -> None:
    """Move the content from the temporary tables to the gold set of this version."""
    for table, columns in _COLUMNS.items():
        cursor.execute(
            compose(
                "insert into {gold}.{table} ({columns}) select %s, {content} from {new}",
                settings,
                table=sql.Identifier(table),
                new=sql.Identifier(f"new_{table}"),
                columns=column_list(columns),
                content=column_list(columns[1:]),
            ),
            (version,),
        )


def _insert_notes(cursor: Any, notes: list[NewGoldNote]) -> None:
    """Insert the notes into the temporary tables, without a version."""
    rows: dict[str, list[tuple[object, ...]]] = {"gold_note": [], "gold_span": [], "gold_decision": []}
    for n in notes:
        rows["gold_note"].append(
            ("", n.note_id, n.patient_id, n.note_type, n.note_datetime, n.author_id, n.period, n.text)
        )
        rows["gold_span"] += [("", n.note_id, s.start, s.end, str(s.entity)) for s in n.spans]
        rows["gold_decision"] += [
            ("", n.note_id, d.start, d.end, str(d.entity or ""), str(d.basis), d.decided_by) for d in n.decisions
        ]
    for table, columns in _COLUMNS.items():
        insert_by_copy(cursor, sql.Identifier(f"new_{table}"), columns, rows[table])


def _new_digest(note: NewGoldNote) -> bytes:
    """Return the hash of a note to be frozen; raises ``InputError`` where its spans overlap or lie outside its text."""
    try:
        check_spans(note.spans, len(note.text))
    except ValueError as error:
        raise InputError(f"note {note.note_id}: {error}") from None
    return _digest(
        note.note_id,
        note.patient_id,
        note.note_type,
        note.note_datetime,
        note.author_id,
        note.period,
        note.text,
        [(s.start, s.end, str(s.entity)) for s in note.spans],
        [(d.start, d.end, str(d.entity or ""), str(d.basis), d.decided_by) for d in note.decisions],
    )


def _digest(
    note_id: str,
    patient_id: str | None,
    note_type: str,
    note_datetime: datetime.datetime | None,
    author_id: str | None,
    period: str,
    text: str,
    spans: Sequence[Sequence[Any]],
    decisions: Sequence[Sequence[Any]],
) -> bytes:
    """Return the hash of a note as it is stored; ``spans`` are in order, ``decisions`` in any."""
    moment = str(note_datetime)
    content = (note_id, patient_id, note_type, moment, author_id, period, text, spans, sorted(map(tuple, decisions)))
    return hashlib.sha256(json.dumps(content).encode()).digest()


def _version(digests: dict[str, bytes], design: str, sample_version: str, preannotated_by: str) -> str:
    digest = hashlib.sha256(json.dumps((hashed_name(design), sample_version, preannotated_by)).encode())
    for note_id in sorted(digests):
        digest.update(digests[note_id])
    return digest.hexdigest()[:16]
