"""The report on one release: figures of this institution's own text, for the expert who decides about its risk."""

import datetime
import importlib.metadata
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from deid_tasks.core.detectors import DetectorName
from deid_tasks.core.errors import DeidError, GateError, InputError
from deid_tasks.core.files import make_folder, write_atomically
from deid_tasks.core.identity import PLATFORM, Identity
from deid_tasks.engine.fingerprint import library_versions
from deid_tasks.engine.parts import EngineParts
from deid_tasks.evidence.release import SignedReport, issue_report, render_release, verify_report
from deid_tasks.platform.publish.released import Snapshot, present_snapshot, released_columns, released_treatments
from deid_tasks.platform.runs.audit_log import verify_audit_log
from deid_tasks.platform.runs.certificates import valid_certificate
from deid_tasks.platform.runs.institution_engine import institution_obfuscator, load_engine
from deid_tasks.platform.runs.promotion import pin_of
from deid_tasks.platform.runs.release_facts import growth_facts, patients_by_type, policy_facts, reversal_facts
from deid_tasks.platform.runs.release_risk import disclosure, residual, surrogate_attack
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.promoted_engines import PromotedEngine, promoted_engines
from deid_tasks.platform.warehouse.release_figures import (
    dictionary_sizes,
    read_compared_systems,
    read_evaluation,
    read_gold_decisions,
    read_release_counts,
)
from deid_tasks.platform.workspace import SharedFiles, work_dir
from deid_tasks.settings import InstitutionSettings, Secrets

_FOLDER = "release"
_NOTE_COLUMNS = ("note_key", "patient_key", "author_key", "note_type", "note_datetime", "slice_key")
_PACKAGE = "palimpsest-deid"


@logged_step
def make_release_report(
    settings: InstitutionSettings, secrets: Secrets, now: datetime.datetime, person: Identity = PLATFORM
) -> SignedReport:
    """Measure the present release, and return the signed report; a copy stays in ``work_dir`` for the next one.

    The published tables are read without their texts, ``_results`` and ``_gold`` by the roles ``publish`` and
    ``evidence``. Gold notes are read for the attack on surrogates, and nothing of them enters the report.

    Args:
        settings: The institution.
        secrets: Its secrets, the signing key among them.
        now: The time of the report.
        person: Who makes it.

    Raises:
        GateError: nothing was published, or the engine of the release has no valid certificate.
        PublishError: the published tables cannot be read.
    """
    snapshot = present_snapshot(settings, secrets)
    if snapshot is None:
        raise GateError(f"{settings.institution}: nothing is published; there is no release to report on")
    signing_key = secrets.text(settings.gate.signing_key)
    content = _content(settings, secrets, snapshot, now)
    earlier = stored_reports(settings, secrets)
    content["issued_by"] = {"name": person.name, "source": person.source}
    content["overlap"] = _overlap(settings, secrets, snapshot, earlier)
    content["changes"] = _changes(content, earlier[-1].content) if earlier else None
    report = issue_report(content, signing_key)
    store_report(settings, secrets, report)
    return report


def stored_reports(settings: InstitutionSettings, secrets: Secrets) -> list[SignedReport]:
    """Return the reports that were made before, the oldest first; files that are no valid reports are left out."""
    shared, folder = SharedFiles(settings, secrets), work_dir(settings) / _FOLDER
    key = secrets.text(settings.gate.verification_key)
    found = []
    for name in shared.names(folder):
        if not name.endswith(".json"):
            continue
        try:
            report = SignedReport.of_file(shared.fetch(folder / name).read_text(encoding="utf-8"))
            verify_report(report, key)
        except GateError:
            continue
        found.append(report)
    return sorted(found, key=lambda one: str(one.content["issued_at"]))


def store_report(settings: InstitutionSettings, secrets: Secrets, report: SignedReport) -> Path:
    """Store a report in ``work_dir``, and return the path of its JSON."""
    folder = make_folder(work_dir(settings) / _FOLDER)
    stamp = str(report.content["issued_at"])[:19].replace(":", "")
    path = folder / f"{stamp}-{report.sha256[:12]}.json"
    write_atomically(path, report.file())
    SharedFiles(settings, secrets).share(path)
    return path


