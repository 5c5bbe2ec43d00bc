"""Telephone numbers: the same punctuation, an area code of the surrogate state, digits that can be a number."""

import re

from deid_tasks.engine.obfuscate.note_context import SurrogateOptions
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.places.cities import area_codes, areas_of_state, states_of_area, surrogate_state

__all__ = ["area_codes", "replace_phone"]

_TOLL_FREE = re.compile(
    r"(?P<lead>\+?1?\D{0,2})(?P<prefix>8(?:00|33|44|55|66|77|88))(?P<rest>\W{0,2}[\dA-Z](?:\W?[\dA-Z]){6})(?P<more>.*)",
    re.DOTALL,
)
_TOLL_FREE_PREFIXES = ("800", "833", "844", "855", "866", "877", "888")
_FOREIGN = re.compile(r"(?:\+|00|011[\s-]?)(?!1\D?\d{3})(?P<country>\d{1,3})(?=\D)")
_EVERYBODYS = frozenset(["911", "988", "411", "211", "311"])
"""Numbers that are the same everywhere."""
_RESERVED = "55501"
"""Exchange and first digits that are kept for fiction: 555-0100 to 555-0199."""
_AREA, _LEAST, _LOCAL, _LONG = 3, 4, 7, 10


def replace_phone(value: str, scope: NameScope, options: SurrogateOptions) -> str:
    """A number in the same punctuation: an area code of the surrogate state, an exchange from 200 to 999; extensions too."""
    if value in _EVERYBODYS:
        return value
    vanity = _TOLL_FREE.fullmatch(value)
    if vanity:
        return _toll_free(vanity, scope)
    if foreign := _FOREIGN.match(value):
        # The country stays, as the country of an address beside it would not follow.
        return value[: foreign.end()] + scope.keyed.like(value[foreign.end() :], "phone", scope.patient_id)
    digits = re.sub(r"\D", "", value)
    core = digits.removeprefix("1") if len(digits) == _LONG + 1 else digits
    is_area_alone = len(core) == _AREA and core in area_codes() and "(" in value
    new = _area(core, scope, options) if is_area_alone else _number(core, scope, options)
    made = digits[: len(digits) - len(core)] + new
    stream = iter(made)
    return "".join(next(stream) if char.isdecimal() else _letter(char, scope) for char in value)


def _number(core: str, scope: NameScope, options: SurrogateOptions) -> str:
    keyed, parts = scope.keyed, ("phone", scope.patient_id)
    if len(core) < _LOCAL:
        return keyed.like(core, *parts)
    area, local, extension = (core[:3], core[3:10], core[10:]) if len(core) >= _LONG else ("", core[:7], core[7:])
    new_local = _exchange(keyed.like(local, *parts))
    if options.reserved_ranges:
        new_local = _RESERVED + new_local[len(_RESERVED) :]
    return (
        (_area(area, scope, options) if area else "") + new_local + (keyed.like(extension, *parts) if extension else "")
    )


def _area(area: str, scope: NameScope, options: SurrogateOptions) -> str:
    """An area code of the state that stands for the state of ``area``, another than ``area`` where there is one."""
    states = states_of_area(area)
    found = areas_of_state(surrogate_state(states[0], scope, options)) if states else ()
    others = [code for code in found or area_codes() if code != area] or [area]
    return scope.keyed.choice(others, "phone", scope.patient_id, "area", area)


def _toll_free(match: re.Match[str], scope: NameScope) -> str:
    """A toll-free number stays one; letters that spell it become digits."""
    parts = ("phone", scope.patient_id, match["prefix"])
    core = re.sub(r"\W", "", match["rest"])
    new = iter(_exchange(scope.keyed.like(re.sub(r"[A-Z]", "2", core), *parts, core)))
    rest = "".join(next(new) if char.isalnum() else char for char in match["rest"])
    more = re.sub(r"\d+", lambda digits: scope.keyed.like(digits.group(), *parts), match["more"])
    return match["lead"] + scope.keyed.choice(_TOLL_FREE_PREFIXES, *parts) + rest + more


def _exchange(local: str) -> str:
    """``local`` with an exchange that exists: from 200, and none of 211, 311 … 911, nor 555."""
    made = local if local[0] not in "01" else str(2 + int(local[1]) % 8) + local[1:]
    if made[1:3] == "11" or made[:3] == "555":
        made = made[0] + "2" + made[2:]
    return made


def _letter(char: str, scope: NameScope) -> str:
    """Vanity letters (1-800-GO-CARD) say the number as digits do; words such as ext. stay."""
    return scope.keyed.like(char, "phone") if char.isupper() else char
