"""Names of organizations: another name of the same kind, the same in all notes of the institution.

Words that say what a place is stay ("General Hospital"). Words that say which one it is are replaced by others, whose
first letters depend on the first letters of the originals alone. So an abbreviation agrees with its name even where the
name does not stand beside it: MGH, of a Mercy General Hospital that is now Windsor General Hospital, becomes WGH.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count

from deid_tasks.core.reference import fold
from deid_tasks.core.us_states import STATE_NAMES
from deid_tasks.engine.lexicon.public import common_word_frequencies
from deid_tasks.engine.obfuscate.keyed_choices import KeyedChoices
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.note_context import NoteContext, SurrogateOptions
from deid_tasks.engine.obfuscate.organizations.abbreviations import align, letters_like, organization_words_of
from deid_tasks.engine.obfuscate.organizations.chains import replace_chain
from deid_tasks.engine.obfuscate.organizations.organization_words import (
    DEPARTMENT_WORDS,
    KINDS,
    ORGANIZATION_WORD,
    SMALL_WORDS,
    SMALL_WORDS_AT_END,
    SPECIALTIES,
    UNITS,
    NameTable,
    choose_other,
    drawn_words,
    has_digit,
    is_kind,
    is_legal_form,
    is_locative,
    letters_of,
    names_by_letter,
    other_locatives,
)
from deid_tasks.engine.obfuscate.organizations.saints import replace_saint, replace_two_saints
from deid_tasks.engine.obfuscate.organizations.state_programs import replace_of_state
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.people.name_text import without_marks
from deid_tasks.engine.obfuscate.people.public_names import common_surnames, surname_groups
from deid_tasks.engine.obfuscate.places.states import surrogate_state, surrogate_state_name
from deid_tasks.engine.obfuscate.places.streets import other_number
from deid_tasks.engine.obfuscate.plain_words import is_everyday
from deid_tasks.engine.obfuscate.word_rewriting import rewrite_words, words_with_apostrophes

_OF_STATES = frozenset(
    ("state", "patrol", "dept", "department", "dot", "doc", "dcf", "dhs", "medicaid", "guard", "dmv")
)
"""Words of an authority behind the code of its state: MN State Patrol."""
_MAX_ABBREVIATION_LENGTH = 6
_VOWELS = frozenset("aeiouy")
_KIND_LETTERS = re.compile(r"(?<=[A-Z])(?:RMC|MMC|UMC|CMC|UMH|WH|MC|GH|CH|MH|RH|UH|HC|HS|VA|H|C)$")
"""What words of kind leave at the end of an abbreviation: Medical Center, General Hospital, Clinic."""
_WEEKDAYS = re.compile(r"\b[MTWF]-[FSTW]\b")
_OF_BEFORE_KIND = re.compile(
    r"(?P<before>[^\W\d_]+)(?P<gap>\s)(?:of|at|for)\s+(?:the\s+)?(?=(?P<behind>[^\W\d_]+))", re.IGNORECASE
)
_SMALL_WORD_AT_START = re.compile(r"^(?:of|at|and|for|in|on|&)\s+", re.IGNORECASE)
_NUMBERED_SIDE = re.compile(r"(\d+)([NSEWnsew])")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)", re.IGNORECASE)
_FIGURES = ("({})", "Level {}")
"""A private company, "(P) Ltd", and a figure, "Level I Trauma"."""
_LETTERS_THAT_STAY = {"A": (*_FIGURES, "A&E", "-{}-"), "E": (*_FIGURES, "A&E")}
_FIRM_WORDS = frozenset(
    [
        *("sons", "brothers", "associates", "realty", "partners", "llc", "inc", "farms", "farm", "plumbing"),
        *("trucking", "co", "llp", "pllc", "dds", "dmd", "attorneys", "solicitors", "law", "esq"),
    ]
)
"""Kinds of firm whose name usually begins with a person's surname."""
_BEFORE_OF = frozenset(["port", "harbor", "harbour", "friends", "daughters", "sisters", "brothers", "knights", "order"])
"""Words that say what an organization is where "of" follows."""
_LEGAL_LETTERS = re.compile(r"(?:P\.[CA]|L\.L\.[CP]|P\.L\.L\.C|L\.P)\.?")
_OF_PHRASES = re.compile(
    r"\b(?:long(?=[- ]term\b)|superior(?= court\b)|(?:upper|lower)(?= extremit)|extremit(?:y|ies))", re.IGNORECASE
)
"""Words that belong to a word of kind behind them: long-term care, a superior court, the upper extremity."""
_PLURAL = re.compile(r"(\d+)(s)", re.IGNORECASE)
_NAMES_IN_FRONT = frozenset(["union", "liberty", "central", "community", "general", "summit", "trinity"])
"""Words of kind that are a part of the name in front of a proper word: Union Ridge School District."""
_SMALL_AND_MERRY = frozenset(["little", "tiny", "wee", "happy", "busy", "merry", "bright", "playful"])
_PAIR = re.compile(r"[^\W\d_]+ (?:&|and) [^\W\d_]+", re.IGNORECASE)
_PARTS = frozenset(["wing", "ward", "unit", "team", "floor", "department", "dept", "office", "desk", "room", "level"])
SurrogateOfSurname = Callable[[str], str | None]
NOBODY: SurrogateOfSurname = lambda _: None  # noqa: E731 - a constant, not a function of this module


