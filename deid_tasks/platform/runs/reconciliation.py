"""De-identified files to outcome rows, a second audit, and the gate."""

import datetime
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import GateError
from deid_tasks.core.notes import Amounts, Outcome
from deid_tasks.engine.audit.record_audit import FindingKind, audit
from deid_tasks.evidence.gate import (
    RunFigure,
    Verdict,
    amounts_of,
    check_tables,
    drift_reasons,
    judge_run,
    judge_window,
    run_checks,
)
from deid_tasks.platform.runs.certificates import valid_certificate
from deid_tasks.platform.runs.commit_plan import read_version
from deid_tasks.platform.runs.pseudonyms import digest_seed
from deid_tasks.platform.runs.reports import EnginePin, GateReport, ReviewReason, RunKind, ShardReport
from deid_tasks.platform.runs.reviews import review_reasons
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.runs.volumes import is_large_change, volume_reasons
from deid_tasks.platform.warehouse import connect, read_patients
from deid_tasks.platform.warehouse.ledger import SourceNote, read_present, read_work
from deid_tasks.platform.warehouse.missing_notes import count_published
from deid_tasks.platform.warehouse.results import (
    AuditRow,
    NoteOutcome,
    RunRow,
    add_outcomes,
    delete_outcomes,
    earlier_figures,
    replace_run,
    replace_run_counts,
    replace_run_figures,
)
from deid_tasks.platform.warehouse.work_list import Part, whole_days, work_days
from deid_tasks.platform.workspace import RunFiles, run_dir, shard_count
from deid_tasks.settings import InstitutionSettings, Secrets


@dataclass
class _Tally:
    """Counts of all shard files of a run."""

    counts: Counter[str] = field(default_factory=Counter)
    quarantined: Counter[str] = field(default_factory=Counter)
    """Quarantined notes by reason."""
    amounts: defaultdict[str, Amounts] = field(default_factory=lambda: defaultdict(Amounts))
    """By note type."""
    missing: int = 0
    """Planned notes without an outcome, although the source still holds them."""


def shards_of_last_plan(shards: list[ShardReport]) -> list[ShardReport]:
    """Return the reports of the plan that was made last, in the order of their shards.

    Where a run is planned again with fewer shards, Airflow still hands over the reports of the tasks that it removed.
    The first shard is in every plan, and its report is the newest one: its file names how many shards there are.
    """
    ordered = sorted(shards, key=lambda shard: shard["file"])
    counts = [shard_count(shard["file"]) for shard in ordered]
    return [shard for shard, count in zip(ordered, counts, strict=True) if count == counts[0]]


