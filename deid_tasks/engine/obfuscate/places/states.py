"""States: each is exchanged for another of similar size, the same in all notes of the institution."""

import re
from functools import lru_cache

from deid_tasks.core.reference import fold
from deid_tasks.core.us_states import STATE_NAMES
from deid_tasks.engine.obfuscate.keyed_choices import KeyedChoices
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.note_context import SurrogateOptions
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.places.place_table import cities_by_state

_CODES = {fold(name): code for code, name in STATE_NAMES.items()} | {code.lower(): code for code in STATE_NAMES}
_TERRITORIES = {
    **dict.fromkeys(["pr", "puerto rico", "p.r."], "OH"),
    **dict.fromkeys(["vi", "virgin islands", "gu", "guam", "mp", "northern mariana islands"], "OH"),
    **dict.fromkeys(["american samoa"], "OH"),
}
"""Territories, which the table of places leaves out: their addresses become those of the state for unknown cities."""
_CODES |= _TERRITORIES
_MIN_PREFIX_LENGTH = 3


def replace_state(value: str, scope: NameScope, options: SurrogateOptions) -> str:
    """Return the surrogate of a state, as a code of two letters where ``value`` is one."""
    code = state_code_of(value)
    if code is None:
        return match_case(STATE_NAMES[scope.keyed.choice(sorted(STATE_NAMES), "state", value)], value)
    surrogate = surrogate_state(code, scope, options)
    if len(re.sub(r"\W", "", value)) != 2:
        return match_case(STATE_NAMES[surrogate], value)
    letters = iter(match_case(surrogate, value))
    return "".join(next(letters) if char.isalnum() else char for char in value)


def surrogate_state(code: str, scope: NameScope, options: SurrogateOptions) -> str:
    """Return the code of the state that replaces ``code``.

    It is the same in all notes, so that patients live where their clinics are.
    """
    if options.keeps_states or options.kept_zip_digits:
        return code
    return _state_map(scope.keyed).get(code, code)


def surrogate_state_name(folded: str, scope: NameScope) -> str | None:
    """Return the name of the state that replaces the state named ``folded``; ``None`` for other words."""
    code = _CODES.get(folded) if len(folded) > 2 else None
    return STATE_NAMES[surrogate_state(code, scope, SurrogateOptions())] if code else None


def state_code_of(name: str) -> str | None:
    """Return the code of a state by its code, its name, or a prefix of it that no other state shares (Mass., Calif)."""
    folded = fold(name).replace(".", "")
    if (code := _CODES.get(folded)) or len(folded) < _MIN_PREFIX_LENGTH:
        return code
    codes = {code for other, code in _CODES.items() if other.startswith(folded)}
    return codes.pop() if len(codes) == 1 else None


@lru_cache(maxsize=64)
def _state_map(keyed: KeyedChoices) -> dict[str, str]:
    """Return each state's surrogate: the next one in a keyed ring of states of similar size.

    No two states share a surrogate, and none is its own.
    """
    ranked = sorted(cities_by_state(), key=lambda state: (-len(cities_by_state()[state]), state))
    third = len(ranked) // 3
    surrogates: dict[str, str] = {}
    for states in (ranked[:third], ranked[third : 2 * third], ranked[2 * third :]):
        ring = sorted(states, key=lambda state: keyed.number(1 << 64, "state", state))
        surrogates.update(zip(ring, (*ring[1:], ring[0]), strict=True))
    return surrogates
