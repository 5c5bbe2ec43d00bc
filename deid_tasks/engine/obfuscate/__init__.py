"""Surrogates in place of identifiers: consistent, plausible, and functions of a key alone."""

from deid_tasks.engine.obfuscate.obfuscator import Obfuscated, Obfuscator
from deid_tasks.engine.obfuscate.people import KnownPeople, Person, refresh_people

__all__ = ["KnownPeople", "Obfuscated", "Obfuscator", "Person", "refresh_people"]
