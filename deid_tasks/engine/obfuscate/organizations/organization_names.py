"""Hospitals, clinics, pharmacies, employers and schools: another name of the same kind, the same in all notes of the institution.

Words that say what a place is stay ("General Hospital"); those that say which give way to others whose first letters depend on
their first letters alone. So an abbreviation follows its name even where the name does not stand beside it: MGH, of a Mercy General
Hospital that is now Windsor General Hospital, is WGH.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import count

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.keyed_choices import KeyedChoices
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.note_context import NoteContext
from deid_tasks.engine.obfuscate.organizations.organization_words import (
    CHAINS,
    DIRECTIONS,
    KINDS,
    LOCATIVES,
    SAINTS,
    UNITS,
    first_words,
    letters_of,
    second_words,
    single_names,
)
from deid_tasks.engine.obfuscate.people.name_pools import common_surnames, surname_groups
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.people.name_text import rewrite_words, split_words
from deid_tasks.engine.obfuscate.places.cities import surrogate_state_name

_LONGEST_ABBREVIATION = 6
_LONGEST_LETTERS = 4
_VOWELS = frozenset("aeiouy")
_KIND_LETTERS = re.compile(r"(?<=[A-Z])(?:RMC|MMC|UMC|CMC|UMH|WH|MC|GH|CH|MH|RH|UH|HC|HS|VA|H|C)$")
"""What words of kind leave at the end of an abbreviation: Medical Center, General Hospital, Clinic."""
_SAINT = re.compile(r"\b(st\.?|saint|ste\.?)\s+([^\W\d_]+?)(['’]s|['’])?(?![\w])", re.IGNORECASE)
_DAYS = re.compile(r"\b[MTWF]-[FSTW]\b")
_ARTICLE = re.compile(r"the\s+", re.IGNORECASE)
_NAMES_A_CHAIN = re.compile(
    r"\s*(?:[#(,-]|\d|pharmacy|store|drug|warehouse|supercenter|on\b|at\b|in\b|of\b|health|insurance|bank|distribution)",
    re.IGNORECASE,
)
"""What follows a chain's name and leaves it one: "Target" is a shop in "Target #12" and none in "Target Heart Clinic"."""
_TAIL = re.compile(r"(?:\s+(?:of|at|and|the|for|in|on|&))+$", re.IGNORECASE)
_HEAD = re.compile(r"^(?:of|at|and|for|in|on|&)\s+", re.IGNORECASE)
_LOW = frozenset(["of", "the", "and", "at", "for", "in", "on", "&"])
_FIRMS = frozenset(
    [
        "sons",
        "brothers",
        "associates",
        "realty",
        "partners",
        "llc",
        "inc",
        "farms",
        "farm",
        "plumbing",
        "trucking",
        "co",
    ]
)
"""Kinds that the name of a person usually stands before."""


def replace_organization(value: str, context: NoteContext, long_names: Sequence[str] = ()) -> str:
    """Another proper name beside the words that say what it is; an abbreviation follows that of its name.

    ``long_names`` are the places that the note names in full, where an abbreviation may find its own.
    """
    words = split_words(value)
    staff = context.staff
    if not words:
        return context.keyed.like(value, "organization", fold(value))
    if fold(value) in UNITS:
        return value
    if chain := _chain(value, staff):
        return chain
    if len(words) == 1 and _is_abbreviation(words[0]):
        return _abbreviated(value, words[0], context, long_names)
    made = _renamed(value, words, staff)
    return made if fold(made) != fold(value) else f"{_name(fold(value), 'one', staff)} {value}"


def says_no_name(value: str) -> bool:
    """Whether ``value`` holds nothing but words of kind ("District", "City of"): a part of a name that stands beside it."""
    words = split_words(value)
    return bool(words) and all(fold(word) in KINDS for word in words)


