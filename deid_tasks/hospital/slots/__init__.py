"""Slots: what each `{…}` of a skeleton writes, and which of it is an identifier. Grammar: `skeletons/README.md`."""

from deid_tasks.hospital.slots.compile import compile_slot, known_slots
from deid_tasks.hospital.slots.writers import Write

__all__ = ["Write", "compile_slot", "known_slots"]
