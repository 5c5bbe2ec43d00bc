"""Surrogates in place of identifiers.

The package replaces each detected span by a consistent, plausible surrogate. Every surrogate is a function of the
institution's key, the patient, the entity and the value; no table of replacements is stored. ``generators`` registers
one generator an entity.
"""

from deid_tasks.engine.obfuscate.obfuscator import Obfuscated, Obfuscator
from deid_tasks.engine.obfuscate.people import KnownPeople, KnownPerson, update_known_people

__all__ = ["KnownPeople", "KnownPerson", "Obfuscated", "Obfuscator", "update_known_people"]
