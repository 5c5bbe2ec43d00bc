"""Records what a step reads and writes, and sends it when the step starts and ends."""

import logging
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from deid_tasks.engine.failures import Failure
from deid_tasks.platform.lineage.datasets import LineageDataset
from deid_tasks.platform.run_identity import kind_of, run_digest
from deid_tasks.settings import InstitutionSettings, Secrets

logger = logging.getLogger(__name__)

_VARIABLES = ("OPENLINEAGE_URL", "OPENLINEAGE_CONFIG")
_TRANSPORT = "OPENLINEAGE__TRANSPORT__"


@dataclass
class LineageRecord:
    """What one attempt of a step reads and writes; the step fills it in."""

    institution: str
    step: str
    run: uuid.UUID = field(default_factory=uuid.uuid4)
    parent: uuid.UUID | None = None
    """The run of all steps that belong together."""
    kind: str = ""
    """The kind of that run: notes, changes or restate."""
    inputs: list[LineageDataset] = field(default_factory=list)
    outputs: list[LineageDataset] = field(default_factory=list)
    fingerprint: str = ""
    certificate: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    error: str = ""
    """Class and code location of the error that ended the step."""


def is_configured() -> bool:
    """Whether the environment names a consumer of lineage."""
    if os.environ.get("OPENLINEAGE_DISABLED", "").strip().lower() == "true":
        return False
    return any(os.environ.get(name) for name in _VARIABLES) or any(name.startswith(_TRANSPORT) for name in os.environ)


@contextmanager
def recorded_lineage(
    settings: InstitutionSettings, step: str, secrets: Secrets | None = None, run_id: str = ""
) -> Iterator[LineageRecord]:
    """Yield the record of a step, and send events when the step starts, and when it ends or fails.

    A consumer that cannot be reached never fails a step: the log says so.

    Args:
        settings: The institution.
        step: Name of the step.
        secrets: The institution's secrets, where the step belongs to a run.
        run_id: The run that the step belongs to; it leaves the process as a keyed hash.
    """
    record = LineageRecord(settings.institution, step)
    if not is_configured():
        yield record
        return
    if secrets is not None and run_id:
        record.parent = uuid.UUID(bytes=run_digest(settings, secrets, run_id)[:16], version=4)
        record.kind = kind_of(run_id)
    _send("START", record)
    try:
        yield record
    except BaseException as error:
        failure = Failure.of(error)
        record.error = f"{failure.error_class} at {failure.location}"
        _send("FAIL", record)
        raise
    _send("COMPLETE", record)


def _send(event_type: str, record: LineageRecord) -> None:
    try:
        from deid_tasks.platform.lineage.events import send_event

        send_event(event_type, record)
    except Exception as error:
        logger.warning("lineage of %s was not sent: %s", record.step, type(error).__name__)