def write_report_files(report: SignedReport, folder: Path) -> tuple[Path, Path]:
    """Write ``release_report.json`` and ``release_report.html`` into a folder; return both paths.

    Raises:
        InputError: the folder cannot be made.
        StorageError: a file cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}; give another folder") from None
    document, page = folder / "release_report.json", folder / "release_report.html"
    write_atomically(document, report.file())
    write_atomically(page, render_release(report))
    return document, page


def _content(
    settings: InstitutionSettings, secrets: Secrets, snapshot: Snapshot, now: datetime.datetime
) -> dict[str, Any]:
    notes = released_columns(settings, secrets, _NOTE_COLUMNS, snapshot.snapshot_id)
    if notes is None or not notes.num_rows:
        raise GateError(f"{settings.institution}: the published table has no note; there is no release to report on")
    with connect(secrets.text(settings.warehouse.connection_of("publish"))) as connection:
        counts = read_release_counts(connection, settings)
        main = next((row for row in counts["engines"] if row["certificate_id"]), None)
        if main is None:
            raise GateError(f"{settings.institution}: the ledger names no promoted engine; run `deid ledger`")
        certificate = valid_certificate(connection, settings, secrets, main["fingerprint"])
        promoted = {one.fingerprint: one for one in promoted_engines(connection, settings)}
        figures = read_evaluation(connection, settings, str(certificate["evaluation_id"]))
        compared = read_compared_systems(connection, settings, str(certificate["evaluation_id"]))
    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        gold = [
            one | read_gold_decisions(connection, settings, str(one["gold_version"]))
            for one in certificate["evaluated"]
        ]
        dictionaries = dictionary_sizes(connection, settings)
    types = Counter(kind or "" for kind in notes["note_type"].to_pylist())
    engine = _engine_of(settings, secrets, promoted[main["fingerprint"]])
    return {
        "institution": settings.institution,
        "title": settings.title,
        "issued_at": now.isoformat(timespec="seconds"),
        "reassess_at": (now + datetime.timedelta(days=settings.release.reassess_days)).date().isoformat(),
        "package": importlib.metadata.version(_PACKAGE),
        "release": {
            "table": settings.publish.table,
            "snapshot_id": str(snapshot.snapshot_id),
            "committed_at": snapshot.committed_at.isoformat(timespec="seconds"),
            "notes": notes.num_rows,
            "patients": pc.count_distinct(notes["patient_key"]).as_py(),
            "authors": pc.count_distinct(notes["author_key"]).as_py(),
            "written": counts["written"][0],
            "days": pc.count_distinct(notes["slice_key"]).as_py(),
            "note_types": dict(types.most_common()),
            "patients_by_type": patients_by_type(notes),
            "tables": _texts(counts["tables"]),
            "columns": released_treatments(settings, secrets),
            "timing": counts["timing"][0],
            "growth": growth_facts(settings, counts["pace"][0], now),
        },
        "context": settings.release.model_dump(mode="json"),
        "policy": policy_facts(settings),
        "reversal": reversal_facts(settings),
        "lineage": {
            "engines": _texts(counts["engines"]),
            "detectors": [str(name) for name in settings.detect.detectors],
            "models": [
                {"model": Path(stage.model).name, "role": role}
                for model in settings.detect.transformers
                if DetectorName.TRANSFORMER in settings.detect.detectors
                for role, stage in (
                    ("sentence filter", model.sentence_filter),
                    ("first stage", model),
                    ("second stage", model.second_stage),
                )
                if stage is not None
            ],
            "model_hashes": list(engine.model_hashes) if engine else None,
            "libraries": library_versions(),
            "dictionaries": dictionaries,
        },
        "certificate": {
            name: certificate[name]
            for name in ("certificate_id", "fingerprint", "issued_at", "verdict", "thresholds", "warnings")
        },
        "gold": gold,
        "figures": figures,
        "compared": compared,
        "safeguards": {
            **{name: _texts(counts[name]) for name in ("outcomes", "runs", "repeats", "findings", "acts")},
            "log": _audit_verdict(settings, secrets),
        },
        "residual": residual(settings, secrets, str(certificate["evaluation_id"]), notes),
        "disclosure": disclosure(settings, secrets, notes, snapshot.snapshot_id),
        "attack": surrogate_attack(settings, secrets, institution_obfuscator(settings, secrets), engine),
        "is_present_engine": engine is not None,
    }


def _engine_of(settings: InstitutionSettings, secrets: Secrets, promoted: PromotedEngine) -> EngineParts | None:
    """Return an engine; ``None`` where code or settings have changed since, or a file of it is missing."""
    try:
        return load_engine(settings, secrets, pin_of(promoted))
    except DeidError:
        return None


def _audit_verdict(settings: InstitutionSettings, secrets: Secrets) -> dict[str, int] | None:
    """Return what the audit log's verification finds; ``None`` where this process may not read the log."""
    try:
        verdict = verify_audit_log(settings, secrets)
    except DeidError:
        return None
    return {"rows": verdict.rows, "signed": verdict.signed, "findings": len(verdict.findings)}


