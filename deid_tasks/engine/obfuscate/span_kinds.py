"""Kinds that agree: a value that detection took for several kinds in one note is of one."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from itertools import pairwise

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.core.span import Span
from deid_tasks.engine.obfuscate.entity_groups import NAMES, ORGANIZATIONS
from deid_tasks.engine.obfuscate.organizations.abbreviations import organization_words_of
from deid_tasks.engine.obfuscate.organizations.chains import split_branch
from deid_tasks.engine.obfuscate.organizations.organization_words import KINDS
from deid_tasks.engine.obfuscate.people.name_text import fold_name
from deid_tasks.engine.obfuscate.people.public_names import given_name_table, is_listed_name
from deid_tasks.engine.obfuscate.places.place_table import largest_cities, state_of_city
from deid_tasks.engine.obfuscate.places.town_table import country_of_region, town_named
from deid_tasks.engine.obfuscate.places.world_cities import is_world_city

_OF_PLACE = frozenset({Entity.CITY, Entity.LOCATION_OTHER})
_NAMED = ORGANIZATIONS | _OF_PLACE
_OF_WORDS = frozenset({Entity.CITY, Entity.DATE})
_OF_TOWN = frozenset({Entity.STATE, Entity.ZIP})
_AT_BEFORE = re.compile(r"(?:\b(?:at|from|to|via)|@)\s$", re.IGNORECASE)
_TITLE_BEFORE = re.compile(
    r"\b(?:drs?|mr|mrs|ms|miss|prof|mdm|mme|rev|sr|nurse|coach|aunt|uncle|rn|np|md)\.?\s$", re.IGNORECASE
)
_TITLE_REACH = 8
_IN_BEFORE = re.compile(r"\b(?:in|near|at)\s$", re.IGNORECASE)
_DOCTOR_BEFORE = re.compile(r"\bDr\.?\s$")
_TO_CLINICIAN = re.compile(
    r"\b(?:back to|f/u (?:w/|with)|follow(?:-| )?up with|w/|with|per|see|seen by|by|see by|ref(?:er(?:ral|red)?)? to"
    r"|d/w|discussed with|call|called|paged|page|and)\s?$",
    re.IGNORECASE,
)
_REACH_OF_VISIT = 16
_ROW = re.compile(r"[,;/&\s]{1,3}(?:and )?")
_HOUSE_NUMBER = re.compile(r"(?:^|[\s,])\d{1,4}[A-Za-z]? $")
_NUMBER_BETWEEN = re.compile(r", \d{1,4}[A-Za-z]? ")
"""The number of a house between its name and its street: "Hafod-y-Grug, 3 Lon Penfedw"."""
_MAX_STATE_GAP = 3
_MIN_SHORT_NAME = 4
_MIN_WORD_OF_NAME = 3
_CALENDAR_WORD = re.compile(
    r"(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|spring|summer|autumn|fall"
    r"|winter|easter|christmas|noel|xmas|lent|advent|eid|diwali|holi|passover|yom|rosh|purim|pongal|today|yesterday)",
    re.IGNORECASE,
)
"""What a word of a calendar begins with."""
_WORD = re.compile(r"[^\W\d_]+")
_WITH_FIGURES = re.compile(r"[a-z]{3,}\d{1,4}", re.ASCII)
Bounds = tuple[int, int]


def kinds_of_names(text: str, spans: Sequence[Span]) -> dict[Bounds, Entity]:
    """Return the kind, by the bounds of a span, for values that were detected as another one or as several.

    Args:
        text: the note.
        spans: its spans, in order.
    """
    kinds: dict[Bounds, Entity] = {}
    found = {span.entity for span in spans}
    for rule, *needed in _RULES:
        if not any(map(found.isdisjoint, needed)):
            kinds.update(rule(text, spans))
    return kinds


def _of_equal_values(text: str, spans: Sequence[Span]) -> Iterator[tuple[Bounds, Entity]]:
    """Yield the one kind of organizations and places of one name, and whose surname an organization of one word is."""
    named: dict[str, list[tuple[int, Span]]] = {}
    for index, span in enumerate(spans):
        if span.entity in _NAMED:
            named.setdefault(fold(text[span.start : span.end]), []).append((index, span))
    surnames = _surnames(text, spans) if any("-" in value or value.isalpha() for value in named) else {}
    for value, mentions in named.items():
        if len(mentions) > 1 and len(entities := Counter(span.entity for _, span in mentions)) > 1:
            if (entity := _entity_of_all(spans, value, mentions, entities)) is not None:
                yield from (((span.start, span.end), entity) for _, span in mentions)
        elif "-" in value and mentions[0][1].entity in _OF_PLACE:
            if all(part in surnames for part in value.split("-")):
                yield from (((span.start, span.end), surnames[value.split("-")[0]]) for _, span in mentions)
        elif mentions[0][1].entity in ORGANIZATIONS and value.isalpha() and value not in KINDS and value in surnames:
            yield from (
                ((span.start, span.end), surnames[value])
                for _, span in mentions
                if not _AT_BEFORE.search(text, max(0, span.start - 6), span.start)
            )


def _entity_of_all(
    spans: Sequence[Span], value: str, found: Sequence[tuple[int, Span]], entities: Counter[Entity]
) -> Entity | None:
    """Return the kind of a value that was detected as several; ``None`` where they may all be right."""
    if len({entity in ORGANIZATIONS for entity in entities}) > 1:
        if any(has_state(spans, index) for index, _ in found):
            has_postcode = any(spans[i + 1].entity is Entity.ZIP for i, _ in found if has_state(spans, i))
            return Entity.CITY if has_postcode and " " not in value else None
        if Entity.CITY in entities and is_town(value):
            return Entity.CITY
        return max(entities, key=lambda one: (entities[one], one in ORGANIZATIONS))
    return Entity.CITY if Entity.CITY in entities else None


def has_state(spans: Sequence[Span], index: int) -> bool:
    """Whether a state or a ZIP stands behind a town."""
    behind = spans[index + 1] if index + 1 < len(spans) else None
    return (
        spans[index].entity is Entity.CITY
        and behind is not None
        and behind.entity in _OF_TOWN
        and behind.start - spans[index].end <= _MAX_STATE_GAP
    )


def is_region(value: str) -> bool:
    """Whether a value is a region of a country."""
    return bool(country_of_region(fold(value)))


def is_town(value: str) -> bool:
    """Whether a value is a town of the tables."""
    folded = fold(value)
    known = town_named(folded, country_of_region(folded)) or town_named(folded)
    return known is not None or folded in state_of_city()


def _of_lone_names(text: str, spans: Sequence[Span]) -> Iterator[tuple[Bounds, Entity]]:
    """Yield what a word is that was detected as a person's name and is none by all that the note and the lists say.

    It is the first word of an organization of the note ("Durfee" of "Durfee Precision Textile"), or a town.
    """
    lone = [span for span in spans if span.entity in NAMES and _is_word(text[span.start : span.end])]
    if not lone:
        return
    organizations = [one for one in spans if one.entity in ORGANIZATIONS and " " in text[one.start : one.end]]
    named = [(organization_words_of(text[one.start : one.end]), one.entity) for one in organizations]
    first_words = {words[0]: entity for words, entity in named if words}
    # Most words are names by the lists, and stand in front of no organization.
    doubtful = [
        (span, folded)
        for span in lone
        for folded in (fold_name(text[span.start : span.end]),)
        if folded in first_words
        or not is_listed_name(folded)
        or (named and text[max(0, span.start - 4) : span.start] == "the ")
    ]
    if not doubtful:
        return
    of_people = {
        fold_name(word)
        for span in spans
        if span.entity in NAMES and " " in (value := text[span.start : span.end])
        for word in _WORD.findall(value)
    }
    titled = {fold_name(text[one.start : one.end]) for one in lone if _has_title(text, one.start)}
    in_rows = _in_rows(text, spans)
    for span, folded in doubtful:
        if folded in of_people or folded in titled:
            continue
        of_organization = first_words.get(folded)
        if of_organization is None and text[max(0, span.start - 4) : span.start] == "the ":
            of_organization = next((entity for words, entity in named if folded in words), None)
        if of_organization is not None and folded not in KINDS:
            yield (span.start, span.end), of_organization
        elif span.start not in in_rows and not is_listed_name(folded):
            value = text[span.start : span.end]
            is_in_brackets = text[span.start - 1 : span.start] == "(" and text[span.end : span.end + 1] in {")", ","}
            if _is_large_town(value) or (is_in_brackets and is_town(value)):
                yield (span.start, span.end), Entity.CITY


def _of_given_names(text: str, spans: Sequence[Span]) -> Iterator[tuple[Bounds, Entity]]:
    """Yield whose name a town without a state is that is the given name of one person of the note: "from Gideon".

    Likewise the surname of a doctor of the note to whom the patient goes: "back to Haugen".
    """
    towns = [span for i, span in enumerate(spans) if span.entity is Entity.CITY and not has_state(spans, i)]
    if not towns:
        return
    owners: dict[str, set[Entity]] = {}
    titled: set[str] = set()
    for span in spans:
        if span.entity in NAMES and len(words := text[span.start : span.end].split()) > 1 and "," not in words[0]:
            owners.setdefault(fold_name(words[0]), set()).add(span.entity)
        elif span.entity is Entity.PROVIDER and _DOCTOR_BEFORE.search(text, max(0, span.start - 4), span.start):
            titled.add(fold_name(text[span.start : span.end]))
    for span in towns:
        found = owners.get(fold_name(text[span.start : span.end]), set())
        if len(found) == 1 and not _IN_BEFORE.search(text, max(0, span.start - 6), span.start):
            yield (span.start, span.end), next(iter(found))
        elif fold_name(text[span.start : span.end]) in titled and _TO_CLINICIAN.search(
            text, max(0, span.start - _REACH_OF_VISIT), span.start
        ):
            yield (span.start, span.end), Entity.PROVIDER


def _of_words_of_names(text: str, spans: Sequence[Span]) -> Iterator[tuple[Bounds, Entity]]:
    """Yield the towns and the dates that are words of people's names, by all that the note and the tables say.

    Likewise a street that is a town of the note: "PO Box 288, Gering".
    """
    doubtful = [
        (index, span, text[span.start : span.end])
        for index, span in enumerate(spans)
        if span.entity is Entity.STREET or (span.entity in _OF_WORDS and _is_word_of_no_calendar(span, text))
    ]
    if not doubtful:
        return
    owners = _owners_of_words(text, spans)
    towns = {fold(text[one.start : one.end]) for one in spans if one.entity is Entity.CITY}
    for index, span, value in doubtful:
        if span.entity is Entity.STREET:
            if fold(value) in towns:
                yield (span.start, span.end), Entity.CITY
            continue
        owner = owners.get(fold_name(value))
        if owner is None:
            if span.entity is Entity.DATE and is_world_city(fold(value)):
                yield (span.start, span.end), Entity.CITY  # "two tours, Ramadi '04"
        elif span.entity is Entity.DATE or not (has_state(spans, index) or is_town(value)):
            yield (span.start, span.end), owner


def _owners_of_words(text: str, spans: Sequence[Span]) -> dict[str, Entity]:
    """Return whose name each word of the note's names is, as the first name says that has it."""
    owners: dict[str, Entity] = {}
    for span in spans:
        for word in _WORD.findall(text, span.start, span.end) if span.entity in NAMES else ():
            if len(word) >= _MIN_WORD_OF_NAME and word[0].isupper():
                owners.setdefault(fold_name(word), span.entity)
    return owners