def replace_organization(
    value: str,
    context: NoteContext,
    long_names: Sequence[str] = (),
    surname: SurrogateOfSurname = NOBODY,
) -> str:
    """Return another proper name beside the words that say what the organization is.

    Args:
        value: the original.
        context: of the note.
        long_names: the organizations that the note names in full; an abbreviation of one becomes the abbreviation of
            its surrogate.
        surname: returns the surrogate of a folded surname that a person of the note has: a practice bears its owner's
            name; ``None`` for other words.
    """
    if value[:3].lower() in {"sts", "ss."} and (saints := replace_two_saints(value, context)):
        return saints
    if value.startswith("s "):
        # The possessive of a name that was detected by itself: "Ward" and "s Clinic".
        return value[:2] + replace_organization(value[2:], context, long_names, surname)
    words = words_with_apostrophes(value, ORGANIZATION_WORD)
    staff = context.staff
    if not words:
        return context.keyed.like(value, "organization", fold(value))
    if len(words) == 1 and (is_legal_form(fold(words[0])) or _LEGAL_LETTERS.fullmatch(value)):
        return value
    if fold(value) in UNITS or _is_department(words) or _is_part_of_hospital(words):
        return value
    if known := replace_of_state(value, staff, context.options) or replace_chain(value, staff):
        return known
    if len(words) == 1 and (_is_abbreviation(words[0]) or _is_of_long_name(words[0], long_names)):
        return _replace_abbreviation(value, words[0], context, long_names, surname)
    surrogate = _replace_long_name(value, words, staff, surname)
    return surrogate if fold(surrogate) != fold(value) else f"{_draw_name(fold(value), 'one', staff)} {value}"


def _is_department(words: Sequence[str]) -> bool:
    """Whether a name holds a speciality and nothing that says whose department it is: "GYN ONCOLOGY CLINIC".

    A heading in capitals may hold any words of kind: "WOUND CARE & HYPERBARIC CLINIC".
    """
    folded = [fold(word) for word in words]
    is_heading = all(map(str.isupper, words)) and len(words) > 2 and folded[-1] in DEPARTMENT_WORDS
    return any(word in SPECIALTIES for word in folded) and all(
        word in SPECIALTIES or word in DEPARTMENT_WORDS or (is_heading and is_kind(word)) for word in folded
    )


def _is_part_of_hospital(words: Sequence[str]) -> bool:
    """Whether a name holds only words of kind and ends with a part that every hospital has: "Healthcare Wing"."""
    return fold(words[-1]) in _PARTS and all(is_kind(fold(word)) for word in words)


def has_only_kind_words(value: str) -> bool:
    """Whether ``value`` holds only words of kind ("District", "City of"), as a part of the name beside it does."""
    words = words_with_apostrophes(value, ORGANIZATION_WORD)
    return bool(words) and all(is_kind(fold(word)) for word in words)


def _replace_long_name(value: str, words: Sequence[str], staff: NameScope, surname: SurrogateOfSurname) -> str:
    if (of_saint := replace_saint(value, staff)) is not None:
        return of_saint
    kept, proper = _divided(value, words)
    # The key reads the proper words alone: "Mercy General" and "Mercy General Hospital" stay one place.
    distinctive = " ".join(map(fold, proper))
    names = iter(_draw_names(distinctive, words, staff, surname)) if proper else iter(())
    # Weekdays on which a place is open, which were detected as a part of its name.
    weekdays = frozenset(found.group()) if (found := _WEEKDAYS.search(value)) else frozenset()
    is_lower = bool(proper) and all(word.islower() for word in proper) and not value.isupper()

    def rewrite(word: str) -> str | None:
        folded = fold(word)
        if (is_kind(folded) and word not in proper) or word in kept or word in weekdays:
            return word
        if has_digit(word):
            return _replace_numbered(word, distinctive, staff)
        if len(word) == 1 and word.isalpha():
            return word if _is_letter_that_stays(word, value) else staff.keyed.like(word, "organization", distinctive)
        if others := other_locatives(folded):
            return match_case(staff.keyed.choice(others, "locative", folded), word)
        name = next(names, None)
        if name is None:
            return None
        return name.lower() if is_lower else match_case(name, value)

    text = _without_small_words(rewrite_words(value, rewrite, ORGANIZATION_WORD), value, proper)
    if fold(text) == fold(value):
        return match_case(_draw_name(fold(value), "one", staff), value) + " " + value
    return text