def _texts(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows with times as text."""
    return [
        {key: value.isoformat(timespec="seconds") if isinstance(value, datetime.datetime) else _number(value)
         for key, value in row.items()}
        for row in rows
    ]  # fmt: skip


def _number(value: Any) -> Any:
    return int(value) if type(value).__name__ == "Decimal" else value


def _overlap(
    settings: InstitutionSettings, secrets: Secrets, snapshot: Snapshot, earlier: list[SignedReport]
) -> list[dict[str, Any]]:
    """Return, for each reported release before this one, how many of its notes and patients this one shares."""
    columns = ("note_key", "patient_key")
    present = released_columns(settings, secrets, columns, snapshot.snapshot_id)
    assert present is not None
    now = {name: set(present[name].to_pylist()) - {None} for name in columns}
    rows = []
    for report in {str(one.content["release"]["snapshot_id"]): one for one in earlier}.values():
        release: Mapping[str, Any] = report.content["release"]
        row: dict[str, Any] = {
            "issued_at": report.content["issued_at"],
            "snapshot_id": release["snapshot_id"],
            "notes": release["notes"],
            "patients": release["patients"],
            "is_same": release["snapshot_id"] == str(snapshot.snapshot_id),
        }
        former = released_columns(settings, secrets, columns, int(release["snapshot_id"]))
        if former is not None:
            before = {name: set(former[name].to_pylist()) - {None} for name in columns}
            row |= {
                "notes_in_both": len(now["note_key"] & before["note_key"]),
                "notes_new": len(now["note_key"] - before["note_key"]),
                "notes_gone": len(before["note_key"] - now["note_key"]),
                "patients_in_both": len(now["patient_key"] & before["patient_key"]),
            }
        rows.append(row)
    return rows


_COMPARED = {
    "notes": ("release", "notes"),
    "patients": ("release", "patients"),
    "engine": ("certificate", "fingerprint"),
    "certificate": ("certificate", "certificate_id"),
    "expected residual identifiers": ("residual", "identifiers"),
    "notes expected to hold one": ("residual", "notes"),
    "policy and surrogates": ("policy",),
    "recipients and their environment": ("context",),
    "software": ("package",),
    "libraries": ("lineage", "libraries"),
    "dictionaries": ("lineage", "dictionaries"),
}


def _changes(content: Mapping[str, Any], former: Mapping[str, Any]) -> dict[str, Any]:
    """Return what differs from the report before."""
    rows = []
    for name, path in _COMPARED.items():
        before, after = (_at(one, path) for one in (former, content))
        if json.dumps(before, sort_keys=True, default=str) != json.dumps(after, sort_keys=True, default=str):
            rows.append({"what": name, "before": before, "after": after})
    return {"since": former["issued_at"], "rows": rows}


def _at(content: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        content = content.get(name) if isinstance(content, Mapping) else None
    return content
