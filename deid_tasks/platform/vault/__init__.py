"""Originals, sealed for whoever may bring them back: written by those who cannot read them."""

from deid_tasks.platform.vault.entries import ENTRY_SCHEMA, entries_of, restore
from deid_tasks.platform.vault.keys import (
    Opener,
    Recipient,
    key_pair_opener,
    new_vault_keys,
    vault_opener,
    vault_recipient,
)
from deid_tasks.platform.vault.parts import Part, PartWriter, check_part, read_parts
from deid_tasks.platform.vault.store import VaultStore

__all__ = [
    "ENTRY_SCHEMA",
    "Opener",
    "Part",
    "PartWriter",
    "Recipient",
    "VaultStore",
    "check_part",
    "entries_of",
    "key_pair_opener",
    "new_vault_keys",
    "read_parts",
    "restore",
    "vault_opener",
    "vault_recipient",
]
