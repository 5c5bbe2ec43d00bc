"""The steps of the platform: what one Airflow task or one command does, from the warehouse to the published table.

A step takes an institution's settings, its secrets and plain values. It returns counts, figures, versions and paths,
which may be stored in Airflow's database. ``__all__`` lists the steps in the order in which an institution runs them.
"""

from deid_tasks.platform.runs.adjudication import adjudicate_samples
from deid_tasks.platform.runs.annotation_export import export_tasks
from deid_tasks.platform.runs.annotation_import import import_annotations
from deid_tasks.platform.runs.annotation_progress import annotation_status
from deid_tasks.platform.runs.audit_acceptance import accept_unsigned_rows
from deid_tasks.platform.runs.audit_log import check_audit_log, export_audit_log, exported_rows, verify_audit_log
from deid_tasks.platform.runs.compared_systems import compare_after_evaluation
from deid_tasks.platform.runs.dictionaries import compile_dictionaries
from deid_tasks.platform.runs.evaluation import evaluate_and_certify
from deid_tasks.platform.runs.gold_sets import freeze_gold_sets
from deid_tasks.platform.runs.harvesting import approve_harvest, approved_harvest, harvest_candidates, reject_harvest
from deid_tasks.platform.runs.institution_engine import load_engine
from deid_tasks.platform.runs.landing import land_deliveries
from deid_tasks.platform.runs.ledger_checks import ledger_counts, reconcile_ledger
from deid_tasks.platform.runs.maintenance import (
    compact_table,
    delete_run_files,
    expire_snapshots,
    prune_files,
    prune_outcomes,
)
from deid_tasks.platform.runs.notes import process_shard
from deid_tasks.platform.runs.originals import (
    reidentify_as_approved,
    reidentify_notes,
    request_reidentification,
    rewrap_vault,
    store_vault,
)
from deid_tasks.platform.runs.plans import plan_changes_run, plan_notes_run
from deid_tasks.platform.runs.promotion import pin_engine
from deid_tasks.platform.runs.pseudonyms import surrogate_keys
from deid_tasks.platform.runs.publication import publish_notes, record_removals, remove_notes, retract_at_once
from deid_tasks.platform.runs.reconciliation import reconcile_run
from deid_tasks.platform.runs.release_report import make_release_report, write_report_files
from deid_tasks.platform.runs.requests import decide_request, read_request_states, waiting_requests
from deid_tasks.platform.runs.restatement import plan_restate_run, stale_notes
from deid_tasks.platform.runs.restores import accept_restore
from deid_tasks.platform.runs.retention import delete_old_texts
from deid_tasks.platform.runs.retractions import (
    purge_removed,
    readmit,
    readmit_as_approved,
    request_retraction,
    retract,
    retract_as_approved,
)
from deid_tasks.platform.runs.reviews import record_review
from deid_tasks.platform.runs.sampling import draw_samples
from deid_tasks.platform.runs.schema_upgrade import open_audit_log, upgrade_tables
from deid_tasks.platform.runs.structured_tables import publish_tables
from deid_tasks.platform.runs.upkeep import check_certificate, check_roles, check_stale_notes

__all__ = [  # noqa: RUF022
    # The engine's own tables, and the audit log of what they held before it knew them.
    "upgrade_tables",
    "open_audit_log",
    # The raw tables, where extracts are delivered.
    "land_deliveries",
    # Dictionaries and what is harvested from the notes; the engine that reads both.
    "compile_dictionaries",
    "harvest_candidates",
    "reject_harvest",
    "approve_harvest",
    "approved_harvest",
    "load_engine",
    # Gold sets: notes to annotators, and their finished work back.
    "draw_samples",
    "export_tasks",
    "import_annotations",
    "annotation_status",
    "adjudicate_samples",
    "freeze_gold_sets",
    # The certificate, and the promoted engine that a run uses; other systems on the same gold notes.
    "evaluate_and_certify",
    "compare_after_evaluation",
    "pin_engine",
    # A run: a day of notes, what changed since, or what another engine reads differently.
    "plan_notes_run",
    "plan_changes_run",
    "plan_restate_run",
    "stale_notes",
    "remove_notes",
    "process_shard",
    "reconcile_run",
    "record_review",
    "publish_notes",
    "record_removals",
    "publish_tables",
    "store_vault",
    "delete_run_files",
    "purge_removed",
    "reconcile_ledger",
    "ledger_counts",
    "check_certificate",
    "check_roles",
    "check_stale_notes",
    # The table and the working files over years.
    "compact_table",
    "expire_snapshots",
    "prune_files",
    "prune_outcomes",
    "delete_old_texts",
    # The report on a release.
    "make_release_report",
    "write_report_files",
    # Requests of authorised people.
    "retract",
    "request_retraction",
    "readmit",
    "readmit_as_approved",
    "retract_as_approved",
    "retract_at_once",
    "reidentify_notes",
    "request_reidentification",
    "reidentify_as_approved",
    "decide_request",
    "read_request_states",
    "rewrap_vault",
    "surrogate_keys",
    # The audit log of what people did.
    "verify_audit_log",
    "waiting_requests",
    "check_audit_log",
    "accept_unsigned_rows",
    "export_audit_log",
    "exported_rows",
    "accept_restore",
]
