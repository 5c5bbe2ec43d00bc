"""Original texts that the platform writes for people to read, as rows of the audit log."""

from collections.abc import Sequence

from deid_tasks.core.identity import Identity
from deid_tasks.platform.audit_log import AuditEvent, audited
from deid_tasks.platform.warehouse.annotations import DrawnSample
from deid_tasks.settings import InstitutionSettings, Secrets


def record_task_list(
    settings: InstitutionSettings,
    secrets: Secrets,
    sample: DrawnSample,
    people: Sequence[str],
    notes: int,
    exported_by: Identity,
) -> None:
    """Add a row that says who gets a task list with the text of how many notes; committed before the list is written.

    Args:
        settings: The institution.
        secrets: Its secrets.
        sample: The sample of the notes.
        people: Pseudonyms of the people who get it.
        notes: Number of notes in the list.
        exported_by: Who asked for it.

    Raises:
        SettingsError: the audit log is signed, and the audit key is not here.
    """
    details = {"design": sample.design, "people": sorted(people), "notes": notes}
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of("evidence"))) as audit:
        audit.check_signing()
        audit.append(AuditEvent("task_list", "performed", exported_by, sample.version, details))
