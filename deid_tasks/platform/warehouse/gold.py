"""Gold sets: notes with settled spans, frozen under a version that is the hash of what they hold."""

import datetime
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from psycopg2.extensions import connection as Connection  # noqa: N812
from psycopg2.extras import execute_values

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError, WarehouseError
from deid_tasks.core.span import Span, check_spans
from deid_tasks.evidence.annotation import Decision
from deid_tasks.settings import Design, InstitutionSettings

_BATCH_NOTES = 500


@dataclass(frozen=True, slots=True)
class GoldSet:
    """Which gold notes, how they were drawn, and how well the annotators agreed on them."""

    version: str
    design: Design
    preannotated_by: str
    """Fingerprint of the engine whose findings the annotators saw; empty where they saw none."""
    notes: int
    kappa: float | None
    """Cohen's kappa of the two annotators, by word; ``None`` where no two people labelled the notes."""
    frozen_at: datetime.datetime
    sample_version: str = ""


@dataclass(frozen=True, slots=True)
class GoldRow:
    """One gold note."""

    note_id: str
    patient_id: str
    note_type: str
    text: str = field(repr=False)
    spans: tuple[Span, ...]
    period: str = ""


@dataclass(frozen=True, slots=True)
class SettledNote:
    """One note on its way into a gold set."""

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
    """Every frozen gold set, the newest first."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select gold_version, design, preannotated_by, notes, kappa, frozen_at, sample_version"
            f" from {settings.schema_name('gold')}.gold_set order by frozen_at desc, gold_version desc"
        )
        return [GoldSet(*row) for row in cursor]


def newest_gold_set(connection: Connection, settings: InstitutionSettings, design: Design) -> GoldSet:
    """The gold set of one design that was frozen last.

    Raises:
        WarehouseError: there is none; the text says what to run.
    """
    for gold in gold_sets(connection, settings):
        if gold.design == design:
            return gold
    name = settings.institution
    raise WarehouseError(
        f"{settings.schema_name('gold')}.gold_set has no {design} gold set; run sample__{name}, then gold__{name}"
    )


def read_gold(connection: Connection, settings: InstitutionSettings, gold: GoldSet) -> Iterator[GoldRow]:
    """The notes of one gold set, by note id, with their spans in order."""
    schema = settings.schema_name("gold")
    with connection.cursor(name="gold") as cursor:
        cursor.itersize = _BATCH_NOTES
        cursor.execute(
            f"""
            select n.note_id, coalesce(n.patient_id, ''), n.note_type, n.text, n.period,
                array_agg(s.start_offset order by s.start_offset) filter (where s.note_id is not null),
                array_agg(s.end_offset order by s.start_offset) filter (where s.note_id is not null),
                array_agg(s.entity order by s.start_offset) filter (where s.note_id is not null)
            from {schema}.gold_note n left join {schema}.gold_span s using (gold_version, note_id)
            where n.gold_version = %s
            group by n.note_id, n.patient_id, n.note_type, n.text, n.period
            order by n.note_id
            """,
            (gold.version,),
        )
        for note_id, patient_id, note_type, text, period, starts, ends, entities in cursor:
            spans = zip(starts or (), ends or (), entities or (), strict=True)
            yield GoldRow(
                note_id, patient_id, note_type, text, tuple(Span(a, b, Entity(e), "gold") for a, b, e in spans), period
            )


def freeze_gold_set(
    connection: Connection,
    settings: InstitutionSettings,
    notes: Iterable[SettledNote],
    *,
    design: Design,
    sample_version: str,
    preannotated_by: str = "",
    kappa: float | None = None,
) -> GoldSet:
    """Write a gold set, whole, in the caller's transaction; one that is there already is left as it is.

    The version is a hash of the notes, their spans and who decided them, the design and the sample, whatever the order of the
    notes. They are streamed into scratch tables, since the version is known only when the last one has been seen.

    Raises:
        InputError: the notes are none, a note comes twice, or its spans overlap or lie outside its text.
    """
    schema = settings.schema_name("gold")
    digests: dict[str, bytes] = {}
    stream = iter(notes)
    with connection.cursor() as cursor:
        for table in ("gold_note", "gold_span", "gold_decision"):
            cursor.execute(f"drop table if exists pg_temp.new_{table}")
            cursor.execute(
                f"create temporary table new_{table} on commit drop as select * from {schema}.{table} limit 0"
            )
        while batch := list(islice(stream, _BATCH_NOTES)):
            for note in batch:
                if note.note_id in digests:
                    raise InputError(f"note {note.note_id} comes twice in one gold set")
                digests[note.note_id] = _digest(note)
            _insert(cursor, batch)
        if not digests:
            raise InputError(f"a {design} gold set without a note cannot be frozen")
        version = _version(digests, design, sample_version, preannotated_by)
        cursor.execute(
            f"insert into {schema}.gold_set"
            " (gold_version, sample_version, design, preannotated_by, notes, kappa, frozen_at)"
            " values (%s, %s, %s, %s, %s, %s, clock_timestamp()) on conflict do nothing",
            (version, sample_version, design, preannotated_by, len(digests), kappa),
        )
        if cursor.rowcount:
            for table in ("gold_note", "gold_span", "gold_decision"):
                cursor.execute(f"update new_{table} set gold_version = %s", (version,))
                cursor.execute(f"insert into {schema}.{table} select * from new_{table}")
    return next(gold for gold in gold_sets(connection, settings) if gold.version == version)


def _insert(cursor: Any, notes: list[SettledNote]) -> None:
    rows: dict[str, list[tuple[object, ...]]] = {"gold_note": [], "gold_span": [], "gold_decision": []}
    for n in notes:
        rows["gold_note"].append(
            ("", n.note_id, n.patient_id, n.note_type, n.note_datetime, n.author_id, n.period, n.text)
        )
        rows["gold_span"] += [("", n.note_id, s.start, s.end, str(s.entity)) for s in n.spans]
        rows["gold_decision"] += [
            ("", n.note_id, d.start, d.end, str(d.entity or ""), str(d.basis), d.decided_by) for d in n.decisions
        ]
    columns = {
        "gold_note": "gold_version, note_id, patient_id, note_type, note_datetime, author_id, period, text",
        "gold_span": "gold_version, note_id, start_offset, end_offset, entity",
        "gold_decision": "gold_version, note_id, start_offset, end_offset, entity, basis, decided_by",
    }
    for table, values in rows.items():
        execute_values(cursor, f"insert into new_{table} ({columns[table]}) values %s", values, page_size=1_000)


def _digest(note: SettledNote) -> bytes:
    try:
        check_spans(note.spans, len(note.text))
    except ValueError as error:
        raise InputError(f"note {note.note_id}: {error}") from None
    content = (
        note.note_id,
        note.patient_id,
        note.note_type,
        str(note.note_datetime),
        note.author_id,
        note.period,
        note.text,
        [(s.start, s.end, str(s.entity)) for s in note.spans],
        sorted((d.start, d.end, str(d.entity or ""), str(d.basis), d.decided_by) for d in note.decisions),
    )
    return hashlib.sha256(json.dumps(content).encode()).digest()


def _version(digests: dict[str, bytes], design: str, sample_version: str, preannotated_by: str) -> str:
    digest = hashlib.sha256(json.dumps((design, sample_version, preannotated_by)).encode())
    for note_id in sorted(digests):
        digest.update(digests[note_id])
    return digest.hexdigest()[:16]
