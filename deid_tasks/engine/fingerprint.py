"""The fingerprint: one hash of everything that decides what the engine puts out, and of nothing else.

Two narrower hashes version the sentence cache. ``neural_version`` changes with everything that decides what the models
answer for a sentence, and then no entry holds any more:

- the models' weights and configuration, and their settings except batch size and threads;
- the code of ``engine/text``, of ``engine/detect`` without ``detect/patterns``, of ``engine/cascade`` and of
  ``core/entities``;
- the releases of the libraries in ``LIBRARIES``, of Python and of Unicode; with ``backend: torch`` those of its
  libraries too;
- if a model reads what patterns say of each word, also what ``rules_version`` covers.

A cascade asks its second model only where the answer can change the final spans. What decides that is
``rules_version``. After a change, entries of sentences without uncertain words hold as they are, and the others are
chosen again from the cached answers of both models:

- the code of ``engine/detect/patterns``, ``engine/lexicon``, ``engine/merge``, ``engine/recover`` and
  ``engine/resolve``;
- the public reference lists, the sections ``merge`` and ``recover``, and whether ``patterns`` is among the detectors.

An institution's own patterns, context rules, dictionaries, templates and inclusion list change neither.
"""

import hashlib
import importlib.metadata
import json
import sys
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from deid_tasks.core.detectors import DetectorName
from deid_tasks.core.reference import reference_path
from deid_tasks.endpoints.prompt_files import load_prompt
from deid_tasks.settings import EngineSettings

WINGS = ("core", "engine")
MODULES = (
    # Decide which of a patient's records reach the engine.
    "platform/warehouse/patients.py",
    "platform/warehouse/statements.py",
)
"""Code that decides the output. The code that reads settings is not part of it: the values of the settings are."""

LIBRARIES = ("google-re2", "numpy", "onnxruntime", "rapidfuzz", "tokenizers")
"""What the code above computes with. Another release may round, match or split differently. Only a gold set can show
that it does not, and an evaluation costs minutes."""

TORCH_LIBRARIES = ("onnx", "safetensors", "torch", "transformers")
"""What else computes if a model's settings say ``backend: torch``; they may not be installed."""

DECISIVE = frozenset({"detect", "merge", "recover", "judge", "policy", "obfuscate", "second_search"})
"""Sections of the settings that change the output. Of ``notes`` only the maximum length does."""
_NOT_OF_JUDGE = frozenset(
    {
        *(
            "base_url",
            "api_key_variable",
            "api_key_secret",
            "allow_remote",
            "is_streaming",
            "timeout_seconds",
            "attempts",
        ),
        *("max_wait_seconds", "concurrency", "max_failures_in_a_row", "cache"),
        *("dollars_per_million_input", "dollars_per_million_cached", "dollars_per_million_output"),
    }
)
"""Settings of the judge that decide no answer: where the model is, how it is reached, and what it costs."""
_ENDPOINTS, _PROMPTS = "endpoints", "endpoints/prompts"
"""Code beside the engine's that decides what a judge answers; of the prompts only the judge's own does."""
_NOT_NEURAL = frozenset({"detectors", "patterns", "context", "inclusion", "target_recall"})
"""Settings of detection that the models' answers do not depend on."""
_PATTERNS = "engine/detect/patterns"
_NEURAL_CODE = ("core/entities.py", "engine/text", "engine/detect", "engine/cascade.py")
"""Code that decides what the models answer, without ``_PATTERNS``."""
_RULE_CODE = (
    "core/reference.py",
    "core/us_states.py",
    "core/detectors.py",
    _PATTERNS,
    "engine/lexicon",
    "engine/merge",
    "engine/recover",
    "engine/resolve.py",
)
"""Code that decides which texts a second-stage model reads."""
_PACKAGE = Path(__file__).parents[1]