@logged_step
def reconcile_run(
    settings: InstitutionSettings,
    secrets: Secrets,
    run_id: str,
    pin: EnginePin,
    kind: RunKind,
    shards: list[ShardReport],
) -> GateReport:
    """Write the outcome rows, audit again what would be published, and run the gate.

    Args:
        settings: The institution.
        secrets: Its secrets.
        run_id: The run.
        pin: The run's engine.
        kind: The kind of the run.
        shards: What ``process_shard`` returned for each shard.

    Returns:
        Counts, fingerprint and certificate of the run. ``review`` says why a person must see the run before
        ``publish_notes``.

    Raises:
        GateError: a figure falls short, or there is no valid certificate; the text names each. Nothing is published.
    """
    uri = secrets.text(settings.warehouse.connection_of("publish"))
    run = RunFiles(settings, secrets, run_dir(settings, run_id))
    shards = shards_of_last_plan(shards)
    names = [shard["file"] for shard in shards]
    with connect(uri) as connection:
        with run.opened(names) as files:
            fingerprint = run.fingerprint_of(files)
            if fingerprint != pin["fingerprint"]:
                raise GateError(
                    f"{settings.institution}: the run's shards were made by engine {fingerprint}, and the run has"
                    f" pinned {pin['fingerprint']} since; clear its shard tasks"
                )
            tally = _Tally()
            delete_outcomes(connection, settings, run_id)
            parts: list[Part] = ["unassigned", *range(len(files))]
            for part in parts:
                present = read_present(connection, settings, run_id, digest_seed(settings, secrets), part)
                batches = run.read_batches([files[part]] if isinstance(part, int) else [])
                read = _read_shard(connection, settings, run_id, fingerprint, batches, present, tally)
                work = read_work(connection, settings, run_id, part)
                lacking = {item.note_id for item in work if not item.is_removal} - read
                tally.missing += sum(note in present and present[note].exclusion is None for note in lacking)
        notes_read = tally.counts.total() + tally.missing
        days = whole_days(connection, settings, run_id) or work_days(connection, settings, run_id)
        if not days:
            raise GateError(f"{settings.institution}: the run has no work list any more; clear its task that plans it")
        certificate: dict[str, Any] = {}
        refusal: tuple[str, ...] = ()
        try:
            certificate = valid_certificate(connection, settings, secrets, fingerprint)
        except GateError as error:
            refusal = (str(error).removeprefix(f"{settings.institution}: "),)
        # A day is judged, and so are changes where they are many; the few notes of another run are not.
        is_large = kind == "changes" and is_large_change(settings, notes_read, count_published(connection, settings))
        figures: list[RunFigure] = []
        if kind == "notes" or is_large:
            figures = _drift(connection, settings, run_id, days, tally, certificate, is_whole=kind == "notes")
        volume = volume_reasons(connection, settings, run_id) if kind == "notes" else []
        replace_run_figures(connection, settings, run_id, ({**asdict(f), "is_held": f.is_held} for f in figures))
        replace_run_counts(connection, settings, run_id, _run_counts(shards, tally.quarantined))
        review: list[ReviewReason] = []
        if certificate:
            review = review_reasons(connection, settings, secrets, run_id, fingerprint, drift_reasons(figures), volume)
        counts = tally.counts
        row = RunRow(
            run_id,
            settings.institution,
            datetime.datetime.combine(days[0], datetime.time()),
            datetime.datetime.combine(days[-1], datetime.time()) + datetime.timedelta(days=1),
            fingerprint,
            certificate.get("certificate_id", ""),
            notes_read,
            counts[Outcome.PUBLISHED],
            counts[Outcome.UNCHANGED],
            counts[Outcome.QUARANTINED],
            sum(amounts.words for amounts in tally.amounts.values()),
            round(sum(float(shard["seconds"]) for shard in shards), 3),
            json.dumps(review),
            kind,
        )
        replace_run(connection, settings, row)
    # Great Expectations reads committed rows only.
    verdict = check_tables(
        f"{settings.institution} run",
        uri,
        settings.schema_name("results"),
        run_checks(settings.gate, run_id, notes_read, is_whole=kind == "notes"),
        Path(settings.gate.data_docs) if settings.gate.data_docs else None,
    ) + Verdict(refusal)
    if verdict.failures:
        raise GateError(f"{settings.institution}: nothing is published: {'; '.join(verdict.failures)}")
    return {
        "kind": kind,
        "files": names,
        "notes_read": notes_read,
        "published": counts[Outcome.PUBLISHED] + counts[Outcome.UNCHANGED],
        "quarantined": counts[Outcome.QUARANTINED],
        "fingerprint": fingerprint,
        "certificate": row.certificate_id,
        "warnings": list(verdict.warnings),
        "review": review,
    }


def _run_counts(shards: Iterable[ShardReport], quarantined: Mapping[str, int]) -> list[tuple[str, str, int]]:
    """Return measure, entity and value of each count of a run: recovered spans by entity, replaced values that stood
    elsewhere, what a judge decided, sentences by how they were read, and quarantined notes by reason."""
    recovered: Counter[str] = Counter()
    sentences: Counter[str] = Counter()
    repeats: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    for shard in shards:
        recovered.update(shard.get("recovered", {}))
        sentences.update(shard.get("sentences", {}))
        repeats.update(shard.get("repeats", {}))
        judged.update(shard.get("judged", {}))
    return [
        *(("recovered_spans", entity, count) for entity, count in sorted(recovered.items())),
        *(_repeat_count(name, count) for name, count in sorted(repeats.items())),
        *(_judge_count(name, count) for name, count in sorted(judged.items())),
        *((f"sentences_{name}", "", count) for name, count in sorted(sentences.items())),
        *(("quarantined_notes", reason, count) for reason, count in sorted(quarantined.items())),
    ]


