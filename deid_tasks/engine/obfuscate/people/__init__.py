"""Which surrogate name each person gets.

A ``NameScope`` holds the people of one patient, or the institution's staff, and maps each part of a name to a surrogate
part. ``KnownPeople`` holds the institution's real patients as keyed hashes: no surrogate may equal one of them in name
and birth date.
"""

from deid_tasks.engine.obfuscate.people.known_people import KnownPeople, KnownPerson, update_known_people
from deid_tasks.engine.obfuscate.people.name_scope import NameScope

__all__ = ["KnownPeople", "KnownPerson", "NameScope", "update_known_people"]
