"""The detector registry: the name and the traits of every detector, in one table.

Settings, engine, merging, recovery, cascade, ablation and the docs read this table. How a detector is built stands in
``engine.registry``, which has one builder a row.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class DetectorName(StrEnum):
    """The detectors that settings can name."""

    PATTERNS = "patterns"
    CONTEXT = "context"
    LEXICON = "lexicon"
    PATIENT = "patient"
    TEMPLATES = "templates"
    TRANSFORMER = "transformer"


class Requirement(StrEnum):
    """What a detector needs beside the text of a note."""

    NOTHING = "nothing"
    RULES = "rules in the settings"
    LEXICON = "the institution's compiled lexicon"
    PATIENT_RECORDS = "the records of the batch's patients"
    APPROVED_HARVEST = "approved templates"
    MODEL_WEIGHTS = "model weights"


class CostClass(StrEnum):
    """How much processor time a detector takes, relative to the others."""

    LOOKUP = "lookup"
    """One pass of an automaton or a hash table over the tokens."""
    RULES = "rules"
    """Many regular expressions, each linear in the text."""
    NEURAL = "neural"
    """Matrix products for every word: most of an engine's time."""


class Recoverability(StrEnum):
    """Which spans of a detector the recovery of medical terms may remove."""

    NEVER = "never"
    """The institution wrote the rule itself."""
    PHRASES = "phrases"
    """Spans inside a medical term of several words or a notation. One word alone stays: the detector had a reason."""
    WORDS = "words"
    """Single words as well: the detector judged by context alone."""


@dataclass(frozen=True, slots=True)
class DetectorTraits:
    """One row of the registry."""

    name: DetectorName
    requirement: Requirement
    cost: CostClass
    recoverable: Recoverability
    description: str
    """One line for people."""
    is_public: bool = False
    """Whether the detector works without anything of an institution."""
    is_from_dictionaries: bool = False
    """Whether its terms come from the institution's dictionaries."""


_TABLE = (
    DetectorTraits(
        DetectorName.PATIENT,
        Requirement.PATIENT_RECORDS,
        CostClass.LOOKUP,
        Recoverability.PHRASES,
        "Names, identifiers, contacts and addresses of the note's own patient.",
        is_from_dictionaries=True,
    ),
    DetectorTraits(
        DetectorName.CONTEXT,
        Requirement.RULES,
        CostClass.RULES,
        Recoverability.NEVER,
        "The institution's own patterns with what must stand around them.",
    ),
    DetectorTraits(
        DetectorName.PATTERNS,
        Requirement.NOTHING,
        CostClass.RULES,
        Recoverability.PHRASES,
        "Regular expressions and word lists for dates, identifiers, contacts, names with titles, and places.",
        is_public=True,
    ),
    DetectorTraits(
        DetectorName.TEMPLATES,
        Requirement.APPROVED_HARVEST,
        CostClass.LOOKUP,
        Recoverability.PHRASES,
        "Sentence templates that were harvested from the institution's notes and approved by a person.",
    ),
    DetectorTraits(
        DetectorName.LEXICON,
        Requirement.LEXICON,
        CostClass.LOOKUP,
        Recoverability.PHRASES,
        "Names of the institution's patients, clinicians and facilities, and addresses.",
        is_from_dictionaries=True,
    ),
    DetectorTraits(
        DetectorName.TRANSFORMER,
        Requirement.MODEL_WEIGHTS,
        CostClass.NEURAL,
        Recoverability.WORDS,
        "Token-classification models, each with an optional second-stage model.",
        is_public=True,
    ),
)
DETECTORS: dict[DetectorName, DetectorTraits] = {row.name: row for row in _TABLE}
"""The registry, strongest first: the default priority of merging."""

RUN_ORDER = (
    DetectorName.PATTERNS,
    DetectorName.CONTEXT,
    DetectorName.LEXICON,
    DetectorName.TEMPLATES,
    DetectorName.TRANSFORMER,
    DetectorName.PATIENT,
)
"""The order in which an engine runs its detectors. Results do not depend on it."""

PUBLIC_DETECTORS = tuple(name for name in RUN_ORDER if DETECTORS[name].is_public)
"""The detectors of an engine without an institution."""

DICTIONARY_DETECTORS = frozenset(name for name, row in DETECTORS.items() if row.is_from_dictionaries)
"""The detectors whose terms come from the institution's dictionaries."""

SHORT_NAMES = "short_names"
"""The detector of initials and acronyms that merging marks because their name stands in full in the same note."""

SEPARATOR = ":"
"""Stands between a detector's name and the name of one of its models, as in ``transformer:minilm``."""


def base_name(detector: str) -> str:
    """Return the registered name in a span's detector: ``transformer`` for ``transformer:minilm:alone``."""
    return detector.split(SEPARATOR, 1)[0]


def is_neural(detector: str) -> bool:
    """Whether a detector of that name is a model: ``transformer``, or ``transformer:`` and the model's name."""
    return base_name(detector) == DetectorName.TRANSFORMER


def recoverable_as(levels: Iterable[Recoverability]) -> frozenset[str]:
    """Return the names of the detectors whose spans recovery may remove to one of the extents ``levels``."""
    wanted = frozenset(levels)
    return frozenset(str(name) for name, row in DETECTORS.items() if row.recoverable in wanted)