def _renamed(value: str, words: Sequence[str], staff: NameScope) -> str:
    saint = _SAINT.search(value)
    if saint:
        name = _saint(saint, staff)
        head, tail = value[: saint.start(2)], value[saint.end() :]
        return head + name + _rest(tail, staff)
    own = [word for word in words if fold(word) not in KINDS]
    # KeyedChoices by the distinctive words alone: "Mercy General" and "Mercy General Hospital" stay one place.
    proper = [
        word
        for word in own
        if fold(word) not in DIRECTIONS and fold(word) not in LOCATIVES and not _has_digit(word) and len(word) > 1
    ]
    distinctive = " ".join(map(fold, proper))
    new = iter(_new_names(distinctive, words, staff)) if proper else iter(())
    # The days that somebody comes or a place is open, which were taken for a part of its name.
    days = frozenset(found.group()) if (found := _DAYS.search(value)) else frozenset()
    is_lower = bool(proper) and all(word.islower() for word in proper) and not value.isupper()

    def rewrite(word: str) -> str | None:
        folded = fold(word)
        if folded in KINDS:
            return word
        if _has_digit(word):
            direction = re.fullmatch(r"(\d+)([NSEWnsew])", word)
            number = staff.keyed.like(direction[1] if direction else word, "organization", distinctive)
            return number + match_case(_side(direction[2], staff), direction[2] * 2) if direction else number
        if len(word) == 1 and word.isalpha():
            if word in days:
                return word
            return staff.keyed.like(word, "organization", distinctive)
        if (others := _places_like(folded)) is not None:
            return match_case(staff.keyed.choice(others, "locative", folded), word)
        made = next(new, None)
        if made is None:
            return None
        return made.lower() if is_lower else match_case(made, value)

    text = rewrite_words(value, rewrite)
    # "Church of Hanover" has lost Hanover to the name in front.
    text = _HEAD.sub("", _TAIL.sub("", text)) if proper else text
    if fold(text) == fold(value):
        name = _name(fold(value), "one", staff)
        return match_case(name, value) + " " + value
    return text


def _rest(tail: str, staff: NameScope) -> str:
    """What stands behind a saint: words of kind, and perhaps a town, which goes."""
    text = rewrite_words(
        tail,
        lambda word: (
            word if fold(word) in KINDS else staff.keyed.like(word, "organization") if _has_digit(word) else None
        ),
    )
    return _TAIL.sub("", text).rstrip(", -")


def _saint(found: re.Match[str], staff: NameScope) -> str:
    folded = fold(found[2])
    name = _other(SAINTS, folded, staff, "saint")
    return match_case(name, found[2]) + (found[3] or "")


def _side(letter: str, staff: NameScope) -> str:
    return staff.keyed.choice([side for side in "NSEW" if side != letter.upper()], "side", letter.upper())


def _places_like(folded: str) -> tuple[str, ...] | None:
    if folded in DIRECTIONS:
        return tuple(name.title() for name in DIRECTIONS if name != folded)
    others = LOCATIVES.get(folded)
    return tuple(name for name in others if name.lower() != folded) if others else None


def _new_names(distinctive: str, words: Sequence[str], staff: NameScope) -> tuple[str, ...]:
    """The words that stand for the distinctive ones: a person's name for a firm's, two for two, a state for a state."""
    if state := surrogate_state_name(distinctive, staff):
        return tuple(state.split())
    parts = distinctive.split()
    is_firm = bool(_FIRMS & set(map(fold, words))) and parts[0] in surname_groups()
    if is_firm:
        return (staff.surname(parts[0]), *(staff.surname(part) for part in parts[1:2] if part in surname_groups()))
    if len(parts) == 1:
        return (_name(parts[0], "one", staff),)
    return (_name(parts[0], "first", staff, distinctive), _name(parts[1], "second", staff, distinctive))


def _name(folded: str, table: str, staff: NameScope, distinctive: str = "") -> str:
    letter = _letter(folded[:1], table, staff)
    names = {"one": single_names, "first": first_words, "second": second_words}[table]()[letter]
    if table == "one":
        # Towns and surnames alike give clinics their names; with both, few places of one institution share one.
        names = (*names, *common_surnames().get(letter, ())[:12])
    return _other(names, distinctive or folded, staff, "organization", table)


def _letter(letter: str, table: str, staff: NameScope) -> str:
    """The letter for ``letter``: of the shorter words of two tables, so that one map serves names of one word and of two."""
    return _letter_of(letter, table, staff.keyed)


@lru_cache(maxsize=4_096)
def _letter_of(letter: str, table: str, keyed: KeyedChoices) -> str:
    options = {*letters_of("one")} & {*letters_of(table)}
    for attempt in count():
        made = keyed.choice(letters_of("one"), "organization letter", letter, str(attempt))
        if made != letter and made in options:
            return made
    raise AssertionError("unreachable")


