"""The form of a state, a country or a ZIP, and an address in one span divided into its parts."""

import re
from functools import cache

from deid_tasks.core.entities import Entity
from deid_tasks.core.forms import IdentifierForm
from deid_tasks.core.reference import fold
from deid_tasks.core.span import Span
from deid_tasks.core.us_states import STATE_NAMES
from deid_tasks.engine.obfuscate.places.place_table import state_of_city
from deid_tasks.engine.obfuscate.places.restricted_areas import is_restricted_area
from deid_tasks.engine.obfuscate.places.states import state_code_of
from deid_tasks.engine.obfuscate.word_lists import read_word_list

_TERRITORIES = frozenset(
    [
        *("pr", "puerto rico", "gu", "guam", "vi", "us virgin islands", "virgin islands"),
        *("american samoa", "northern mariana islands", "washington dc", "washington, dc"),
    ]
)
"""Other states as 45 CFR 160.103 defines the word."""
_COUNTRY_SHORT = frozenset(
    [
        *("us", "usa", "uk", "uae", "united states", "united states of america", "the united states", "america"),
        *("united kingdom", "great britain", "england", "scotland", "wales", "northern ireland", "south korea"),
        *("north korea", "saudi arabia", "south africa", "new zealand", "costa rica", "el salvador", "puerto rico"),
        *("dominican republic", "czech republic", "sri lanka", "hong kong", "the netherlands", "the philippines"),
        *("soviet union", "trinidad and tobago", "ivory coast", "sierra leone", "burkina faso", "papua new guinea"),
        *("viet nam", "bosnia and herzegovina", "east timor", "cape verde", "united arab emirates"),
    ]
)
_ALSO_TOWNS = frozenset({"new york", "washington"})
"""States whose name is a large town's too: they are states only within an address."""
_STATE = rf"(?:{'|'.join(sorted(STATE_NAMES))}|{'|'.join(sorted(STATE_NAMES.values(), key=len, reverse=True))})"
_ZIP = r"\d{5}(?:[-\s]\d{4})?(?!\d)"
_ZIP_ALONE = re.compile(r"\d{5}(?:[-\s]?\d{4})?", re.ASCII)
_COUNTRY = r"(?:USA|U\.S\.A\.?|US|U\.S\.?|United States(?: of America)?)"
_ADDRESS_END = re.compile(
    rf"(?P<head>.*?)(?:(?P<comma>\s*,\s*)|\s+|^)(?:(?P<state>{_STATE})\b\.?)?(?:[\s,]*(?P<zip>{_ZIP}))?"
    rf"(?:[\s,]+(?P<country>{_COUNTRY}))?\s*$",
    re.DOTALL,
)
_TOWN = re.compile(r",\s*(?P<town>[^\W\d_][^,\d]*)$")
_DIVIDED = frozenset({Entity.STREET, Entity.CITY, Entity.STATE, Entity.ZIP, Entity.LOCATION_OTHER})
_ZIP_3 = re.compile(r"(\d{3})(?:[Xx*]{2})?")


def form_of_zip(value: str) -> IdentifierForm:
    """Return the form of a postal code."""
    found = _ZIP_3.fullmatch(value.strip())
    if found is None:
        return IdentifierForm.ZIP if _ZIP_ALONE.fullmatch(value.strip()) else IdentifierForm.POSTAL_CODE
    return IdentifierForm.RESTRICTED_ZIP_3 if is_restricted_area(found[1]) else IdentifierForm.ZIP_3


def form_of_state(value: str) -> IdentifierForm:
    """Return whether the text marked as a state is one of the USA."""
    folded = fold(value).replace(".", "")
    return IdentifierForm.STATE if folded in _TERRITORIES or state_code_of(value) else IdentifierForm.REGION_UNCLEAR


def form_of_country(value: str) -> IdentifierForm:
    """Return whether the text marked as a country is one."""
    folded = fold(value).replace(".", "")
    return (
        IdentifierForm.COUNTRY if folded in _COUNTRY_SHORT or folded in _countries() else IdentifierForm.COUNTRY_UNCLEAR
    )


def divide_address(text: str, span: Span) -> list[Span]:
    """Return the parts of a span that holds several parts of an address, such as ``Springfield, OH 45502``.

    Only a state behind a comma or before a ZIP is divided from what stands before it. A span without such parts is
    returned as it is.
    """
    if span.entity not in _DIVIDED:
        return [span]
    found = _ADDRESS_END.fullmatch(text[span.start : span.end])
    if found is None or not (found["state"] or found["zip"] or found["country"]):
        return [span]
    state = found["state"]
    is_clear = not state or not found["head"] or bool(found["comma"] or found["zip"])
    if not is_clear or found["head"].endswith(("-", "/")):
        return [span]
    parts = _head_parts(text, span, found["head"])
    for name, entity in (("state", Entity.STATE), ("zip", Entity.ZIP), ("country", Entity.COUNTRY)):
        if found[name]:
            start, end = (span.start + offset for offset in found.span(name))
            parts.append(Span(start, end, entity, span.detector, span.score))
    return parts if len(parts) > 1 else [span]


def is_also_town(value: str) -> bool:
    """Whether a state's name alone may be a town's."""
    return fold(value) in _ALSO_TOWNS


def _head_parts(text: str, span: Span, head: str) -> list[Span]:
    """Return what stands before state and ZIP: a street and its town are two parts."""
    end = span.start + len(head.rstrip(" ,"))
    if end <= span.start:
        return []
    entity = Entity.CITY if span.entity in {Entity.STATE, Entity.ZIP} else span.entity
    town = _TOWN.search(text, span.start, end)
    if entity is Entity.CITY or town is None or fold(town["town"]) not in state_of_city():
        return [Span(span.start, end, entity, span.detector, span.score)]
    return [
        Span(span.start, span.start + len(text[span.start : town.start()].rstrip()), entity, span.detector, span.score),
        Span(town.start("town"), end, Entity.CITY, span.detector, span.score),
    ]


@cache
def _countries() -> frozenset[str]:
    return frozenset(map(fold, read_word_list("places/countries.txt")))
