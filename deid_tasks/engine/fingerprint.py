"""The fingerprint: one hash of everything that decides what the engine puts out, and of nothing else."""

import hashlib
import importlib.metadata
import json
import sys
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from deid_tasks.core.reference import reference_path
from deid_tasks.settings import InstitutionSettings

WINGS = ("core", "engine")
MODULES = (
    # Which of a patient's records the engine is given.
    "platform/warehouse/patients.py",
)
"""Code that a note passes through on its way. How settings are read is no part of it: their values are."""

LIBRARIES = ("google-re2", "numpy", "onnxruntime", "rapidfuzz", "tokenizers")
"""What the code above computes with. Another release may round, match or split otherwise, and a gold set is the only way to know
that it does not; an evaluation costs minutes."""

TORCH_LIBRARIES = ("onnx", "safetensors", "torch", "transformers")
"""What computes beside them where a model's settings ask for ``backend: torch``; they may not be installed."""

DECISIVE = frozenset({"institution", "detect", "merge", "recover", "policy", "obfuscate"})
"""Sections of the settings that change the output. Of ``notes`` the longest note alone does."""
_NOT_NEURAL = frozenset({"detectors", "patterns", "context", "inclusion"})
"""Settings of detection that the neural pass does not know."""
_NEURAL_ROOMS = ("engine/text", "engine/detect")
_RULE_ROOMS = (*_NEURAL_ROOMS, "engine/lexicon", "engine/merge", "engine/recover")
_RULE_MODULES = ("core/reference.py", "core/us_states.py", "engine/resolve.py", "engine/cascade.py")
"""Code that decides over a model's doubt."""
_PACKAGE = Path(__file__).parents[1]


def fingerprint(
    settings: InstitutionSettings,
    lexicon_version: str,
    model_hashes: tuple[str, ...],
    package: Path = _PACKAGE,
    reference: Path | None = None,
    harvested: tuple[str, ...] = (),
    people: str = "",
) -> str:
    """The fingerprint of code, libraries, reference lists, weights, lexicon, approved harvest, known people and decisive settings.

    Thresholds, schedules, owners and addresses are no part of it: they change what is done with the output, not the output. The
    institution's secrets are none either: another key gives other surrogates, in the same places. Nor are the patients' own
    records, which change daily and are read by patient.

    Args:
        settings: the institution.
        lexicon_version: hash of its compiled dictionaries.
        model_hashes: of the weights and the configuration of each transformer, in the order of the settings.
        package: folder of this package.
        reference: folder of the public reference lists; the shipped one where ``None``.
        harvested: versions of the approved inclusion list and templates.
        people: version of the known people, whom surrogates avoid.
    """
    folder = reference or reference_path("SOURCES.md").parent
    parts = {
        "code": _code_hash(package),
        "libraries": library_versions() | torch_versions(settings),
        "reference": _reference_hash(folder),
        "models": list(model_hashes),
        "lexicon": lexicon_version,
        "harvested": list(harvested),
        "people": people,
        "settings": decisive_settings(settings),
    }
    return _digest(parts)


def neural_version(
    settings: InstitutionSettings,
    model_hashes: tuple[str, ...],
    package: Path = _PACKAGE,
    reference: Path | None = None,
    *,
    reads_rules: bool = False,
) -> str:
    """What decides the neural pass's answer for a sentence, and nothing else: the version of what is kept of its answers.

    Dictionaries, patterns, templates and the inclusion list change without it. Where ``reads_rules``, the patterns that come with the
    package, the public lists, merging and recovery decide too; an institution's own patterns and dictionaries are none of them.
    """
    decisive = decisive_settings(settings)
    detect = decisive["detect"]
    rules = {
        "reference": _reference_hash(reference or reference_path("SOURCES.md").parent),
        "merge": decisive["merge"],
        "recover": decisive["recover"],
        "patterns": "patterns" in detect["detectors"],
    }
    parts = {
        "code": _neural_code_hash(package, with_rules=reads_rules),
        "rules": rules if reads_rules else {},
        "libraries": library_versions() | torch_versions(settings),
        "models": list(model_hashes),
        "settings": {name: value for name, value in detect.items() if name not in _NOT_NEURAL},
    }
    return _digest(parts)


def decisive_settings(settings: InstitutionSettings) -> dict[str, Any]:
    """The settings that change the output; sets that are written as lists come sorted, since their order says nothing."""
    kept = settings.model_dump(mode="json", include=set(DECISIVE))
    kept["max_characters"] = settings.notes.max_characters
    kept["detect"]["detectors"] = sorted(kept["detect"]["detectors"])
    kept["policy"]["keep"] = sorted(kept["policy"]["keep"])
    # An answer from the cache is the answer that reading again would give.
    del kept["detect"]["cache"]
    # A replacement list is what its file holds, wherever that lies.
    lists = settings.obfuscate.lists
    kept["obfuscate"]["lists"] = {str(entity): _content_hash(Path(lists[entity])) for entity in sorted(lists)}
    for model in kept["detect"]["transformers"]:
        # How much is read at once, and by how many threads: an answer depends on its text alone.
        for part in (model, model["second_stage"] or {}):
            part.pop("threads", None)
            part.pop("batch_word_pieces", None)
    return kept


@cache
def library_versions() -> dict[str, str]:
    """Releases of what the engine computes with, and of the tables that say what a letter is."""
    versions = {name: importlib.metadata.version(name) for name in LIBRARIES}
    versions["python"] = ".".join(map(str, sys.version_info[:2]))
    versions["unicode"] = unicodedata.unidata_version
    return versions


def torch_versions(settings: InstitutionSettings) -> dict[str, str]:
    """Releases of ``TORCH_LIBRARIES`` where a model runs on them, empty where none does."""
    models = settings.detect.transformers
    if all(part.backend != "torch" for model in models for part in (model, model.second_stage or model)):
        return {}
    found = {}
    for name in TORCH_LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "none"
    return found


@cache
def _code_hash(package: Path) -> str:
    files = [package / name for name in MODULES]
    for wing in WINGS:
        files.extend(_code_files(package / wing))
    return _hash_files(package, files)


def _code_files(folder: Path) -> list[Path]:
    """Return the modules below ``folder`` and the word lists that lie beside them."""
    return [path for pattern in ("*.py", "*.txt", "*.tsv") for path in folder.rglob(pattern)]


@cache
def _neural_code_hash(package: Path, *, with_rules: bool) -> str:
    rules = package / "engine" / "detect" / "patterns"
    files = [
        path
        for room in (_RULE_ROOMS if with_rules else _NEURAL_ROOMS)
        for path in _code_files(package / room)
        if with_rules or rules not in path.parents
    ]
    if with_rules:
        files += [package / name for name in _RULE_MODULES]
    return _hash_files(package, [package / "core" / "entities.py", *files])


@cache
def _reference_hash(folder: Path) -> str:
    return _hash_files(folder, folder.glob("*.tsv"))


def _digest(parts: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def _content_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _hash_files(root: Path, files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()
