"""Maintenance: the published table stays in few files, and what no run needs any more is deleted.

Every step is bounded by the settings, and may be killed and repeated: the table and the folders themselves say what is
left to do.
"""

import datetime
import time
from typing import TypedDict

from deid_tasks.engine.detect.sentence_cache import prune_cache
from deid_tasks.platform.publish import (
    CompactionBounds,
    compact_notes,
    full_table_name,
    merge_manifests,
    purge_snapshots,
    renew_layout,
    table_exists,
)
from deid_tasks.platform.runs.comparison_files import prune_answers
from deid_tasks.platform.runs.institution_engine import sentence_cache_file
from deid_tasks.platform.runs.promotion import prune_engines
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.ledger import lock_publication
from deid_tasks.platform.warehouse.run_notes import delete_old_runs, delete_runs_of_notes
from deid_tasks.platform.workspace import RunFiles, SharedFiles, prune_runs, run_dir, work_dir
from deid_tasks.settings import InstitutionSettings, Secrets

_MEGABYTE = 1_000_000
_MAX_LOST = 5
"""Commits that may be lost to other writers before a run leaves the rest to the next one."""
_RETAINED_REPORTS = 10
_DAY_SECONDS = 24 * 3_600


class CompactionRunReport(TypedDict):
    """What a run of maintenance merged."""

    commits: int
    lost: int
    """Commits that were given up, because another writer had replaced one of the files."""
    files_before: int
    files_after: int
    megabytes: int
    manifests: int
    """Manifests fewer than before."""


class ExpiryReport(TypedDict):
    """What left the bucket."""

    snapshots: int
    files: int
    waiting: int
    """Files that no snapshot names and that may be of a writer that has not committed yet."""
    protected: int
    """Old snapshots that stay, because a branch or a tag names them."""


class PruneReport(TypedDict):
    """What was deleted of the working files."""

    engine_versions: int
    runs: int
    cached_sentences: int
    evaluation_reports: int
    compared_answers: int
    """Files of answers of compared systems."""


class OutcomeReport(TypedDict):
    """What left the tables with a row for each note and run."""

    old_rows: int
    rows_of_excluded_notes: int


@logged_step
def compact_table(settings: InstitutionSettings, secrets: Secrets) -> CompactionRunReport:
    """Merge small files of the institution's published notes, commit by commit, and the lists of files.

    Runs of the institution wait while one commit is made, and publish between two. What is beyond
    ``maintenance.run_megabytes`` is left to the next run.

    Raises:
        PublishError: the table cannot be read or written.
    """
    bounds = CompactionBounds.of(settings.maintenance)
    report: CompactionRunReport = {
        "commits": 0,
        "lost": 0,
        "files_before": 0,
        "files_after": 0,
        "megabytes": 0,
        "manifests": 0,
    }
    if not table_exists(settings, secrets):
        return report
    renew_layout(settings, secrets)
    bytes_before = 0
    while bytes_before < settings.maintenance.run_megabytes * _MEGABYTE and report["lost"] <= _MAX_LOST:
        with connect(secrets.text(settings.warehouse.connection_of("publish"))) as lock:
            # A row that leaves the table after this began was written before it left: its purge finds every copy.
            lock_publication(lock, settings)
            done = compact_notes(settings, secrets, bounds)
        if not done.files_before:
            break
        bytes_before += done.bytes_before
        if done.is_lost:
            report["lost"] += 1
            continue
        report["commits"] += 1
        report["files_before"] += done.files_before
        report["files_after"] += done.files_after
    report["megabytes"] = bytes_before // _MEGABYTE
    report["manifests"] = merge_manifests(settings, secrets)
    return report


@logged_step
def expire_snapshots(settings: InstitutionSettings, secrets: Secrets) -> ExpiryReport:
    """Expire the former snapshots of the institution's tables, and delete the files that no snapshot names.

    Readers keep the time that ``publish.retract_hours`` promises them, even where ``maintenance.snapshot_days`` is
    shorter. Retractions are not closed here: *purge_removed* looks for their bytes itself.

    Raises:
        PublishError: a table or its bucket cannot be read or written.
    """
    wanted = settings.maintenance
    age = max(
        datetime.timedelta(days=wanted.snapshot_days), datetime.timedelta(hours=settings.publish.retract_hours / 2)
    )
    report: ExpiryReport = {"snapshots": 0, "files": 0, "waiting": 0, "protected": 0}
    for name in (settings.publish.table, *(full_table_name(settings, one) for one in settings.publish.tables)):
        if not table_exists(settings, secrets, name):
            continue
        done = purge_snapshots(
            settings,
            secrets,
            datetime.datetime.now(datetime.UTC) - age,
            grace=datetime.timedelta(hours=wanted.orphan_hours),
            keep_newest=wanted.min_snapshots,
            table_name=name,
        )
        report["snapshots"] += done.snapshots
        report["files"] += done.files
        report["waiting"] += done.waiting
        report["protected"] += done.protected
    return report


@logged_step
def delete_run_files(settings: InstitutionSettings, secrets: Secrets, run_id: str) -> None:
    """Delete the working files of a run whose notes are published: they hold real ids beside de-identified text."""
    RunFiles(settings, secrets, run_dir(settings, run_id)).delete()


@logged_step
def prune_files(settings: InstitutionSettings, secrets: Secrets) -> PruneReport:
    """Delete what no run needs any more: versions of engines, files of runs, cached answers and evaluation reports.

    The sentence cache and the answers of compared systems are those of the host on which this runs. On other hosts the
    tasks that use them prune them.
    """
    return {
        "engine_versions": prune_engines(settings, secrets, "publish"),
        "runs": prune_runs(settings, secrets),
        "cached_sentences": prune_cache(sentence_cache_file(settings), settings.maintenance.cache_days),
        "evaluation_reports": _prune_evaluations(settings, secrets),
        "compared_answers": prune_answers(settings),
    }


@logged_step
def prune_outcomes(settings: InstitutionSettings, secrets: Secrets) -> OutcomeReport:
    """Delete which notes former runs took up and what became of each, ``maintenance.outcome_days`` later.

    Of excluded notes it is deleted now, which the purge of their retraction has done unless nothing of them was
    published.
    """
    uri = secrets.text(settings.warehouse.connection_of("publish"))
    before = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=settings.maintenance.outcome_days)
    with connect(uri) as connection:
        # A run that publishes reads its list again after the commit.
        lock_publication(connection, settings)
        excluded = delete_runs_of_notes(connection, settings)
    with connect(uri) as connection:
        return {"old_rows": delete_old_runs(connection, settings, before), "rows_of_excluded_notes": excluded}


def _prune_evaluations(settings: InstitutionSettings, secrets: Secrets) -> int:
    """Delete reports of evaluations that are old; their figures and certificates stay in the database."""
    oldest = time.time() - settings.maintenance.evaluation_days * _DAY_SECONDS
    shared = SharedFiles(settings, secrets)
    folder = work_dir(settings) / "evaluation"
    written = sorted(
        ((modified, name) for name, modified in shared.names(folder).items() if name.endswith(".json")), reverse=True
    )
    old = [name for modified, name in written[_RETAINED_REPORTS:] if modified < oldest]
    for name in old:
        shared.delete(folder / name)
        shared.delete((folder / name).with_suffix(".html"))
    return len(old)
