"""Surrogates in place of identifiers: consistent, plausible, and functions of a key alone."""

from deid_tasks.obfuscate.circle import KnownPeople
from deid_tasks.obfuscate.obfuscator import Obfuscated, Obfuscator

__all__ = ["KnownPeople", "Obfuscated", "Obfuscator"]
