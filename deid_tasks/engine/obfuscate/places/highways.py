"""Highways of the United States in a note that tells its state: one that the surrogate state has."""

import re
from collections.abc import Sequence
from functools import cache

from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.places.streets import other_number
from deid_tasks.engine.obfuscate.word_lists import read_grouped_list

_HIGHWAY = re.compile(
    r"(?P<lead>(?:I[- ]?|[Ii]nterstate |INTERSTATE )"
    r"|(?P<route>U\.?S\.?(?:[ -]|(?= ?\d))(?:(?:[Rr]oute|ROUTE|[Rr]te\.?|RTE|[Hh]ighway|HIGHWAY|[Hh]wy\.?|HWY)[ -])?))"
    r"(?P<number>\d{1,3})(?![\d-])"
)
_STATE_ROAD = re.compile(r"(?P<state>[A-Z]{2})(?P<gap>[ -])(?P<number>\d{1,3})")
"""The route of a state by the state's code: OH-4."""
_SHORT_DIGITS = 2


def replace_highway(value: str, states: Sequence[str], made: Sequence[str], scope: NameScope) -> str | None:
    """Return another interstate, US route or route of the state, with what stands behind it.

    ``None`` for other values, and where the note tells no state that has one.

    Args:
        value: the original.
        states: the codes of the states that the note tells, the likeliest first.
        made: what they become.
        scope: whose choice it is.
    """
    if (state_road := _STATE_ROAD.fullmatch(value)) is not None and state_road["state"] in states:
        code = made[states.index(state_road["state"])]
        return f"{code}{state_road['gap']}{other_number(state_road['number'], ('road', scope.patient_id), scope)}"
    road = _HIGHWAY.match(value)
    if road is None:
        return None
    kind, number = "route" if road["route"] else "interstate", int(road["number"])
    highways = _highways()[kind]
    # A note of Oregon may name a crash on I-80: then its own state counts.
    pairs = sorted(zip(states, made, strict=True), key=lambda one: number not in highways.get(one[0], ()))
    for state, other in pairs:
        numbers = [one for one in highways.get(other, ()) if one != number]
        alike = [one for one in numbers if _is_short(one) == _is_short(number)] or numbers
        if alike:
            own = [one for one in highways.get(state, ()) if _is_short(one) == _is_short(number)]
            ring = sorted(alike, key=lambda one: scope.keyed.number(1 << 64, kind, other, str(one)))
            # In the order of the state's own highways, so that no two of them become one where there are enough.
            index = own.index(number) if number in own else scope.keyed.number(len(ring), kind, road["number"])
            return f"{road['lead']}{ring[index % len(ring)]}{_rest(value[road.end() :], scope)}"
    return None


def _rest(value: str, scope: NameScope) -> str:
    """Return what stands behind a highway, with other numbers: "at exit 9"."""
    return re.sub(r"\d+", lambda found: other_number(found.group(), ("interstate", scope.patient_id), scope), value)


def _is_short(number: int) -> bool:
    return len(str(number)) <= _SHORT_DIGITS


@cache
def _highways() -> dict[str, dict[str, tuple[int, ...]]]:
    """Return the numbers of the interstates and of the US routes of each state."""
    return {
        kind: {row.split("\t")[0]: tuple(map(int, row.split("\t")[1].split())) for row in rows}
        for kind, rows in read_grouped_list("places/highways.tsv").items()
        if kind != "kind"
    }