def _is_word_of_no_calendar(span: Span, text: str) -> bool:
    value = text[span.start : span.end]
    return value.isalpha() and value[0].isupper() and (span.entity is Entity.CITY or not _CALENDAR_WORD.match(value))


def _behind_organizations(text: str, spans: Sequence[Span]) -> Iterator[tuple[Bounds, Entity]]:
    """Yield the words behind an organization that were taken for a name, and are none: "Tern & Son" "Forage"."""
    for before, span in pairwise(spans):
        if before.entity not in ORGANIZATIONS or span.entity not in NAMES or text[before.end : span.start] != " ":
            continue
        value = text[span.start : span.end]
        if _is_word(value) and not is_listed_name(fold_name(value)):
            yield (span.start, span.end), before.entity


def _of_branches(text: str, spans: Sequence[Span]) -> Iterator[tuple[Bounds, Entity]]:
    """Yield the branches of chains that were taken for a person or a town: "Boots Otley"."""
    for span in spans:
        is_named = span.entity in NAMES or span.entity is Entity.CITY
        if not is_named or " " not in text[span.start : span.end]:
            continue
        value = text[span.start : span.end]
        if span.entity is Entity.CITY and is_town(value):
            continue  # "Apple Springs"
        branch = split_branch(value)
        if branch is not None and fold_name(branch[0]) not in given_name_table() and is_town(branch[1]):
            yield (span.start, span.end), Entity.ORGANIZATION


