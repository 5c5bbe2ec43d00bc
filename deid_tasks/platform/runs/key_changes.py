"""Keys that the audit log has not seen before: each is named by a fingerprint, which reveals nothing of it."""

from deid_tasks.core.errors import SettingsError
from deid_tasks.core.identity import PLATFORM, Identity
from deid_tasks.core.pem import key_fingerprint
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.platform.audit_log import AuditEvent, AuditWriter
from deid_tasks.platform.vault import vault_recipient
from deid_tasks.platform.warehouse.audit_log import newest_audit_row
from deid_tasks.settings import InstitutionSettings, Secrets


def record_key_changes(
    audit: AuditWriter, settings: InstitutionSettings, secrets: Secrets, vault_changed_by: Identity = PLATFORM
) -> list[str]:
    """Add a row for each key that is not the one which the log saw last; return which keys these are.

    Keys whose secrets this role does not have are left out.

    Args:
        audit: Writes the rows.
        settings: The institution.
        secrets: Its secrets.
        vault_changed_by: Who changes the vault's key; the platform where it only notices that the key is another.
    """
    changed = []
    for kind, key_id in _key_ids(settings, secrets).items():
        if _last_seen(audit, settings, kind) == key_id:
            continue
        audit.lock()
        # Another writer may have recorded it meanwhile.
        former = _last_seen(audit, settings, kind)
        if former != key_id:
            details = {"key": kind, "former": former}
            actor = vault_changed_by if kind == "vault" else PLATFORM
            audit.append(AuditEvent("key_changed", "performed", actor, key_id, details))
            changed.append(kind)
    return changed


def _last_seen(audit: AuditWriter, settings: InstitutionSettings, kind: str) -> str:
    """Return the fingerprint that the log saw last; empty where it saw none."""
    row = newest_audit_row(audit.connection, settings, "key_changed", key=kind)
    return row.subject if row else ""


def _key_ids(settings: InstitutionSettings, secrets: Secrets) -> dict[str, str]:
    """Return the fingerprints of the keys that this role has: of public keys by their bytes, of the surrogate key by a
    keyed hash."""
    found: dict[str, str] = {}
    if secrets.find(settings.obfuscate.key):
        key = secrets.key(settings.obfuscate.key)
        obfuscator = Obfuscator(key, settings.institution, settings.policy, settings.obfuscate)
        found["surrogate"] = obfuscator.pseudonym("key", "")
    for kind, name in (
        ("certificate", settings.gate.verification_key),
        # Of several audit keys the first one signs.
        ("audit", settings.audit_log.verification_key),
    ):
        if pem := secrets.find(name):
            try:
                found[kind] = key_fingerprint(pem)
            except ValueError:
                raise SettingsError(f"secret {name!r} is not a public key in PEM") from None
    vault = settings.vault
    if vault is not None and secrets.find(vault.kms if vault.wrap == "aws-kms" else vault.public_key):
        found["vault"] = vault_recipient(settings, secrets).key_id
    return found