def _other(options: Sequence[str], folded: str, staff: NameScope, *parts: str) -> str:
    """One of ``options`` that ``folded`` does not hold."""
    for attempt in range(50):
        made = staff.keyed.choice(options, *parts, folded, str(attempt))
        if fold(made) not in folded:
            return made
    return options[0]


def _is_abbreviation(word: str) -> bool:
    letters = re.sub(r"[^\w]", "", word)
    if _has_digit(word):
        return False
    if len(letters) <= 2:
        return True
    if word.islower():
        return len(letters) < _LONGEST_ABBREVIATION and not set(letters) & _VOWELS
    return word.isupper() and len(letters) <= _LONGEST_ABBREVIATION and fold(word) not in surname_groups()


def _abbreviated(value: str, word: str, context: NoteContext, long_names: Sequence[str]) -> str:
    letters = "".join(char for char in word if char.isalpha())
    made = next((new for name in long_names if (new := _like_long_name(letters, name, context))), None)
    if made is None:
        kind = _KIND_LETTERS.search(letters.upper())
        start = kind.start() if kind else len(letters)
        if start == 0:
            return context.keyed.like(value, "organization", fold(value))
        made = (
            "".join(_letter(char.lower(), "one", context.staff).upper() for char in letters[:start]) + letters[start:]
        )
    stream = iter(made)
    text = "".join(next(stream, "") if char.isalpha() else char for char in value)
    text = re.sub(r"\d+", lambda digits: context.keyed.like(digits.group(), "organization", letters), text)
    return (
        match_case(text, value) if fold(text) != fold(value) else context.keyed.like(value, "organization", fold(value))
    )


def _like_long_name(letters: str, name: str, context: NoteContext) -> str | None:
    """The letters of the surrogate of ``name`` where ``letters`` are those of ``name``; ``None`` where they are not."""
    for skipped in (_LOW, frozenset[str]()):
        initials = "".join(word[0] for word in re.findall(r"[^\W\d_]+(?:['’]\w+)?", name) if fold(word) not in skipped)
        if len(initials) > 1 and fold(initials) == fold(letters):
            made = replace_organization(name, context)
            new = "".join(word[0] for word in re.findall(r"[^\W\d_]+(?:['’]\w+)?", made) if fold(word) not in skipped)
            return new.upper()
    return None


def _chain(value: str, staff: NameScope) -> str | None:
    """A known chain gives way to another of its kind: "CVS #1234", "Walmart Pharmacy"."""
    if article := _ARTICLE.match(value):
        made = _chain(value[article.end() :], staff)
        return article.group() + made if made else None
    found = _chains().get(fold(value)) or _chain_before(value)
    if found is None:
        return None
    chain, length = found
    others = [name for name in chain if fold(name) not in fold(value) and fold(value[:length]) not in fold(name)]
    new = staff.keyed.choice(others, "chain", fold(value[:length]))
    if length > _LONGEST_LETTERS or value[:length] not in chain:
        # Letters that stand for a chain (CVS) say nothing of how its name is written.
        new = match_case(new, value[:length])

    def rewrite(word: str) -> str | None:
        if _has_digit(word):
            return staff.keyed.like(word, "chain", fold(value))
        return word if fold(word) in KINDS and fold(word) not in _LOW else None

    return new + rewrite_words(value[length:], rewrite).rstrip(" ,-#(")


def _chain_before(value: str) -> tuple[tuple[str, ...], int] | None:
    """The chain that ``value`` begins with, where only words of kind and a number follow."""
    for match in re.finditer(r"[\s#(,-]", value):
        known = _chains().get(fold(value[: match.start()]))
        rest = value[match.start() :]
        if known and _NAMES_A_CHAIN.match(rest):
            return known[0], match.start()
    return None


@cache
def _chains() -> dict[str, tuple[tuple[str, ...], int]]:
    table: dict[str, tuple[tuple[str, ...], int]] = {}
    for chain in CHAINS:
        for name in chain:
            table.setdefault(fold(name), (chain, len(name)))
            for plain in (
                name.replace("'", ""),
                name.replace(".", ""),
                name.replace("-", ""),
                name.replace("Walmart", "Wal-Mart"),
            ):
                table.setdefault(fold(plain), (chain, len(plain)))
    return table


def _has_digit(word: str) -> bool:
    return any(char.isdigit() for char in word)
