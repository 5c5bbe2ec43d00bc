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
_IN_SHORT = {
    "AL": "Ala.",
    "AK": "Alas.",
    "AZ": "Ariz.",
    "AR": "Ark.",
    "CA": "Calif.",
    "CO": "Colo.",
    "CT": "Conn.",
    "DE": "Del.",
    "DC": "D.C.",
    "FL": "Fla.",
    "GA": "Ga.",
    "HI": "Haw.",
    "ID": "Ida.",
    "IL": "Ill.",
    "IN": "Ind.",
    "IA": "Ia.",
    "KS": "Kan.",
    "KY": "Ky.",
    "LA": "La.",
    "ME": "Me.",
    "MD": "Md.",
    "MA": "Mass.",
    "MI": "Mich.",
    "MN": "Minn.",
    "MS": "Miss.",
    "MO": "Mo.",
    "MT": "Mont.",
    "NE": "Neb.",
    "NV": "Nev.",
    "NH": "N.H.",
    "NJ": "N.J.",
    "NM": "N.M.",
    "NY": "N.Y.",
    "NC": "N.C.",
    "ND": "N.D.",
    "OH": "O.",
    "OK": "Okla.",
    "OR": "Ore.",
    "PA": "Pa.",
    "RI": "R.I.",
    "SC": "S.C.",
    "SD": "S.D.",
    "TN": "Tenn.",
    "TX": "Tex.",
    "UT": "Ut.",
    "VT": "Vt.",
    "VA": "Va.",
    "WA": "Wash.",
    "WV": "W.Va.",
    "WI": "Wis.",
    "WY": "Wyo.",
}
"""States as they were written in short before they had codes of two letters."""
_CODES_IN_SHORT = {re.sub(r"\W", "", short).lower(): code for code, short in _IN_SHORT.items() if len(short) > 3} | {
    "sdak": "SD",
    "ndak": "ND",
    "ncar": "NC",
    "scar": "SC",
    "nmex": "NM",
    "penna": "PA",
    "nebr": "NE",
    "kans": "KS",
    "wisc": "WI",
    "oreg": "OR",
    "wva": "WV",
    "nhamp": "NH",
}


def replace_state(value: str, scope: NameScope, options: SurrogateOptions) -> str:
    """Return the surrogate of a state, as a code of two letters where ``value`` is one."""
    code = state_code_of(value)
    if code is None:
        return match_case(STATE_NAMES[scope.keyed.choice(sorted(STATE_NAMES), "state", value)], value)
    surrogate = surrogate_state(code, scope, options)
    if surrogate != code and _is_in_short(value):
        short = _IN_SHORT[surrogate]
        return match_case(short if value.rstrip().endswith(".") else short.removesuffix("."), value)
    if len(re.sub(r"\W", "", value)) != 2:
        return match_case(STATE_NAMES[surrogate], value)
    letters = iter(match_case(surrogate, value))
    return "".join(next(letters) if char.isalnum() else char for char in value)


def _is_in_short(value: str) -> bool:
    """Whether a state is written in short and not as its code: "S. Dak.", "Miss", "Ga"."""
    letters = re.sub(r"\W", "", value)
    if value.isupper() and len(letters) == 2:
        return False
    return letters.lower() in _CODES_IN_SHORT or (len(letters) == 2 and letters[1].islower() and letters[0].isupper())


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
    if in_short := _CODES_IN_SHORT.get(folded.replace(" ", "")):
        return in_short
    codes = {code for other, code in _CODES.items() if other.startswith(folded)}
    return codes.pop() if len(codes) == 1 else None


@lru_cache(maxsize=64)
def _state_map(keyed: KeyedChoices) -> dict[str, str]:
    """Return each state's surrogate: the next one in a keyed ring of states of similar size.

    No two states share a surrogate, and none is its own. No state becomes the District of Columbia, which has one town:
    where the ring says so, it becomes what the District becomes.
    """
    ranked = sorted(cities_by_state(), key=lambda state: (-len(cities_by_state()[state]), state))
    third = len(ranked) // 3
    surrogates: dict[str, str] = {}
    for states in (ranked[:third], ranked[third : 2 * third], ranked[2 * third :]):
        ring = sorted(states, key=lambda state: keyed.number(1 << 64, "state", state))
        surrogates.update(zip(ring, (*ring[1:], ring[0]), strict=True))
    return {state: surrogates["DC"] if other == "DC" else other for state, other in surrogates.items()}
