"""Retention: working files with the text of notes are deleted once nothing needs them any more."""

import datetime
import logging
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

from deid_tasks.core.files import EARLIER, UNFINISHED
from deid_tasks.learning.harvest.patients import COUNTING
from deid_tasks.platform.runs.institution_engine import approved_dir, harvest_dir
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.gold import gold_sets
from deid_tasks.platform.workspace import SharedFiles, work_dir
from deid_tasks.settings import InstitutionSettings, Secrets

logger = logging.getLogger(__name__)

_DAY_SECONDS = 24 * 3_600


class RetentionReport(TypedDict):
    """How many folders were deleted."""

    annotations: int
    harvests: int
    trainings: int
    unfinished: int
    """What killed tasks left half written, in any folder of ``work_dir`` on this host."""


@logged_step
def delete_old_texts(settings: InstitutionSettings, secrets: Secrets) -> RetentionReport:
    """Delete, ``maintenance.text_days`` later, annotators' folders of samples whose gold set is frozen, harvests, what
    trainings left that failed, and what killed tasks left half written.

    A sample without a gold set stays as long as people work on it.
    """
    shared, folder = SharedFiles(settings, secrets), work_dir(settings)
    days = settings.maintenance.text_days
    oldest = time.time() - days * _DAY_SECONDS
    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        golds = gold_sets(connection, settings)
    since = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=days)
    frozen = {gold.sample_version for gold in golds if gold.frozen_at < since}
    samples = [name for name in shared.names(folder / "annotation") if name in frozen]
    approved = approved_dir(settings).name
    harvests = [name for name, at in shared.names(harvest_dir(settings)).items() if name != approved and at < oldest]
    trainings = [name for name, at in shared.names(folder / "training").items() if at < oldest]
    for path in (
        *(folder / "annotation" / name for name in samples),
        *(harvest_dir(settings) / name for name in harvests),
        *(folder / "training" / name for name in trainings),
    ):
        logger.info("deleting texts that nothing needs any more: %s", path.relative_to(folder))
        shared.delete(path)
    unfinished = list(_unfinished(folder, min(oldest, time.time() - _DAY_SECONDS)))
    for path in unfinished:
        logger.info("deleting what a killed task left in %s", path.parent.relative_to(folder))
        shared.delete(path)
    return {
        "annotations": len(samples),
        "harvests": len(harvests),
        "trainings": len(trainings),
        "unfinished": len(unfinished),
    }


def _unfinished(folder: Path, oldest: float) -> Iterator[Path]:
    """Yield what was being written, in each folder below ``folder``, and did not change since ``oldest``."""
    for pattern in (f".*{UNFINISHED}", f".*{EARLIER}", f"{COUNTING}*"):
        for path in folder.glob(f"*/{pattern}"):
            with suppress(OSError):
                if max(one.lstat().st_mtime for one in (path, *path.rglob("*"))) < oldest:
                    yield path
