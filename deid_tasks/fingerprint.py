"""The fingerprint: one hash of everything that decides what the engine puts out."""

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from deid_tasks.reference import reference_path
from deid_tasks.settings import InstitutionSettings

_ROOMS = ("text", "lexicon", "detect", "merge", "recover", "obfuscate", "audit")
_MODULES = ("entities.py", "span.py", "notes.py", "patient.py", "reference.py", "engine.py", "pipeline.py")
_SECTIONS = frozenset({"institution", "detect", "merge", "recover", "policy", "obfuscate"})
_NOTES = frozenset({"max_characters"})


def fingerprint(settings: InstitutionSettings, lexicon_version: str, model_hashes: tuple[str, ...]) -> str:
    """The fingerprint of code, reference lists, model weights, lexicon and those settings that change the output.

    Thresholds, schedules, owners and addresses are no part of it: they change what is done with the output, not the output.
    """
    parts = {
        "code": _code_hash(),
        "reference": _reference_hash(),
        "models": list(model_hashes),
        "lexicon": lexicon_version,
        "settings": settings.model_dump(mode="json", include=set(_SECTIONS)),
        "notes": settings.notes.model_dump(mode="json", include=set(_NOTES)),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


@cache
def _code_hash() -> str:
    package = Path(__file__).parent
    files = [package / name for name in _MODULES]
    for room in _ROOMS:
        files.extend((package / room).rglob("*.py"))
    return _hash_files(package, files)


@cache
def _reference_hash() -> str:
    folder = reference_path("SOURCES.md").parent
    return _hash_files(folder, folder.glob("*.tsv"))


def _hash_files(root: Path, files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(str(path.relative_to(root)).encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()
