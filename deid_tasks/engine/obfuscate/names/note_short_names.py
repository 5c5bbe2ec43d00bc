"""Short names of one note: which words are what a person of the note is called."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from deid_tasks.engine.obfuscate.names.account_forms import account_form
from deid_tasks.engine.obfuscate.names.name_labels import is_called_so
from deid_tasks.engine.obfuscate.names.note_person import NameMention, NotePerson
from deid_tasks.engine.obfuscate.names.short_names import is_short_name
from deid_tasks.engine.obfuscate.people.name_text import fold_name, folded_parts, name_parts
from deid_tasks.engine.obfuscate.people.public_names import UNKNOWN_NAME, given_name_table, surname_bearers

_OPENING, _CLOSING = "\"“'‘(", "\"”'’)"
_QUOTES = frozenset(_OPENING)
_BETWEEN = re.compile(r"(?:,?\s*(?:R\.?N|M\.?D|N\.?P|PA(?:-C)?|PT|OT|Jr|Sr)\b\.?)?[\s,]*[\"“'‘(]{1,2}", re.IGNORECASE)
"""What stands between a name and the short name behind it, with credentials perhaps."""
_CALLED_BEHIND = re.compile(r",? as (?:he|she|they) (?:likes?|prefers?) to be called", re.IGNORECASE)
_ENDING_OF_SHORT_NAME = re.compile(r"(?:ie|ey|y|i)$")
_MAX_LETTERS = 9
_MIN_LONE = 3
_MIN_BEARERS_OF_SURNAME = 5.0


def find_short_names(
    text: str,
    mentions: Sequence[NameMention],
    alone: Mapping[str, Sequence[int]],
    persons: Sequence[NotePerson],
    surnames: Mapping[str, bool],
) -> dict[str, NotePerson]:
    """Return the folded words that are short names of people in the note, each with its person.

    Args:
        text: the note.
        mentions: its names, in order.
        alone: where each folded word that is a name by itself stands.
        persons: whom the note names in full.
        surnames: whether a folded word is a surname, where that is known.
    """
    if not mentions:
        return {}
    own = {word for person in persons for word in (person.givens[0], *person.surnames)}
    found = dict(_in_full_names(text, mentions, persons, own))
    words = [word for word in alone if word not in own and word not in found and not surnames.get(word)]
    if not words:
        return found
    lone = [*persons, *_called_by_given_name(text, mentions, alone, own, surnames)]
    for word in words:
        starts = alone[word]
        behind = _behind_name(text, mentions, lone, word, starts)
        if behind is not None:
            found[word] = behind
            continue
        others = [one for one in lone if one.givens[0] != word]
        named = [one for one in others if is_short_name(word, one.givens[0], is_called=True)]
        if named and not any(is_called_so(text, start) for start in starts):
            named = [one for one in named if is_short_name(word, one.givens[0])]
        if len({one.givens[0] for one in named}) == 1:
            found[word] = named[0]
    for word in words:
        if word not in found and (other := next((one for one in found if _is_same_short_name(word, one)), None)):
            found[word] = found[other]
    return found


def _is_same_short_name(one: str, other: str) -> bool:
    """Whether two short names are spellings of one: Jimmy and Jimmie."""
    stem = _ENDING_OF_SHORT_NAME.sub("", one)
    return len(stem) >= _MIN_LONE and stem != one and stem == _ENDING_OF_SHORT_NAME.sub("", other)


def _in_full_names(
    text: str, mentions: Sequence[NameMention], persons: Sequence[NotePerson], own: set[str]
) -> Iterator[tuple[str, NotePerson]]:
    """Yield the short names inside full names: Stanley "Stan" Moss, and Bob Moss beside Robert Moss."""
    if not persons:
        return
    has_several = any(len(person.givens) > 1 for person in persons)
    quoted = {word for start, end, _ in mentions for word in _quoted_words(text[start:end])} if has_several else set()
    families = Counter(person.surnames for person in persons)
    for person in persons:
        yield from (
            (word, person)
            for word in person.givens[1:]
            if word not in own and (word in quoted or is_short_name(word, person.givens[0]))
        )
        for other in persons if families[person.surnames] > 1 else ():
            is_same = other.surnames == person.surnames
            # Few families share a double-barrelled surname: detection may have taken its bearers for several kinds.
            is_same = is_same and (len(person.surnames) > 1 or other.mention.entity is person.mention.entity)
            if not is_same or other is person or min(len(other.givens[0]), len(person.givens[0])) < _MIN_LONE:
                continue
            is_called = is_called_so(text, other.mention.start) or _CALLED_BEHIND.match(text, other.mention.end)
            if is_called or is_short_name(other.givens[0], person.givens[0], is_called=True):
                yield other.givens[0], person


def _quoted_words(value: str) -> Iterator[str]:
    if value.isalpha() or _QUOTES.isdisjoint(value):
        return
    for start, end, word in name_parts(value):
        if value[start - 1 : start] and value[start - 1] in _OPENING and value[end : end + 1] in _CLOSING:
            yield fold_name(word)


def _behind_name(
    text: str, mentions: Sequence[NameMention], persons: Sequence[NotePerson], word: str, starts: Sequence[int]
) -> NotePerson | None:
    """Return the person behind whose name ``word`` stands in quotes or brackets: Ekaterina Volkova RN ("Katya")."""
    starts = [start for start in starts if text[start - 1 : start] in _QUOTES]
    if not starts or len(word) > _MAX_LETTERS:
        return None
    is_surname = surname_bearers().get(word, 0.0) > _MIN_BEARERS_OF_SURNAME
    for start in starts:
        before = max((one for one in mentions if one.end <= start), default=None, key=lambda one: one.end)
        if before is None or not _BETWEEN.fullmatch(text, before.end, start):
            continue
        words = set(folded_parts(text[before.start : before.end]))
        if any(one.surnames and account_form(word, one.givens, one.surnames) for one in persons):
            # A user name: Nirmala Jeyarajah ("njeyaraj").
            continue
        fitting = [one for one in persons if word not in one.givens and words.intersection(one.givens)]
        if not fitting and len(words) == 1:
            fitting = [one for one in persons if words.intersection(one.surnames)]
        if is_surname:
            fitting = [one for one in fitting if is_short_name(word, one.givens[0], is_called=True)]
        if fitting:
            return max(fitting, key=lambda one: len(words.intersection((*one.givens, *one.surnames))))
    return None


def _called_by_given_name(
    text: str,
    mentions: Sequence[NameMention],
    alone: Mapping[str, Sequence[int]],
    own: set[str],
    surnames: Mapping[str, bool],
) -> Iterator[NotePerson]:
    """Yield those of whom the note has a given name alone: ``Forename: Briony``, "her husband Gerrit"."""
    by_start = {one.start: one for one in mentions}
    for word, starts in alone.items():
        is_surname = surnames.get(word)
        if len(word) <= _MIN_LONE or is_surname or word in own:
            continue
        is_given = is_surname is False or not _is_mostly_surname(word)
        if is_given and not is_called_so(text, starts[0]):
            yield NotePerson(by_start[starts[0]], (word,), ())


def _is_mostly_surname(word: str) -> bool:
    return given_name_table().get(word, UNKNOWN_NAME).bearers <= surname_bearers().get(word, 0.0)
