"""Database roles: which kind of task may do what on which table. This table is all that decides it.

Each kind of task has a group role ``<institution>_<task>`` without a login. A login is a member of one of them and acts
as it from its first statement (``alter role … set role``), so that whatever it makes belongs to the group.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from deid_tasks.settings import DATABASE_TASKS, DatabaseTask, InstitutionSettings, SchemaLayer

Privilege = Literal["select", "insert", "update", "delete"]
EVERY_TABLE = "*"
"""In place of a table's name: every table and view of the layer, later ones too."""

OWNERS: Mapping[SchemaLayer, DatabaseTask] = {
    "staging": "build",
    "history": "build",
    "dictionaries": "build",
    "quality": "build",
    "results": "owner",
    "gold": "owner",
}
"""The role that owns the schema of each layer with all its tables. The raw tables are the hospital's."""

MEANINGS: Mapping[DatabaseTask, str] = {
    "source": "measures how old the raw tables are",
    "land": "loads extracts into the raw tables; only with a section `landing`",
    "build": "dbt: staging, history, dictionaries and the views on quality",
    "engine": "compiles dictionaries, reads notes and finds identifiers; writes nothing to the database",
    "evidence": "samples, annotation, gold sets, training, evaluation, certificates and promotion",
    "publish": "plans a run, gates, publishes and removes its notes, and keeps the ledger",
    "page": "reads sums for the page *De-identification*, and no row of a note or of a patient",
    "reidentify": "adds to the log of re-identification, and reads it",
    "audit": "opens, verifies and exports the audit log, and decides about requests",
    "owner": "creates and upgrades the tables of the platform",
}


@dataclass(frozen=True, slots=True)
class Right:
    """What a role may do on one table, or on every table of a layer."""

    layer: SchemaLayer
    table: str
    privileges: tuple[Privilege, ...]
    columns: tuple[str, ...] = ()
    """Columns that may be read; all where none is named."""


def _on(layer: SchemaLayer, tables: str, *privileges: Privilege) -> tuple[Right, ...]:
    return tuple(Right(layer, table, privileges) for table in tables.split())


_READ_SOURCE = (
    *_on("staging", EVERY_TABLE, "select"),
    *_on("history", EVERY_TABLE, "select"),
    *_on("dictionaries", EVERY_TABLE, "select"),
)
_GOLD = "sample sample_group sample_note annotated_note annotation gold_set gold_note gold_span gold_decision"
_RUN_TABLES = "run note_outcome audit_finding run_figure run_count"
_LEDGER_TABLES = (
    "note_ledger run_note run_day patient_record published_slice published_table ledger_count engine_note_count"
)

RIGHTS: Mapping[DatabaseTask, tuple[Right, ...]] = {
    "source": _on("ehr", EVERY_TABLE, "select"),
    "land": (
        *_on("ehr", EVERY_TABLE, "select", "insert", "update", "delete"),
        *_on("results", "landed_file", "select", "insert"),
    ),
    "build": (
        *_on("ehr", EVERY_TABLE, "select"),
        *_on("results", "run note_outcome audit_finding evaluation certificate", "select"),
        *_on("results", "exclusion exclusion_end warehouse_exclusion", "select"),
        *_on("gold", "gold_set gold_note gold_span", "select"),
    ),
    "engine": (
        *_READ_SOURCE,
        *_on("results", "run_note run_day note_ledger exclusion exclusion_end warehouse_exclusion", "select"),
    ),
    "evidence": (
        *_READ_SOURCE,
        *_on("gold", _GOLD, "select", "insert", "update", "delete"),
        *_on("results", "exclusion exclusion_end warehouse_exclusion note_ledger", "select"),
        *_on("results", "evaluation certificate compared_system", "select", "insert", "delete"),
        *_on("results", "promoted_engine", "select", "insert", "update"),
        *_on("results", "audit_log", "select", "insert"),
    ),
    "publish": (
        *_READ_SOURCE,
        *_on("staging", "stg_patient_merge", "select", "insert", "delete"),
        *_on("results", f"{_RUN_TABLES} {_LEDGER_TABLES}", "select", "insert", "update", "delete"),
        *_on("results", "warehouse_exclusion", "select", "insert", "update", "delete"),
        *_on("results", "retraction", "select", "insert", "update"),
        *_on("results", "exclusion exclusion_end approval approval_request audit_log", "select", "insert"),
        *_on("results", "promoted_engine", "select", "update"),
        *_on("results", "certificate evaluation compared_system", "select"),
    ),
    # Sums and states. The columns that are left out name people, or say why somebody asked for something.
    "page": (
        *_on("results", "run run_figure run_count evaluation compared_system certificate promoted_engine", "select"),
        *_on("results", "ledger_count engine_note_count", "select"),
        Right("results", "published_slice", ("select",), ("note_day", "published_at", "replaced_at")),
        Right("results", "approval", ("select",), ("run_id", "decision", "decided_at")),
        Right("results", "approval_request", ("select",), ("request_id", "act", "requested_at", "expires_at")),
        Right("results", "audit_log", ("select",), ("event", "role", "subject")),
    ),
    "reidentify": _on("results", "reidentification approval_request audit_log", "select", "insert"),
    "audit": (
        *_on("results", "audit_log", "select", "insert"),
        *_on("results", "approval approval_request certificate exclusion exclusion_end", "select"),
        *_on("results", "retraction reidentification", "select"),
        *_on("gold", "gold_set", "select"),
    ),
    "owner": (),
}


def role_name(settings: InstitutionSettings, task: DatabaseTask) -> str:
    """Return the name of the group role of one kind of task."""
    return f"{settings.institution}_{task}"


def needed_tasks(settings: InstitutionSettings) -> tuple[DatabaseTask, ...]:
    """Return the kinds of tasks that an institution has: landing only where its settings have a section for it."""
    return tuple(task for task in DATABASE_TASKS if task != "land" or settings.landing is not None)


def layers_of(task: DatabaseTask) -> tuple[SchemaLayer, ...]:
    """Return the layers whose schemas a role must enter, without those that it owns."""
    return tuple(dict.fromkeys(right.layer for right in RIGHTS[task]))