def fingerprint(
    settings: EngineSettings,
    institution: str,
    lexicon_version: str,
    model_hashes: tuple[str, ...],
    package: Path = _PACKAGE,
    reference: Path | None = None,
    harvested: tuple[str, ...] = (),
    people: str = "",
) -> str:
    """Return the fingerprint of an engine.

    It covers code, libraries, reference lists, weights, lexicon, approved harvest, known people and decisive
    settings. Thresholds, schedules, owners and addresses are not part of it: they change what is done with the
    output, not the output. Secrets are not part of it either: another key gives other surrogates at the same
    positions. Nor are patients' records, which change daily.

    Args:
        settings: the engine's.
        institution: the institution's name.
        lexicon_version: hash of its compiled dictionaries.
        model_hashes: of the weights and the configuration of each transformer, in the order of the settings.
        package: folder of this package.
        reference: folder of the public reference lists; the shipped one if ``None``.
        harvested: versions of the approved inclusion list and templates.
        people: version of the known people, whom surrogates avoid.

    Returns:
        32 hexadecimal digits. Without lexicon and known people, both empty, it is the engine's base fingerprint: it
        changes with code, models, settings and harvest, and not with each night's dictionaries.
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
        "institution": institution,
        "settings": decisive_settings(settings),
    }
    if settings.judge is not None:
        parts["judge"] = _part_hash(package, (_ENDPOINTS,), without=_PROMPTS)
    return _digest(parts)


def neural_version(settings: EngineSettings, model_hashes: tuple[str, ...], package: Path = _PACKAGE) -> str:
    """Return the version of the models' answers; the module's docstring lists its parts.

    Args:
        settings: the engine's.
        model_hashes: of the weights and the configuration of each transformer, in the order of the settings.
        package: folder of this package.

    Returns:
        32 hexadecimal digits.
    """
    detect = decisive_settings(settings)["detect"]
    parts = {
        "code": _part_hash(package, _NEURAL_CODE, without=_PATTERNS),
        "libraries": library_versions() | torch_versions(settings),
        "models": list(model_hashes),
        "settings": {name: value for name, value in detect.items() if name not in _NOT_NEURAL},
    }
    return _digest(parts)


def rules_version(settings: EngineSettings, package: Path = _PACKAGE, reference: Path | None = None) -> str:
    """Return the version of the rules that decide which texts a second-stage model reads.

    Args:
        settings: the engine's.
        package: folder of this package.
        reference: folder of the public reference lists; the shipped one if ``None``.

    Returns:
        32 hexadecimal digits.
    """
    decisive = decisive_settings(settings)
    parts = {
        "code": _part_hash(package, _RULE_CODE),
        "reference": _reference_hash(reference or reference_path("SOURCES.md").parent),
        "merge": decisive["merge"],
        "recover": settings.recover.enabled,
        "patterns": DetectorName.PATTERNS in decisive["detect"]["detectors"],
    }
    return _digest(parts)


def decisive_settings(settings: EngineSettings) -> dict[str, Any]:
    """Return the settings that change the output, as JSON; lists whose order means nothing are sorted."""
    decisive = settings.model_dump(mode="json", include=set(DECISIVE), warnings=False)
    decisive["max_characters"] = settings.notes.max_characters
    decisive["detect"]["detectors"] = sorted(decisive["detect"]["detectors"])
    decisive["policy"]["keep"] = sorted(decisive["policy"]["keep"])
    if settings.judge is None:
        del decisive["judge"]
    else:
        judge = {name: value for name, value in decisive["judge"].items() if name not in _NOT_OF_JUDGE}
        decisive["judge"] = judge | {"prompt": load_prompt(settings.judge.prompt).digest}
    # An answer from the cache equals the answer of reading again.
    del decisive["detect"]["cache"]
    # A replacement list is the content of its file, wherever the file is.
    lists = settings.obfuscate.lists
    decisive["obfuscate"]["lists"] = {str(entity): _content_hash(Path(lists[entity])) for entity in sorted(lists)}
    for model in decisive["detect"]["transformers"]:
        # Batch size and threads: an answer depends on its text alone.
        for part in (model, model["sentence_filter"] or {}, model["second_stage"] or {}):
            part.pop("threads", None)
            part.pop("batch_word_pieces", None)
    return decisive


@cache
def library_versions() -> dict[str, str]:
    """Return the releases of ``LIBRARIES``, of Python, and of Unicode, whose tables define letters."""
    versions = {name: importlib.metadata.version(name) for name in LIBRARIES}
    versions["python"] = ".".join(map(str, sys.version_info[:2]))
    versions["unicode"] = unicodedata.unidata_version
    return versions


def torch_versions(settings: EngineSettings) -> dict[str, str]:
    """Return the releases of ``TORCH_LIBRARIES`` if a model runs on them; otherwise nothing."""
    if all(part.backend != "torch" for model in settings.detect.transformers for part in model.parts):
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
def _part_hash(package: Path, parts: tuple[str, ...], without: str = "") -> str:
    """Return the hash of some of the package's modules and folders, of which the folder ``without`` is left out."""
    files = []
    for part in parts:
        path = package / part
        files.extend([path] if path.suffix else _code_files(path))
    return _hash_files(package, [path for path in files if not without or package / without not in path.parents])


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
