"""The words that names are made of, and how many of them belong to one name."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.reference_words import is_frequent_surname, is_plain_name, surname_rates
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength
from deid_tasks.engine.detect.patterns.word_lists import MEDICAL_ENDINGS, NOT_NAMES

PARTICLE = r"(?:(?:de|la|del|las|los|van|von|der|den|ter|bin|ibn|al|el|da|dos|di|du|le|abu|st\.|De|La|Del|Van|Von|Der|Le|Al|El|St\.|Di|Da) )"
TITLE_WORD = r"(?:(?:[A-Z]')?[A-Z][a-z][a-z']{0,20}(?:[A-Z][a-z]{1,15})?(?:-[A-Z]?[a-z]{1,20}){0,2})"
CAPS_WORD = r"(?:(?:[A-Z]')?[A-Z]{2,20}(?:-[A-Z]{2,20})?(?:'[A-Z]{1,15})?)"
LOWER_WORD = r"(?:[a-z][a-z'\-]{2,20})"
INITIAL = r"(?:[A-Z](?:\.|(?![A-Za-z'.])))"
_WORD_AT = re.compile(rf"(?:{PARTICLE}{{0,2}}(?:{TITLE_WORD}|{CAPS_WORD})|{INITIAL})(?![a-z])")
_GAP = re.compile(r" |(?<=\.)(?=[A-Z])")
_MONTHS = frozenset(
    {"jan", "feb", "mar", "apr", "may", "jun", "june", "jul", "july", "aug", "sep", "sept", "oct", "nov", "dec"}
)
_NUMERALS = frozenset({"II", "III", "IV"})
_DAY_BEHIND = re.compile(r" [0-9]{1,2}(?![0-9])")
FIRST_TOO = frozenset({"Will", "May", "June", "April", "August", "Drew", "Art"})
"""Given names that are ordinary words too."""
_FOLLOWED = re.compile(rf",? (?:[A-Z]\.? )?{TITLE_WORD}")


def may_be_name(word: str) -> bool:
    """Whether a capitalised word may be a name."""
    low = word.lower().removesuffix("'s")
    return low not in NOT_NAMES and not (len(low) > 5 and low.endswith(MEDICAL_ENDINGS))


def take_name(text: str, start: int, most: int = 4, *, comma: bool = False, reach: int = 80) -> tuple[int, int] | None:
    """The name that begins at ``start``: up to ``most`` parts, also "Last, First M" where ``comma``; none where no word can be one."""
    end, position, parts, initials, seen_comma, caps_first = start, start, 0, 0, False, False
    limit = start + reach
    while parts < most:
        match = _WORD_AT.match(text, position, limit)
        if match is None:
            break
        word = match.group()
        is_initial = len(word.rstrip(".")) == 1
        if word in FIRST_TOO and _FOLLOWED.match(text, match.end(), limit) and (parts == 0 or seen_comma):
            pass
        elif not is_initial and not all(
            may_be_name(piece)
            or (piece.lower() in {"de", "la", "van", "le", "al", "el", "do", "st.", "da", "di"} and " " in word)
            for piece in word.split()
        ):
            break
        is_given = seen_comma and parts == 1
        if parts and caps_first and not (word.isupper() or is_initial or is_given) and len(text[start:end]) > 3:
            break
        if (
            parts
            and not caps_first
            and word.isupper()
            and not is_initial
            and (len(word) > 3 or not (word in _NUMERALS or word.lower() in surname_rates()))
            and not (seen_comma and parts == 1)
        ):
            break
        if parts and word.rstrip(".").lower() in _MONTHS and _DAY_BEHIND.match(text, match.end(), limit):
            break
        caps_first = caps_first or (parts == 0 and word.isupper() and not is_initial)
        parts, initials, end = parts + 1, initials + is_initial, match.end()
        if comma and not seen_comma and not is_initial and text[end : end + 1] == "," and parts <= 2:
            follow = re.compile(r",\s?").match(text, end, limit)
            rest = _WORD_AT.match(text, follow.end(), limit) if follow else None
            if follow and rest and may_be_name(rest.group()) and len(rest.group().rstrip(".")) > 1:
                seen_comma, position = True, follow.end()
                continue
            break
        gap = _GAP.match(text, end, limit)
        if gap is None:
            break
        position = gap.end()
    if parts == initials:
        return None
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
    """The span, if there is one, as a find."""
    if span:
        yield Candidate(*span, entity, strength)


def is_name_of_person(word: str) -> bool:
    """Whether a capitalised word is a name, alone or as one that many bear."""
    return is_plain_name(word) or is_frequent_surname(word) or (len(word) == 1 and word.isupper())