def _of_organizations(text: str, spans: Sequence[Span]) -> Iterator[tuple[Bounds, Entity]]:
    """Yield the names of people that are the first words of an organization: "Mesilla Crest" of a hospital so named."""
    named = [
        (organization_words_of(text[one.start : one.end]), one.entity) for one in spans if one.entity in ORGANIZATIONS
    ]
    for span in spans if named else ():
        if span.entity not in NAMES:
            continue
        value = text[span.start : span.end]
        words = organization_words_of(value)
        if len(words) == 1 or "," in value:
            continue
        longer = [entity for name, entity in named if len(name) > len(words) and name[: len(words)] == words]
        if not longer or _has_title(text, span.start):
            continue
        is_given = " " in value and fold_name(value.split()[0]) in given_name_table()
        if is_given and not _AT_BEFORE.search(text, max(0, span.start - 6), span.start):
            continue  # "Maria Okafor" of the Maria Okafor Clinic may be she herself
        yield (span.start, span.end), longer[0]


def _of_addresses(text: str, spans: Sequence[Span]) -> Iterator[tuple[Bounds, Entity]]:
    """Yield the streets and houses of addresses that were taken for people: "3 Lon Penfedw, Ffairfach SA19 6TR"."""
    for index, span in enumerate(spans[:-1]):
        if span.entity not in NAMES:
            continue
        behind = spans[index + 1]
        gap = text[span.end : behind.start]
        is_before_town = behind.entity in {Entity.CITY, Entity.ZIP} and gap in {", ", " "}
        if is_before_town and _HOUSE_NUMBER.search(text, max(0, span.start - _TITLE_REACH), span.start):
            yield (span.start, span.end), Entity.STREET
        elif _NUMBER_BETWEEN.fullmatch(gap) and not _has_title(text, span.start):
            after = spans[index + 2] if index + 2 < len(spans) else None
            if after is not None and after.entity is Entity.CITY and text[behind.end : after.start] == ", ":
                yield (span.start, span.end), Entity.STREET


