"""Annotated and adjudicated notes to frozen gold sets, which the audit log names."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import GateError, InputError, WarehouseError
from deid_tasks.core.identity import PLATFORM, Identity
from deid_tasks.evidence.annotation import adjudicate_note
from deid_tasks.platform.audit_log import AuditEvent, AuditWriter, audited, is_trusted_row
from deid_tasks.platform.audit_log.adoption import gold_details, is_opened
from deid_tasks.platform.audit_log.chain import LogFinding, check_chain, details_of
from deid_tasks.platform.audit_log.signing import AuditKeys, check_signatures
from deid_tasks.platform.runs.annotation_progress import compare_finished_work, sample_report, survey_sample
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.annotations import DrawnNote, DrawnSample, drawn_samples, read_drawn
from deid_tasks.platform.warehouse.audit_log import audit_rows_of, read_audit_rows
from deid_tasks.platform.warehouse.audited_records import AUDITED_COLUMNS, record_hash
from deid_tasks.platform.warehouse.gold import (
    GoldSet,
    NewGoldNote,
    count_gold_spans,
    freeze_gold_set,
    gold_sets,
    newest_gold_set,
)
from deid_tasks.settings import Design, InstitutionSettings, Secrets


@logged_step
def freeze_gold_sets(
    settings: InstitutionSettings,
    secrets: Secrets,
    sample_versions: Sequence[str] = (),
    frozen_by: Identity = PLATFORM,
) -> list[dict[str, Any]]:
    """Freeze the gold set of every sample without open work; the same work gives the same version and changes nothing.

    The audit log names each gold set that is frozen, and each one whose changed content is replaced.

    Args:
        settings: The institution.
        secrets: Its secrets.
        sample_versions: Samples; if empty, the newest of each design.
        frozen_by: Who asked for it.

    Returns:
        Of each sample: the report that ``annotation_status`` gives, and ``gold_version``. Where work is open, the
        version is empty and ``waiting_for`` names the people and their open notes.
    """
    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        samples = drawn_samples(connection, settings, sample_versions)
    return [_freeze(settings, secrets, sample, frozen_by) for sample in samples]


def record_gold_set(
    audit: AuditWriter,
    settings: InstitutionSettings,
    notes: Iterable[NewGoldNote],
    frozen_by: Identity,
    *,
    design: Design,
    sample_version: str,
    preannotated_by: str = "",
    kappa: float | None = None,
) -> GoldSet:
    """Do what ``freeze_gold_set`` does, and add a row to the audit log where it wrote something.

    Raises:
        InputError: as ``freeze_gold_set``.
        SettingsError: the audit log is signed, and the audit key is not here.
    """
    connection = audit.connection
    earlier = [gold.version for gold in gold_sets(connection, settings) if gold.design == design]
    gold = freeze_gold_set(
        connection,
        settings,
        notes,
        design=design,
        sample_version=sample_version,
        preannotated_by=preannotated_by,
        kappa=kappa,
    )
    if gold.written:
        audit.check_signing()
        details = gold_details(asdict(gold)) | {
            "record": _record_of(gold),
            "spans": count_gold_spans(connection, settings, gold.version),
            "written": gold.written,
            # Evaluations used this one before.
            "replaces": next(iter(earlier), ""),
        }
        audit.append(AuditEvent("gold_frozen", "performed", frozen_by, gold.version, details))
    return gold


def audited_gold_set(
    connection: Connection, settings: InstitutionSettings, secrets: Secrets, design: Design
) -> GoldSet:
    """Return the newest gold set of one design, after the audit log said that it is the newest.

    A log that has not taken over the gold sets of former releases is not asked, unless it was changed.

    Raises:
        GateError: There is none, or the log does not name it, or names a newer one, or its row was changed, or the log
            was changed before it names any.
    """
    name = f"{settings.institution}: no certificate"
    try:
        gold = newest_gold_set(connection, settings, design)
    except WarehouseError as error:
        raise GateError(f"{name}: {error}") from None
    if not is_opened(connection, settings, "gold_set"):
        # Whoever changes the row that opens the log must not get a log that is not asked.
        if changed := _changed_rows(connection, settings, secrets):
            raise GateError(
                f"{name}: the audit log does not name gold sets, and it was changed ({changed[0]}); run `deid audit"
                f" verify --institution {settings.institution}`, and find out who wrote to it"
            )
        return gold
    logged = audit_rows_of(connection, settings, "gold_frozen", {"design": design})
    newest = max(logged, key=lambda row: str(details_of(row).get("frozen_at")), default=None)
    remedy = f"run `deid audit verify --institution {settings.institution}`, find out who wrote to it"
    if newest is None or details_of(newest).get("record") != _record_of(gold):
        said = f"names {newest.subject} (row {newest.seq}) as the newest" if newest else "names none"
        raise GateError(
            f"{name}: {settings.schema_name('gold')}.gold_set says that {gold.version} is the newest {design} gold set,"
            f" and the audit log {said}, or their rows differ; {remedy}, and restore a row that was changed from a"
            f" backup, delete one that nobody froze, or run gold__{settings.institution} where one was deleted"
        )
    if not is_trusted_row(connection, settings, secrets, newest):
        raise GateError(
            f"{name}: row {newest.seq} of the audit log, which names the {design} gold set {gold.version}, was changed"
            f" or is not signed with the audit key; {remedy}"
        )
    return gold


def _changed_rows(connection: Connection, settings: InstitutionSettings, secrets: Secrets) -> list[LogFinding]:
    rows = list(read_audit_rows(connection, settings))
    findings = [*check_chain(settings.institution, rows), *check_signatures(rows, AuditKeys.of(settings, secrets))]
    # A row that lacks a signature is linked to the signed ones as well.
    return [one for one in findings if one.kind != "not signed"]


def _record_of(gold: GoldSet) -> str:
    row = {**asdict(gold), "gold_version": gold.version}
    return record_hash("gold_set", [row[column] for column in AUDITED_COLUMNS["gold_set"]])


def _freeze(
    settings: InstitutionSettings, secrets: Secrets, sample: DrawnSample, frozen_by: Identity
) -> dict[str, Any]:
    progress = survey_sample(settings, secrets, sample)
    report = sample_report(settings, sample, progress)
    if progress.is_open:
        return report | {"gold_version": ""}
    with (
        connect(secrets.text(settings.warehouse.connection_of("evidence"))) as reader,
        audited(settings, secrets, secrets.text(settings.warehouse.connection_of("evidence"))) as audit,
    ):
        gold = record_gold_set(
            audit,
            settings,
            (_adjudicated_note(settings, note) for note in read_drawn(reader, settings, sample.version)),
            frozen_by,
            design=sample.design,
            sample_version=sample.version,
            preannotated_by="+".join(sorted(progress.preannotated_by)),
            kappa=progress.tally.table().kappa,
        )
    return report | {"gold_version": gold.version}


def _adjudicated_note(settings: InstitutionSettings, note: DrawnNote) -> NewGoldNote:
    """Return the note with its final spans and the decision behind each.

    Raises:
        InputError: an annotator has not finished the note, or the adjudicator's spans overlap.
    """
    comparison = compare_finished_work(settings, note)
    if comparison is None:
        raise InputError(f"note {note.note_id} is not finished by both annotators")
    answer = note.marked.get(settings.annotation.adjudicator)
    try:
        adjudicated = adjudicate_note(
            comparison,
            settings.annotation.annotators,
            answer.spans if answer else None,
            settings.annotation.adjudicator,
        )
    except InputError as error:
        raise InputError(f"note {note.note_id}: {error}") from None
    return NewGoldNote(
        note.note_id,
        note.patient_id,
        note.note_type,
        note.note_datetime,
        note.author_id,
        note.text,
        adjudicated.spans,
        note.period,
        adjudicated.decisions,
    )
