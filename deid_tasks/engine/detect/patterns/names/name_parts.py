"""The words that names are made of, and how many of them belong to one name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.forms import Form, FormTable, always, never
from deid_tasks.engine.detect.patterns.reference_words import is_frequent_surname, is_plain_name, surname_rates
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import MEDICAL_ENDINGS, NOT_NAMES, as_word_set

PARTICLE = (
    r"(?:(?:de|la|del|las|los|van|von|der|den|ter|bin|ibn|al|el|da|dos|di|du|le|abu|bte|binte|binti|bt|st\."
    r"|De|La|Del|Van|Von|Der|Le|Al|El|St\.|Di|Da) )"
)
TITLE_WORD = r"(?:(?:[A-Z]')?[A-Z][a-z][a-z']{0,20}(?:[A-Z][a-z]{1,15})?(?:-[A-Z]?[a-z]{1,20}){0,2})"
CAPS_WORD = r"(?:(?:[A-Z]')?[A-Z]{2,20}(?:-[A-Z]{2,20})?(?:'[A-Z]{1,15})?)"
LOWER_WORD = r"(?:[a-z][a-z'\-]{2,20})"
INITIAL = r"(?:[A-Z](?:\.|(?![A-Za-z'.&])))"
_WORD_AT = re.compile(rf"(?:{PARTICLE}{{0,2}}(?:{TITLE_WORD}|{CAPS_WORD})|{INITIAL})(?![a-z])")
_GAP = re.compile(r" |(?<=\.)(?=[A-Z])")
_COMMA = re.compile(r",\s?")
_MONTHS = as_word_set("jan feb mar apr may jun june jul july aug sep sept oct nov dec")
_WEEKDAYS = as_word_set("mon tue tues wed weds thu thur thurs fri sat")
"""Not Sun, which is a surname."""
_NUMERALS = frozenset({"II", "III", "IV"})
_DAY_BEHIND = re.compile(r" [0-9]{1,2}(?![0-9])")
_PARTICLES_OF_NAMES = as_word_set("de la van le al el do st. da di")
"""Particles that are not names on their own, in front of a name."""
WORDS_AND_GIVEN_NAMES = frozenset({"Will", "May", "June", "April", "August", "Drew", "Art"})
"""Given names that are ordinary words too."""
_NAME_BEHIND = re.compile(rf",? (?:[A-Z]\.? )?{TITLE_WORD}")


def may_be_name(word: str) -> bool:
    """Whether a capitalised word may be a name."""
    low = word.lower().removesuffix("'s")
    return low not in NOT_NAMES and not (len(low) > 5 and low.endswith(MEDICAL_ENDINGS))


def is_name_of_person(word: str) -> bool:
    """Whether a capitalised word is a name, alone or as one that many bear."""
    return is_plain_name(word) or is_frequent_surname(word) or (len(word) == 1 and word.isupper())


@dataclass(slots=True)
class _NameSoFar:
    """The parts of a name that were read, and where the next may begin."""

    start: int
    end: int
    next: int
    parts: int = 0
    initials: int = 0
    is_turned: bool = False
    """Whether a comma stood behind the surname: Okafor, Maria."""
    is_in_capitals: bool = False
    """Whether the first part is in capitals."""

    @property
    def is_given_next(self) -> bool:
        """Whether the next part is the given name behind the comma."""
        return self.is_turned and self.parts == 1


@dataclass(slots=True)
class _NextPart:
    """A word behind a name, which may belong to it."""

    text: str
    name: _NameSoFar
    word: str
    end: int
    limit: int
    is_initial: bool


def _is_not_name(part: _NextPart) -> bool:
    if part.is_initial or _is_word_and_given_name(part):
        return False
    words = part.word.split()
    return not all(may_be_name(word) or (len(words) > 1 and word.lower() in _PARTICLES_OF_NAMES) for word in words)


def _is_word_and_given_name(part: _NextPart) -> bool:
    """Whether Will or May is a given name here: another name stands behind it."""
    is_given = part.word in WORDS_AND_GIVEN_NAMES and (part.name.parts == 0 or part.name.is_turned)
    return is_given and _NAME_BEHIND.match(part.text, part.end, part.limit) is not None


def _leaves_capitals(part: _NextPart) -> bool:
    name = part.name
    if not name.parts or not name.is_in_capitals or name.end - name.start <= 3:
        return False
    return not (part.word.isupper() or part.is_initial or name.is_given_next)


def _begins_capitals(part: _NextPart) -> bool:
    name = part.name
    if not name.parts or name.is_in_capitals or part.is_initial or name.is_given_next:
        return False
    return part.word.isupper() and not _is_short_name_in_capitals(part.word)


def _is_short_name_in_capitals(word: str) -> bool:
    return len(word) <= 3 and (word in _NUMERALS or word.lower() in surname_rates())


def _is_date(part: _NextPart) -> bool:
    is_month = part.name.parts > 0 and part.word.rstrip(".").lower() in _MONTHS
    return is_month and _DAY_BEHIND.match(part.text, part.end, part.limit) is not None


def _is_weekday(part: _NextPart) -> bool:
    return (
        part.name.parts > 0 and not part.name.is_given_next and part.word.istitle() and part.word.lower() in _WEEKDAYS
    )


NAME_PARTS: FormTable[_NextPart, bool] = FormTable(
    "parts of a name",
    Form("word that is not a name", "Dr. [PROVIDER:Okafor] Called back", _is_not_name, never),
    Form("small letters behind capitals", "Dr. [PROVIDER:OKAFOR] Bright", _leaves_capitals, never),
    Form("capitals behind small letters", "Dr. [PROVIDER:Okafor] LMWH", _begins_capitals, never),
    Form("date", "Dr. [PROVIDER:Okafor] [DATE:Mar 12]", _is_date, never),
    Form("weekday", "Dr. [PROVIDER:Okafor] [DATE:Tues]", _is_weekday, never),
    Form("name or initial", "Dr. [PROVIDER:Maria T. de la Cruz]", always, always),
)
"""Which word behind a name belongs to it."""


def take_name(text: str, start: int, most: int = 4, *, comma: bool = False, reach: int = 80) -> tuple[int, int] | None:
    """Return the span of the name that begins at ``start``.

    Args:
        text: the folded note.
        start: where the name begins.
        most: parts of the name, at most.
        comma: whether the surname may come first, with a comma behind it: Okafor, Maria T.
        reach: characters that are looked at.

    Returns:
        Start and end, or ``None`` where no word can be a name or there are only initials.
    """
    name = _NameSoFar(start, start, start)
    limit = start + reach
    while name.parts < most:
        match = _WORD_AT.match(text, name.next, limit)
        if match is None:
            break
        word = match.group()
        part = _NextPart(text, name, word, match.end(), limit, len(word.rstrip(".")) == 1)
        if not NAME_PARTS.decide(part):
            break
        _add(name, part)
        behind = _next_start(text, name, limit, may_turn=comma and not part.is_initial)
        if behind is None:
            break
        name.next = behind
    return None if name.parts == name.initials else _without_marks(text, start, name.end)


def _add(name: _NameSoFar, part: _NextPart) -> None:
    if name.parts == 0:
        name.is_in_capitals = part.word.isupper() and not part.is_initial
    name.parts += 1
    name.initials += part.is_initial
    name.end = part.end


def _next_start(text: str, name: _NameSoFar, limit: int, *, may_turn: bool) -> int | None:
    """Return where the next part begins: behind a blank, or behind the comma of a turned name."""
    if may_turn and not name.is_turned and text[name.end : name.end + 1] == "," and name.parts <= 2:
        follow = _COMMA.match(text, name.end, limit)
        given = _WORD_AT.match(text, follow.end(), limit) if follow else None
        if follow and given and may_be_name(given.group()) and len(given.group().rstrip(".")) > 1:
            name.is_turned = True
            return follow.end()
        return None
    gap = _GAP.match(text, name.end, limit)
    return gap.end() if gap else None


def _without_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out the point of a sentence and the mark of a genitive."""
    if text[end - 1] == "." and len(text[:end].rsplit(" ", 1)[-1]) != 2:
        end -= 1
    if text[start:end].lower().endswith("'s"):
        end -= 2
    elif text[end - 1] == "'":
        end -= 1
    return start, end


def name_candidates(
    span: tuple[int, int] | None, entity: Entity, strength: Strength = Strength.LABELLED
) -> Iterator[Candidate]:
    """Yield the span as a candidate, if there is one."""
    if span:
        yield Candidate(*span, entity, strength)


def name_in_small_letters(match: re.Match[str], entity: Entity) -> Candidate:
    """Return the candidate of a name in small letters, without its genitive."""
    end = match.end() - 2 if match.group().endswith("'s") else match.end()
    return Candidate(match.start(), end, entity, Strength.LABELLED)