def _of_jobs(text: str, spans: Sequence[Span]) -> Iterator[tuple[Bounds, Entity]]:
    """Yield the names that were taken for a profession or a month once: the DJ who is a son of the patient."""
    doubtful = [
        span
        for span in spans
        if span.entity is Entity.PROFESSION
        or (span.entity is Entity.DATE and text[span.end : span.end + 2] in {"'s", "’s"})
    ]
    names = {text[one.start : one.end]: one.entity for one in spans if one.entity in NAMES} if doubtful else {}
    for span in doubtful:
        if (entity := names.get(text[span.start : span.end])) is not None:
            yield (span.start, span.end), entity


def _of_accounts(text: str, spans: Sequence[Span]) -> Iterator[tuple[Bounds, Entity]]:
    """Yield the accounts that were taken for names: with figures, or elsewhere in the note an account."""
    accounts = {text[one.start : one.end] for one in spans if one.entity is Entity.USERNAME}
    for span in spans:
        if span.entity not in NAMES:
            continue
        value = text[span.start : span.end]
        if _WITH_FIGURES.fullmatch(value) or (value in accounts and value.islower()):
            yield (span.start, span.end), Entity.USERNAME


def _is_large_town(value: str) -> bool:
    """Whether a value is a town with more than one ZIP, or one abroad; a name may be that of a small town by chance."""
    _, zips = largest_cities().get(fold(value), ("", 0))
    return zips > 1 or (not zips and is_town(value))


def _in_rows(text: str, spans: Sequence[Span]) -> frozenset[int]:
    """Return where the names begin that stand in a row of names: "Udall, Underhill"."""
    rows = [
        (one.start, other.start)
        for one, other in pairwise(spans)
        if one.entity in NAMES and other.entity in NAMES and _ROW.fullmatch(text, one.end, other.start)
    ]
    return frozenset(start for row in rows for start in row)


def _is_word(value: str) -> bool:
    return value.isalpha() and value[:1].isupper() and len(value) >= _MIN_SHORT_NAME


def _has_title(text: str, start: int) -> bool:
    return _TITLE_BEFORE.search(text, max(0, start - _TITLE_REACH), start) is not None


def _surnames(text: str, spans: Sequence[Span]) -> dict[str, Entity]:
    """Return the last words of names of several words, folded, and whose they are."""
    found: dict[str, Entity] = {}
    for span in spans:
        if span.entity in NAMES and len(words := (value := text[span.start : span.end]).split()) > 1:
            last = words[0].rstrip(",") if "," in value else words[-1]
            found.setdefault(fold(last), span.entity)
    return found


_RULES: tuple[
    tuple[Callable[[str, Sequence[Span]], Iterator[tuple[Bounds, Entity]]], *tuple[Set[Entity], ...]], ...
] = (
    (_of_lone_names, NAMES),
    (_of_given_names, NAMES, {Entity.CITY}),
    (_of_branches, NAMES | {Entity.CITY}),
    (_of_organizations, NAMES, ORGANIZATIONS),
    (_of_addresses, NAMES, {Entity.CITY, Entity.ZIP}),
    (_of_jobs, NAMES, {Entity.PROFESSION, Entity.DATE}),
    (_of_words_of_names, {Entity.STREET, Entity.DATE, Entity.CITY}),
    (_behind_organizations, NAMES, ORGANIZATIONS),
    (_of_accounts, NAMES),
    (_of_equal_values, _NAMED),
)
"""Rules, each with the entities of which a note must have one; a later rule outweighs an earlier one."""