def _repeat_count(name: str, count: int) -> tuple[str, str, int]:
    """Return measure, category and value: ``note:repaired:NAME`` is counted in ``repeats_note_repaired``."""
    scope, status, category = name.split(":")
    return f"repeats_{scope}_{status}", category, count


def _judge_count(name: str, count: int) -> tuple[str, str, int]:
    """Return measure, category and value: ``kept:NAME`` is counted in ``judged_kept``, ``cached`` in
    ``judged_cached``."""
    measure, _, category = name.partition(":")
    return f"judged_{measure}", category, count


def _read_shard(
    connection: Connection,
    settings: InstitutionSettings,
    run_id: str,
    fingerprint: str,
    batches: Iterable[pa.RecordBatch],
    present: Mapping[str, SourceNote],
    tally: _Tally,
) -> set[str]:
    """Write the outcomes of a shard's file, count them, and return its notes.

    Each text that would be published is audited again. A note that has changed since it was read will not be published,
    and is not audited.
    """
    read: set[str] = set()
    for batch in batches:
        rows = batch.to_pylist()
        patients = read_patients(connection, settings, filter(None, (row["patient_id"] for row in rows)))
        audited: list[AuditRow] = []
        for row in rows:
            tally.counts[row["outcome"]] += 1
            if row["outcome"] == Outcome.QUARANTINED:
                tally.quarantined[row["reason"]] += 1
            kind = row["note_type"] or ""
            tally.amounts[kind] = tally.amounts[kind].plus(
                Amounts(row["words"], len(row["spans"] or ()), row["changed_words"], row["agreed_spans"])
            )
            audited.extend(_findings(run_id, row, row["findings"] or (), is_published=False))
            now = present.get(row["note_id"])
            if row["deid_text"] is not None and now is not None and now.version == read_version(row):
                # Audits what the file holds, independently of what the worker reported. Everyday words in surrogates
                # are left to the worker, which has the originals to compare them with.
                replaced = [(one["start"], one["end"]) for one in row["replacements"] or ()]
                found = audit(row["deid_text"], patients.get(row["patient_id"]), replaced)
                second = [
                    {"kind": str(f.kind), "start": f.start, "end": f.end}
                    for f in found
                    if not (f.in_surrogate and f.kind is FindingKind.NAME)
                ]
                audited.extend(_findings(run_id, row, second, is_published=True))
        add_outcomes(connection, settings, (_outcome(run_id, row, fingerprint) for row in rows), audited)
        read.update(row["note_id"] for row in rows)
    return read


def _findings(
    run_id: str, row: dict[str, Any], findings: Iterable[dict[str, Any]], *, is_published: bool
) -> Iterator[AuditRow]:
    for finding in findings:
        yield AuditRow(run_id, row["note_id"], finding["kind"], finding["start"], finding["end"], is_published)


def _drift(
    connection: Connection,
    settings: InstitutionSettings,
    run_id: str,
    days: Sequence[datetime.date],
    tally: _Tally,
    certificate: dict[str, Any],
    *,
    is_whole: bool,
) -> list[RunFigure]:
    """Return the figures of the run by note type, and of the window that ends with a whole day that is too small."""
    rules = settings.gate.drift
    if not certificate or not rules.enabled:
        return []
    figures = judge_run(tally.amounts, certificate["baseline"], rules)
    if not is_whole:
        return figures
    until = datetime.datetime.combine(days[0], datetime.time())
    first = until - datetime.timedelta(days=max(0, rules.window_days - len(days)))
    earlier: defaultdict[str, Amounts] = defaultdict(Amounts)
    for note_type, words, values in earlier_figures(connection, settings, run_id, first, until):
        earlier[note_type] = earlier[note_type].plus(amounts_of(words, values))
    return [*figures, *judge_window(figures, tally.amounts, earlier, certificate["baseline"], rules)]


def _outcome(run_id: str, row: dict[str, Any], fingerprint: str) -> NoteOutcome:
    return NoteOutcome(
        run_id,
        row["note_id"],
        row["outcome"],
        row["reason"],
        fingerprint,
        row["words"],
        len(row["spans"] or ()),
        row["milliseconds"],
        row.get("error_class"),
        row.get("error_location"),
    )