def _divided(value: str, words: Sequence[str]) -> tuple[frozenset[str], list[str]]:
    """Return the words that stay besides words of kind, and those that say which organization it is."""
    # Of "Loaf & Ladle" both words say which one.
    kept = (frozenset() if _PAIR.fullmatch(value) else _type_word(words)) | frozenset(_OF_PHRASES.findall(value))
    proper = [word for word in words if _is_proper(word) and word not in kept]
    if proper[:1] == list(words[1:2]) and fold(words[0]) in _NAMES_IN_FRONT:
        proper.insert(0, words[0])
    return kept, proper


def _is_letter_that_stays(letter: str, value: str) -> bool:
    return letter == "a" or any(form.format(letter) in value for form in _LETTERS_THAT_STAY.get(letter, _FIGURES))


def _without_of(found: re.Match[str]) -> str:
    is_left_over = fold(found["before"]) not in KINDS and fold(found["before"]) not in _BEFORE_OF
    return found["before"] + found["gap"] if is_left_over else found.group()


def _without_small_words(text: str, value: str, proper: Sequence[str]) -> str:
    """Return a surrogate without what is left over: in "Church of Hanover" it stands in front, and not behind "of"."""
    if not proper or SMALL_WORDS_AT_END.search(value):
        return text
    text = _OF_BEFORE_KIND.sub(_without_of, text)
    return _SMALL_WORD_AT_START.sub("", SMALL_WORDS_AT_END.sub("", text))


def _is_proper(word: str) -> bool:
    """Whether a word says which organization it is."""
    folded = fold(word)
    return not is_kind(folded) and not is_locative(folded) and not has_digit(word) and len(word) > 1


def _type_word(words: Sequence[str]) -> frozenset[str]:
    """Return the last word where it alone says what an organization is: the Seafoods of a "Kettle Cove Seafoods".

    It is a word of general text, and no name, behind another proper word. It may stand in front of "of": Port of Call.
    """
    folded = [fold(word) for word in words]
    if folded[0] in _BEFORE_OF and folded[1:2] == ["of"] and len(words) > 2:
        return frozenset({words[0]})
    behind = folded[1:]
    if not behind or all(one in SMALL_WORDS or one == "the" for one in folded[:-1]):
        return frozenset()
    if any(is_kind(one) and one not in SMALL_WORDS for one in folded):
        return frozenset()
    if len(words) == 2 and folded[0] in _SMALL_AND_MERRY:
        return frozenset()  # "Little Acorns"
    last = next((i for i in range(len(words) - 1, 0, -1) if folded[i].isalpha()), 0)
    word = folded[last]
    is_type = word not in drawn_words() and len(word) > 3 and (is_everyday(word) or is_everyday(word.removesuffix("s")))
    return frozenset({words[last]}) if last and is_type else frozenset()


def _replace_numbered(word: str, distinctive: str, staff: NameScope) -> str:
    """Return the surrogate of a word with digits, such as the ward "4N"."""
    if (ordinal := _ORDINAL.fullmatch(word)) is not None:
        return other_number(ordinal.group(), ("organization", distinctive), staff)
    if (plural := _PLURAL.fullmatch(word)) is not None:
        return staff.keyed.like(plural[1], "organization", distinctive) + plural[2]
    side = _NUMBERED_SIDE.fullmatch(word)
    number = staff.keyed.like(side[1] if side else word, "organization", distinctive)
    return number + match_case(_other_side(side[2], staff), side[2] * 2) if side else number


def _other_side(letter: str, staff: NameScope) -> str:
    return staff.keyed.choice([side for side in "NSEW" if side != letter.upper()], "side", letter.upper())


