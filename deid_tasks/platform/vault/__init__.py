"""The vault: originals, sealed for those who may restore them, and written by those who cannot read them.

A worker writes what it replaced as sealed parts (``PartWriter``). ``VaultStore`` holds the parts of each published
slice in a bucket. ``restore_text`` puts the originals back into a published text, with an ``Opener`` that holds the
private key.
"""

from deid_tasks.platform.vault.entries import ENTRY_SCHEMA, entries_of, restore_text
from deid_tasks.platform.vault.keys import (
    Opener,
    Recipient,
    key_pair_opener,
    new_vault_keys,
    vault_opener,
    vault_recipient,
)
from deid_tasks.platform.vault.sealed_parts import PartWriter, SealedPart, check_part, read_parts
from deid_tasks.platform.vault.store import VaultStore

__all__ = [
    "ENTRY_SCHEMA",
    "Opener",
    "PartWriter",
    "Recipient",
    "SealedPart",
    "VaultStore",
    "check_part",
    "entries_of",
    "key_pair_opener",
    "new_vault_keys",
    "read_parts",
    "restore_text",
    "vault_opener",
    "vault_recipient",
]
