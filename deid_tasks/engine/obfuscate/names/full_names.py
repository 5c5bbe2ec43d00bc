"""Who a note names in full: the given names and the surnames of each person, read from all mentions together."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from deid_tasks.core.entities import Entity
from deid_tasks.engine.obfuscate.names.name_roles import is_affix, is_with_last_initial, surname_positions
from deid_tasks.engine.obfuscate.names.note_person import NameMention, NotePerson
from deid_tasks.engine.obfuscate.names.person_names import BETWEEN_PEOPLE
from deid_tasks.engine.obfuscate.people.name_text import folded_parts, name_parts
from deid_tasks.engine.obfuscate.people.public_names import UNKNOWN_NAME, given_name_table, surname_groups

_MAX_BEARERS_OF_SURNAME = 10.0
"""A first word that more people have as their given name is no surname, whatever stands after a title."""
_MAX_SHORT = 6
"""Letters of the words of Chinese names."""


def called_by_surname(text: str, mentions: Iterable[NameMention], titled: Iterable[str]) -> frozenset[str]:
    """Return the words that stand alone after a title, or behind an initial: surnames, in whatever order names are.

    Args:
        text: the note.
        mentions: its names, in order.
        titled: the folded words that stand alone after a title.
    """
    found = set(titled)
    for start, end, _ in mentions:
        parts = name_parts(value := text[start:end])
        if len(parts) == 2 and len(parts[0][2]) == 1 and len(parts[1][2]) > 1:
            found.add(folded_parts(value)[1])
    return frozenset(word for word in found if bearers_of_given(word) < _MAX_BEARERS_OF_SURNAME)


def people_named_in_full(
    text: str,
    mentions: Iterable[NameMention],
    own_names: frozenset[str],
    title: Callable[[int], str],
    by_surname: frozenset[str],
) -> list[NotePerson]:
    """Return the people named in full; mentions with one surname and one given name, or its initial, are one person.

    Args:
        text: the note.
        mentions: its names, in order.
        own_names: the folded words of the names in the patient's record; empty without one.
        title: returns the title before the name at an offset.
        by_surname: the words by which the note calls people as surnames are used.
    """
    found: dict[tuple[tuple[str, ...], str], list[NotePerson]] = {}
    named = list(_full_names(text, mentions, own_names, title, by_surname))
    doubled = {words for one in named for words in (one.givens, one.surnames) if len(words) > 1}
    # Not "Mai Yia" of Mai Yia Xiong: two given names, or two surnames.
    named = [one for one in named if (*one.givens, *one.surnames) not in doubled]
    for person in _with_maiden_names(named):
        found.setdefault((person.surnames, person.givens[0]), []).append(person)
    _order_like_most(found)
    _join_initials(found)
    return [_one_person(named, own_names) for named in found.values()]


def _full_names(
    text: str,
    mentions: Iterable[NameMention],
    own_names: frozenset[str],
    title: Callable[[int], str],
    by_surname: frozenset[str],
) -> Iterator[NotePerson]:
    for mention in mentions:
        value = text[mention.start : mention.end]
        parts = name_parts(value)
        if len(parts) < 2 or BETWEEN_PEOPLE.search(value):
            continue
        folded = folded_parts(value)
        is_kept = tuple([is_affix(value, parts, folded, i, own_names) for i in range(len(parts))])
        named = [i for i in range(len(parts)) if not is_kept[i]]
        if len(named) < 2 or is_with_last_initial(folded, named):
            continue
        lasts = surname_positions(value, parts, folded, is_kept, mention.entity, title(mention.start))
        first, last = folded[named[0]], folded[named[-1]]
        is_first = first in surname_groups() or _is_of_three(folded, named)
        if lasts and first in by_surname and is_first and last not in by_surname and "," not in value:
            # Surname first, as in "Lim Siew Hoon", whom the note calls "Mdm Lim".
            lasts = frozenset({named[0]})
        surnames = tuple(folded[i] for i in named if i in lasts)
        givens = tuple(folded[i] for i in named if i not in lasts)
        if surnames and givens and len(surnames[-1]) > 1 and all((*surnames, *givens)):
            yield NotePerson(mention, givens, surnames)


def _is_of_three(folded: Sequence[str], named: Sequence[int]) -> bool:
    """Whether a name is written as Chinese names are: three short words, of which the first one is no given name."""
    words = [folded[i] for i in named]
    is_short = len(words) == 3 and all(2 <= len(word) <= _MAX_SHORT for word in words)
    return is_short and bearers_of_given(words[0]) == 0.0


def _with_maiden_names(named: Sequence[NotePerson]) -> list[NotePerson]:
    """Let a second given name be a surname where others bear it so: Ada Okafor Hale, a daughter of Ben Okafor."""
    surnames = {word for person in named for word in person.surnames}
    firsts = {person.givens[0] for person in named}
    found = []
    for person in named:
        first, *more = person.givens
        maiden = [word for word in more if len(word) > 1 and word in surnames and word not in firsts]
        if not maiden:
            found.append(person)
            continue
        givens = (first, *(word for word in more if word not in maiden))
        found.append(person._replace(givens=givens, surnames=(*maiden, *person.surnames)))
    return found


def _order_like_most(found: dict[tuple[tuple[str, ...], str], list[NotePerson]]) -> None:
    """Let ``Wong Ada`` follow ``Ada Wong`` where that is written more often, or Ada is a given name more often."""
    if len(found) < 2:
        return
    for key in sorted(found, key=lambda one: (-len(found[one]), -bearers_of_given(one[1]))):
        (surnames, given), named = key, found.get(key)
        turned = ((given,), surnames[0])
        if named and len(surnames) == 1 and turned in found and turned != key:
            named += [NotePerson(one.mention, named[0].givens, surnames) for one in found.pop(turned)]


def bearers_of_given(folded: str) -> float:
    """Return how many of 100,000 people have a folded word as their given name."""
    return given_name_table().get(folded, UNKNOWN_NAME).bearers


def _join_initials(found: dict[tuple[tuple[str, ...], str], list[NotePerson]]) -> None:
    """Let ``M. Okafor`` be the one Okafor of the note whose given name begins with M.

    She may have two surnames elsewhere: ``M. Okafor`` is Mara Okafor Hale.
    """
    for key in [key for key in found if len(key[1]) == 1]:
        surnames, initial = key
        like = [one for one in found if len(one[1]) > 1 and one[1][0] == initial]
        others = [one for one in like if one[0] == surnames] or [one for one in like if set(surnames) < set(one[0])]
        if len(others) == 1:
            found[others[0]] += found.pop(key)


def _one_person(named: Sequence[NotePerson], own_names: frozenset[str]) -> NotePerson:
    """Return the person of these mentions: the longest of them, in the role that most of them have."""
    if len(named) == 1:
        return named[0]
    longest = max(named, key=lambda one: sum(map(len, one.givens)))
    words = (*longest.givens, *longest.surnames)
    roles = Counter(one.mention.entity for one in named)
    if own_names and not own_names.issuperset(word for word in words if len(word) > 1):
        # Who is not in the record of the patient is not the patient.
        del roles[Entity.PATIENT]
    role = max(roles, key=lambda one: (roles[one], one is Entity.PATIENT), default=longest.mention.entity)
    return longest._replace(mention=longest.mention._replace(entity=role))
