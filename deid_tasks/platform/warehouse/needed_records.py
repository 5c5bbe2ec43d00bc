"""Which notes need a record of their patient: whether one without it is quarantined is part of what decides its row.

The settings name the types of notes that need none. The ledger's digest of a record says that its note needed none, so
that a change of the settings is found as a change of the record is.
"""

from psycopg2 import sql

from deid_tasks.settings import InstitutionSettings

_NEEDS_NONE = "*"


def mark_digest(settings: InstitutionSettings, digest: str, note_type: str | None) -> str:
    """Return the digest of a patient's record as the ledger holds it for a note of this type."""
    return digest + _NEEDS_NONE if note_type in settings.notes.types_without_patient else digest


def digest_as_read(settings: InstitutionSettings) -> sql.Composed:
    """Return the same in SQL, of the note ``p`` and the digest of its patient's record ``r``."""
    return sql.SQL("coalesce(r.digest, '') || case when p.note_type = any({}::text[]) then {} else '' end").format(
        sql.Literal(list(settings.notes.types_without_patient)), sql.Literal(_NEEDS_NONE)
    )
