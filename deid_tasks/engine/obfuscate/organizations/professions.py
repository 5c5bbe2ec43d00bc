"""Professions: another one of the same field of work and a like level of training, after the job zones of O*NET.

What a note says of somebody's work (calving, the school bus, a hull) then holds for the surrogate too.
"""

import re
from collections.abc import Sequence
from functools import cache

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.grammar import takes_an
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.note_context import NoteContext
from deid_tasks.engine.obfuscate.word_lists import read_grouped_list

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
_GENERAL_WORDS = frozenset(
    [
        "aide",
        "assistant",
        "builder",
        "clerk",
        "designer",
        "dispatcher",
        "driver",
        "engineer",
        "executive",
        "foreman",
        "instructor",
        "judge",
        "manager",
        "operator",
        "porter",
        "owner",
        "proprietor",
        "school",
        "supervisor",
        "teacher",
        "tech",
        "trainer",
        "trucker",
        "worker",
    ]
)
"""Words that many fields have: they tell the field where no other word does."""
_MIN_OF_FIELD = 2
_ARTICLE = re.compile(r"\b[Aa]n? $")
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


def replace_profession(value: str, context: NoteContext) -> str:
    """Return another profession of the field; "retired", "former" and the plural stay.

    Of a profession whose field is unknown: one that any employer has.
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
    surrogate = _other_profession(single, context)
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
        + _with_article(found["head"], surrogate)
        + (surrogate if _is_acronym(core) else match_case(surrogate.capitalize() if is_title else surrogate, core))
        + found["tail"]
    )


def _with_article(head: str, surrogate: str) -> str:
    """Return the words in front with the article that the surrogate takes: "an RN" and "a nurse"."""
    if (article := _ARTICLE.search(head)) is None:
        return head
    return head[: article.start() + 1] + ("n " if takes_an(surrogate) else " ")


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
    if len(folded) < 3 or not folded.endswith("s") or folded in _fields_and_levels():
        return False
    return folded[:-1] in _fields_and_levels() or not folded.endswith("ss")


def _other_profession(single: str, context: NoteContext) -> str:
    options = _without(single, _of_field(single)) or _of_any_employer(single)
    if context.options.same_length:
        others = [name for name in _fields_and_levels() if name != single]
        options = [name for name in (*options, *others) if len(name) == len(single)] or options
    return context.keyed.choice(options, "profession", context.patient_id, single)


def _of_field(single: str) -> list[str]:
    """Return the professions of the field of ``single``: those of its level or beside it, or else all."""
    field, level = _field(single), _level(single)
    names = _levels_by_field().get(field, [])
    near = [name for name, its in names if abs(its - level) <= 1]
    return near if len(_without(single, near)) >= _MIN_OF_FIELD else [name for name, _ in names]


def _of_any_employer(single: str) -> list[str]:
    names = read_grouped_list("organizations/professions_of_any_employer.tsv")
    of_level = names[str(min(_level(single), _MAX_LEVEL_OF_ANY_EMPLOYER))]
    return _without(single, of_level) or list(of_level)


def _without(single: str, names: Sequence[str]) -> list[str]:
    return [name for name in names if name not in single and single not in name]


@cache
def _field(single: str) -> str:
    """Return the field of work of a profession; empty where no word tells it."""
    if single in _fields_and_levels():
        return _fields_and_levels()[single][0]
    words = re.findall(r"[^\W_]+(?:[-'’][^\W_]+)*", single)[::-1]
    words += [part for word in words if "-" in word for part in word.split("-")[::-1]]
    fields = [(word, _field_of_word(word)) for word in words]
    specific = next((field for word, field in fields if field and word not in _GENERAL_WORDS), "")
    return specific or next((field for _, field in fields if field), "")


def _field_of_word(word: str) -> str:
    words, starts = _field_words()
    for form in (word, word.removesuffix("s")):
        if found := words.get(form):
            return found
    return next((field for start, field in starts if word.startswith(start)), "")


@cache
def _field_words() -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    """Return the field of each word, and of each start of a word."""
    fields = read_grouped_list("organizations/profession_words.tsv")
    pairs = [(word, field) for field, words in fields.items() for word in words]
    starts = tuple((word[:-1], field) for word, field in pairs if word[-1] == "*")
    return {word: field for word, field in pairs if word[-1] != "*"}, starts


@cache
def _fields_and_levels() -> dict[str, tuple[str, int]]:
    """Return field and level of each listed profession."""
    rows = read_grouped_list("organizations/professions.tsv")
    split = ((field, *row.split("\t")) for field, entries in rows.items() for row in entries)
    return {name: (field, int(level)) for field, level, name in split}


@cache
def _levels_by_field() -> dict[str, list[tuple[str, int]]]:
    """Return the listed professions of each field, with their levels."""
    found: dict[str, list[tuple[str, int]]] = {}
    for name, (field, level) in _fields_and_levels().items():
        found.setdefault(field, []).append((name, level))
    return found


def _level(folded: str) -> int:
    if folded in _fields_and_levels():
        return _fields_and_levels()[folded][1]
    return next((level for ending, level in _LEVEL_ENDINGS if ending.search(folded)), _TRADE)