def _draw_names(
    distinctive: str, words: Sequence[str], staff: NameScope, surname: SurrogateOfSurname
) -> tuple[str, ...]:
    """Return the words that replace the proper ones.

    A state is replaced by a state, a surname of a firm by a surname, a surname of the note by that person's, two or
    more words by two.
    """
    parts = distinctive.split()
    if words[0] in STATE_NAMES and any(fold(word) in _OF_STATES for word in words[1:]):
        return (surrogate_state(words[0], staff, SurrogateOptions()), *distinctive.split()[1:])
    if state := surrogate_state_name(distinctive, staff):
        made, last = state.split(), len(parts) - 1
        return (*made[:last], " ".join(made[last:]))
    of_people = [surname(part) for part in parts]
    folded = {fold(word).replace(".", "") for word in words}
    # "Blue Heron Associates" are not named after a person.
    is_general = len(parts) > 1 and all(part in common_word_frequencies() for part in parts)
    is_firm = parts[0] in surname_groups() and not is_general and _FIRM_WORDS & folded
    if any(of_people) or is_firm:
        known = [part for part, made in zip(parts, of_people, strict=True) if made or part in surname_groups()]
        return tuple(surname(part) or _other_surname(part, parts, staff) for part in known)
    if len(parts) == 1:
        return (_draw_name(parts[0], "one", staff),)
    first = _draw_name(parts[0], "first", staff, distinctive)
    second = _draw_name(parts[1], "second", staff, distinctive)
    # "Park" is a first and a second word.
    return (first, second if second != first else _draw_name(parts[1], "second", staff, f"{distinctive} {first}"))


def _other_surname(folded: str, parts: Sequence[str], staff: NameScope) -> str:
    """Return the surrogate of a surname in a firm's name; none of the firm's own surnames."""
    made = without_marks(staff.surname(folded))
    return made if fold(made) not in parts else _draw_name(folded, "one", staff)


def _draw_name(folded: str, table: NameTable, staff: NameScope, distinctive: str = "") -> str:
    letter = _surrogate_letter(folded[:1], table, staff.keyed)
    names = names_by_letter(table)[letter]
    if table == "one":
        # Clinics are named after towns and surnames; with both, few places of one institution share a surrogate.
        names = (*names, *common_surnames().get(letter, ())[:12])
    return choose_other(names, distinctive or folded, staff.keyed, "organization", table)


@lru_cache(maxsize=4_096)
def _surrogate_letter(letter: str, table: NameTable, keyed: KeyedChoices) -> str:
    """Return the first letter of the surrogate of a word that begins with ``letter``.

    It is a letter that begins names of one word and names of the table, so that one map serves names of one word and of
    two.
    """
    options = {*letters_of("one")} & {*letters_of(table)}
    for attempt in count():
        candidate = keyed.choice(letters_of("one"), "organization letter", letter, str(attempt))
        if candidate != letter and candidate in options:
            return candidate
    raise AssertionError("unreachable")


def _is_abbreviation(word: str) -> bool:
    letters = re.sub(r"[^\w]", "", word)
    if has_digit(word):
        return False
    if len(letters) <= 2:
        return True
    if word.islower():
        return len(letters) < _MAX_ABBREVIATION_LENGTH and not set(letters) & _VOWELS
    return word.isupper() and len(letters) <= _MAX_ABBREVIATION_LENGTH and fold(word) not in surname_groups()


def _is_of_long_name(word: str, long_names: Sequence[str]) -> bool:
    """Whether a word in capitals, though a name like "SUH", abbreviates a name of the note."""
    return (
        word.isupper()
        and word.isalpha()
        and 2 < len(word) <= _MAX_ABBREVIATION_LENGTH
        and any(
            letters_like(fold(word), [(one, one) for one in organization_words_of(name)]) is not None
            for name in long_names
        )
    )


def _replace_abbreviation(
    value: str, word: str, context: NoteContext, long_names: Sequence[str], surname: SurrogateOfSurname
) -> str:
    letters = "".join(char for char in word if char.isalpha())
    surrogates = (_abbreviate_surrogate(letters, name, context, surname) for name in long_names)
    surrogate = next((found for found in surrogates if found), None)
    if surrogate is None:
        kind = _KIND_LETTERS.search(letters.upper())
        start = kind.start() if kind else len(letters)
        if start == 0:
            return context.keyed.like(value, "organization", fold(value))
        initials = (_surrogate_letter(char.lower(), "one", context.keyed) for char in letters[:start])
        surrogate = "".join(initials).upper() + letters[start:]
    stream = iter(surrogate)
    text = "".join(next(stream, "") if char.isalpha() else char for char in value)
    text = re.sub(r"\d+", lambda digits: context.keyed.like(digits.group(), "organization", letters), text)
    if fold(text) == fold(value):
        return context.keyed.like(value, "organization", fold(value))
    return match_case(text, value)


def _abbreviate_surrogate(letters: str, name: str, context: NoteContext, surname: SurrogateOfSurname) -> str | None:
    """Return the initials of the surrogate of ``name``; ``None`` where ``letters`` are not the initials of ``name``."""
    if letters_like(fold(letters), [(word, word) for word in organization_words_of(name)]) is None:
        return None
    made = replace_organization(name, context, surname=surname)
    of_surrogate = letters_like(fold(letters), align(name, made))
    return None if of_surrogate is None else of_surrogate.upper()
