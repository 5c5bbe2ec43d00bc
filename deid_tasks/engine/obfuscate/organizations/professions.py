"""Professions: another one of the same sector and a like level of training, after the job zones of O*NET."""

import re
from collections.abc import Sequence
from functools import cache

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.note_context import NoteContext
from deid_tasks.engine.obfuscate.word_lists import read_grouped_list

_MAX_LEVEL = 3
_MAX_LEVEL_OF_ANY_EMPLOYER = 2
_TRADE = 1
"""The level of professions that neither the list nor an ending knows."""
_LEVEL_ENDINGS = (
    (
        re.compile(
            r"(?:professor|attorney|lawyer|physician|surgeon|dentist|judge|psychologist|scientist|executive|ceo|cfo"
            r"|president)s?$"
        ),
        3,
    ),
    (
        re.compile(
            r"(?:engineer|teacher|manager|analyst|nurse|rn|designer|developer|therapist|pastor|minister|officer"
            r"|consultant|director|coach)s?$"
        ),
        2,
    ),
    (re.compile(r"(?:worker|helper|attendant|cleaner|clerk|laborer|aide|stocker|picker|driver)s?$"), 0),
)
"""Endings of professions that the list does not have, and their levels."""
_WRITTEN = re.compile(
    r"""(?P<head>(?:(?:
            retired|former|semi-retired|disabled|unemployed|part-time|full-time|self-employed|ex|an?|prior|previous
            |current|as|works|worked|was|is|career|longtime|active
        )[\s-]+)*)
        (?P<core>.+?)
        (?P<tail>\s*(?:\((?:retired|ret)\.?\)|,?\s+retired|for[ ]\d+[ ]years)?)""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_SECTORS = tuple(
    re.compile(rf"\b(?:{words})")
    for words in (
        r"cook|chef|baker|butcher|dishwasher|waiter|waitress|barista|bartender|server|deli|food|cater|cafeteria|kitchen",
        r"teacher|teaching|professor|lecturer|librarian|school|preschool|principal|dean\b|tutor|instructor|counselor|coach",
        r"nurse|hygienist|medical|dental|pharmacy|phlebotom|therapist|dietitian|optometr|surgeon|physician|veterinar"
        r"|pharmacist|dentist|psycholog|psychiatr|health",
        r"driver|trucker|dispatcher|courier|mail carrier|pilot|flight|postal|mover|warehouse|forklift|stock|packer"
        r"|logistic",
        r"farm|fisher|lobster|deckhand|shear|ranch|landscap|logger|log scaler|orchard|packhouse|dairy|grower",
        r"carpenter|electrician|plumber|mason\b|roofer|welder|painter|ironworker|pipefitter|drywall|construction"
        r"|machinist|mechanic\b|builder|millwright|ship fitter|crane|surveyor|civil engineer",
        r"clerk|accountant|bookkeeper|secretary|receptionist|administrative|office|insurance|teller|analyst|auditor|broker"
        r"|paralegal|buyer",
        r"hairdresser|barber|braider|nail|salon|stylist|tailor|florist|cosmetolog",
        r"police|firefighter|security|guard|correctional|soldier|sergeant",
        r"musician|organist|band|artist|photograph|journalist|editor|writer|designer|reporter|actor",
    )
)
"""Words that the professions of one sector have: a cook's surrogate still works in a kitchen."""
_MIN_OF_SECTOR = 2
_MAX_ACRONYM_LENGTH = 4
_SERVICES = ("Army", "Navy", "Air Force", "Marine Corps", "Coast Guard")
_SERVICE = re.compile(r"\b(?:Army|Navy|Air Force|Marine Corps|Marines?|Coast Guard)\b", re.IGNORECASE)
"""A service is exchanged for another: a veteran stays a veteran."""
_WORK_STATES = frozenset(
    [
        "veteran",
        "retired",
        "disabled",
        "unemployed",
        "student",
        "homemaker",
        "housewife",
        "self-employed",
        "self employed",
        "employed",
        "on disability",
    ]
)
"""They name no profession, and stay."""


_STUDENTS = ("college student", "nursing student", "exchange student", "part-time student", "trade school student")


def replace_profession(value: str, context: NoteContext, *, of_any_employer: bool = False) -> str:
    """Return another profession of the same level; "retired", "former" and the plural stay.

    Args:
        value: the original.
        context: of the note.
        of_any_employer: whether an employer stands beside it, so that only a profession will do that all of them have.
    """
    found = _WRITTEN.fullmatch(value.strip())
    if found is None or fold(value) in _WORK_STATES:
        return value
    core = found["core"]
    folded = fold(core)
    if not any(char.isalnum() for char in folded):
        return context.keyed.like(value, "profession")
    if service := _SERVICE.search(core):
        others = [name for name in _SERVICES if name.casefold() != service.group().casefold()]
        other = context.keyed.choice(others, "service", context.patient_id, fold(service.group()))
        return value.replace(service.group(), match_case(other, service.group()))
    if folded.split()[-1].rstrip("s") in {"student", "pupil"}:
        return _replace_student(value, core, context)
    is_plural = _is_plural(folded)
    single = folded[:-1] if is_plural else folded
    surrogate = (_of_any_employer if of_any_employer else _other_profession)(single, context)
    if is_plural:
        surrogate += "s" if surrogate[-1] not in "sh" else "es"
    is_title = core[:1].isupper() and all(word[:1].isupper() for word in core.split())
    has_place = any(word[:1].isupper() for word in core.split()[1:])
    if core[:1].isupper() and not core.isupper() and not is_title and not has_place:
        # The first word of a sentence: "Rice mill owner by occupation."
        surrogate = surrogate[:1].upper() + surrogate[1:]
    lead = value[: len(value) - len(value.lstrip())]
    return (
        lead
        + found["head"]
        + (surrogate if _is_acronym(core) else match_case(surrogate.capitalize() if is_title else surrogate, core))
        + found["tail"]
    )


def _replace_student(value: str, core: str, context: NoteContext) -> str:
    """Return another student: classes and schools beside the word would fit no trade."""
    others = [name for name in _STUDENTS if name not in fold(core)]
    made = context.keyed.choice(others, "student", context.patient_id, fold(core))
    if fold(core).endswith("s"):
        made += "s"
    return value.replace(core, match_case(made.capitalize() if core[:1].isupper() else made, core))


def _is_acronym(core: str) -> bool:
    """Whether a profession is written as a degree is: an RN, a CNA."""
    return core.isupper() and 1 < len(core) <= _MAX_ACRONYM_LENGTH


def _is_plural(folded: str) -> bool:
    if len(folded) < 3 or not folded.endswith("s") or folded in _levels():
        return False
    return folded[:-1] in _levels() or not folded.endswith("ss")


def _other_profession(single: str, context: NoteContext) -> str:
    level = _level(single)
    options = _without(single, _of_sector(single, level))
    if len(options) < _MIN_OF_SECTOR:
        options = _without(single, _of_level(level)) or [name for name in _of_level(level) if name != single]
    if context.options.same_length:
        others = [name for name in _of_level(level) if name != single]
        options = [name for name in (*options, *others) if len(name) == len(single)] or options
    return context.keyed.choice(options, "profession", context.patient_id, single)


def _of_any_employer(single: str, context: NoteContext) -> str:
    names = read_grouped_list("organizations/professions_of_any_employer.tsv")[
        str(min(_level(single), _MAX_LEVEL_OF_ANY_EMPLOYER))
    ]
    return context.keyed.choice(_without(single, names), "profession", context.patient_id, single)


def _without(single: str, names: Sequence[str]) -> list[str]:
    return [name for name in names if name not in single and single not in name]


def _of_sector(single: str, level: int) -> list[str]:
    """Return the professions of the sector of ``single`` whose level is its own or beside it."""
    sector = _sector(single)
    levels = range(max(0, level - 1), min(_MAX_LEVEL, level + 1) + 1)
    return [name for one in levels for name in _of_level(one) if _sector(name) == sector] if sector else []


@cache
def _sector(name: str) -> int:
    """Return the number of the sector of a profession, by its last word before the others; 0 for none."""
    for text in (name.rsplit(" ", 1)[-1], name):
        for number, words in enumerate(_SECTORS, start=1):
            if words.search(text):
                return number
    return 0


def _of_level(level: int) -> tuple[str, ...]:
    return read_grouped_list("organizations/professions.tsv")[str(level)]


@cache
def _levels() -> dict[str, int]:
    return {name: level for level in range(4) for name in _of_level(level)}


def _level(folded: str) -> int:
    if folded in _levels():
        return _levels()[folded]
    return next((level for ending, level in _LEVEL_ENDINGS if ending.search(folded)), _TRADE)
