"""The vault: originals, sealed for those who may restore them, and written by those who cannot read them.

A worker seals what it replaced, each note by itself (``EntryWriter``). ``VaultStore`` holds the sealed entries of each
published slice in a bucket. ``restore_text`` puts the originals back into a published text, with an ``Opener`` that
holds the private key.
"""

from deid_tasks.platform.vault.entries import VaultEntry, entries_of, restore_text
from deid_tasks.platform.vault.frames import EntryWriter, SealedPart, check_shard, parts_by_slice
from deid_tasks.platform.vault.keys import (
    Opener,
    Recipient,
    key_pair_opener,
    new_vault_keys,
    vault_opener,
    vault_recipient,
)
from deid_tasks.platform.vault.store import VaultStore

__all__ = [
    "EntryWriter",
    "Opener",
    "Recipient",
    "SealedPart",
    "VaultEntry",
    "VaultStore",
    "check_shard",
    "entries_of",
    "key_pair_opener",
    "new_vault_keys",
    "parts_by_slice",
    "restore_text",
    "vault_opener",
    "vault_recipient",
]
