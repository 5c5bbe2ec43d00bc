"""De-identified files to outcome rows, audit, and the gate."""

import datetime
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import GateError
from deid_tasks.core.notes import Amounts, Outcome
from deid_tasks.engine.audit import audit
from deid_tasks.evidence.gate import RunFigure, Verdict, check_tables, drift_reasons, judge_run, run_checks
from deid_tasks.platform.runs.certificates import valid_certificate
from deid_tasks.platform.runs.reviews import review_reasons
from deid_tasks.platform.warehouse import connect, count_notes, read_patients
from deid_tasks.platform.warehouse.results import (
    AuditRow,
    NoteOutcome,
    RunRow,
    replace_outcomes,
    replace_run,
    replace_run_counts,
    replace_run_figures,
)
from deid_tasks.platform.workspace import fingerprint_of, read_batches, shard_files
from deid_tasks.settings import InstitutionSettings, Secrets


@dataclass
class _Tally:
    """What the shard files hold, counted."""

    counts: Counter[str] = field(default_factory=Counter)
    amounts: defaultdict[str, Amounts] = field(default_factory=lambda: defaultdict(Amounts))
    """By note type."""
    outcomes: list[NoteOutcome] = field(default_factory=list, repr=False)
    audited: list[AuditRow] = field(default_factory=list, repr=False)


def reconcile_run(
    settings: InstitutionSettings,
    secrets: Secrets,
    run_id: str,
    start: datetime.datetime,
    end: datetime.datetime,
    shards: list[dict[str, Any]],
) -> dict[str, Any]:
    """Write the outcome rows, audit again what would be published, and run the gate.

    What it returns says in ``review`` why a person must see the run first; that stops nothing here, but ``publish`` waits for it.

    Raises:
        GateError: a figure falls short, or there is no valid certificate; its text names each. Nothing is published.
    """
    files = shard_files(settings, run_id, len(shards))
    marked = fingerprint_of(files)
    uri = secrets.text(settings.warehouse.connection)
    with connect(uri) as connection:
        tally = _tally(connection, settings, run_id, marked, files)
        replace_outcomes(connection, settings, run_id, tally.outcomes, tally.audited)
        notes_read = count_notes(connection, settings, start, end)
        certificate: dict[str, Any] = {}
        refusal: tuple[str, ...] = ()
        try:
            certificate = valid_certificate(connection, settings, secrets, marked)
        except GateError as error:
            refusal = (str(error).removeprefix(f"{settings.institution}: "),)
        figures = _drift(settings, tally, certificate)
        replace_run_figures(connection, settings, run_id, ({**asdict(f), "is_held": f.is_held} for f in figures))
        replace_run_counts(connection, settings, run_id, _counts(shards))
        review = review_reasons(connection, settings, run_id, marked, drift_reasons(figures)) if certificate else []
        counts = tally.counts
        run = RunRow(
            run_id,
            settings.institution,
            start,
            end,
            marked,
            certificate.get("certificate_id", ""),
            notes_read,
            counts[Outcome.PUBLISHED],
            counts[Outcome.UNCHANGED],
            counts[Outcome.QUARANTINED],
            sum(amounts.words for amounts in tally.amounts.values()),
            round(sum(float(shard["seconds"]) for shard in shards), 3),
            json.dumps(review),
        )
        replace_run(connection, settings, run)
    # Great Expectations reads what is committed.
    verdict = check_tables(
        f"{settings.institution} run",
        uri,
        settings.schema_name("results"),
        run_checks(settings.gate, run_id, notes_read),
        Path(settings.gate.data_docs) if settings.gate.data_docs else None,
    ) + Verdict(refusal)
    if verdict.failures:
        raise GateError(f"{settings.institution}: nothing is published: {'; '.join(verdict.failures)}")
    return {
        "shards": len(shards),
        "notes_read": notes_read,
        "published": counts[Outcome.PUBLISHED] + counts[Outcome.UNCHANGED],
        "quarantined": counts[Outcome.QUARANTINED],
        "fingerprint": marked,
        "certificate": run.certificate_id,
        "warnings": list(verdict.warnings),
        "review": review,
    }


def _counts(shards: Iterable[dict[str, Any]]) -> list[tuple[str, str, int]]:
    """What recovery gave back, by entity, and what became of the sentences of the neural pass, over all shards."""
    recovered: Counter[str] = Counter()
    sentences: Counter[str] = Counter()
    for shard in shards:
        recovered.update(shard.get("recovered", {}))
        sentences.update(shard.get("sentences", {}))
    return [
        *(("recovered_spans", entity, count) for entity, count in sorted(recovered.items())),
        *((f"sentences_{name}", "", count) for name, count in sorted(sentences.items())),
    ]


def _tally(
    connection: Connection, settings: InstitutionSettings, run_id: str, marked: str, files: list[Path]
) -> _Tally:
    tally = _Tally()
    for batch in read_batches(files):
        rows = batch.to_pylist()
        patients = read_patients(connection, settings, filter(None, (row["patient_id"] for row in rows)))
        for row in rows:
            tally.counts[row["outcome"]] += 1
            kind = row["note_type"] or ""
            tally.amounts[kind] = tally.amounts[kind].plus(
                Amounts(row["words"], len(row["spans"] or ()), row["changed_words"], row["agreed_spans"])
            )
            tally.outcomes.append(_outcome(run_id, row, marked))
            tally.audited.extend(_findings(run_id, row, row["findings"] or (), is_published=False))
            if row["deid_text"] is not None:
                # A second look, at what the file holds rather than at what the worker said of it.
                found = audit(row["deid_text"], patients.get(row["patient_id"]), ())
                second = [{"kind": str(f.kind), "start": f.start, "end": f.end} for f in found]
                tally.audited.extend(_findings(run_id, row, second, is_published=True))
    return tally


def _findings(
    run_id: str, row: dict[str, Any], findings: Iterable[dict[str, Any]], *, is_published: bool
) -> Iterator[AuditRow]:
    for finding in findings:
        yield AuditRow(run_id, row["note_id"], finding["kind"], finding["start"], finding["end"], is_published)


def _drift(settings: InstitutionSettings, tally: _Tally, certificate: dict[str, Any]) -> list[RunFigure]:
    if not certificate or not settings.gate.drift.enabled:
        return []
    return judge_run(tally.amounts, certificate["baseline"], settings.gate.drift)


def _outcome(run_id: str, row: dict[str, Any], marked: str) -> NoteOutcome:
    return NoteOutcome(
        run_id,
        row["note_id"],
        row["outcome"],
        row["reason"],
        marked,
        row["words"],
        len(row["spans"] or ()),
        row["milliseconds"],
    )
