"""What only one state has: its programs and forms by name, and its authorities by letters."""

import re
from functools import cache

from deid_tasks.core.reference import fold
from deid_tasks.core.us_states import STATE_NAMES
from deid_tasks.engine.obfuscate.note_context import SurrogateOptions
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.places.states import state_code_of, surrogate_state
from deid_tasks.engine.obfuscate.word_lists import read_grouped_list

_BODY = re.compile(
    r"(?P<state>[A-Z]{2}|NYS|Tx|Cal|Penn|Mass|Conn)(?P<gap>[ -]?)"
    r"(?P<body>DMV|BMV|DOT|DHHS|DHS|DCFS?|DPS|DOC|DOH|DPH|DNR|DVA|DSS|OSHA|Medicaid)"
)
"""The authority of a state by the state's code and its own letters: SCDMV, TxDOT, OH Medicaid."""
_BEHIND_NAME = re.compile(
    r"[ -](?:[A-D]|Plus|Standard|Family|CarePlus|Limited|First|Health|plan|insurance|managed care|report|form)",
    re.IGNORECASE,
)
"""What stands behind a program's name: HUSKY A, MassHealth Standard."""
_ANY_STATE = "-"


def replace_of_state(value: str, staff: NameScope, options: SurrogateOptions) -> str | None:
    """Return the program or the authority of the surrogate state; ``None`` for names that are no state's own."""
    if (body := _BODY.fullmatch(value)) is not None and (code := _code(body["state"])):
        return surrogate_state(code, staff, options) + body["gap"] + body["body"]
    folded = fold(value)
    found = _programs().get(folded) or _programs().get(fold(_BEHIND_NAME.sub("", value)))
    if found is None:
        return None
    kind, code, name = found
    if code == _ANY_STATE:
        return value
    state = surrogate_state(code, staff, options)
    if state == code:
        return value
    by_state = _names()[kind]
    made = by_state.get(state) or by_state[_ANY_STATE]
    return made.upper() if value.isupper() and not name.isupper() else made


def _code(written: str) -> str | None:
    return "NY" if written == "NYS" else written if written in STATE_NAMES else state_code_of(written)


@cache
def _programs() -> dict[str, tuple[str, str, str]]:
    """Return for each program's name, folded, its kind, the first state that has it or a hyphen, and the name."""
    table: dict[str, tuple[str, str, str]] = {}
    for kind, rows in read_grouped_list("organizations/state_programs.tsv").items():
        for row in rows:
            state, name = row.split("\t")
            table.setdefault(fold(name), (kind, state, name))
    return table


@cache
def _names() -> dict[str, dict[str, str]]:
    """Return for each kind the first name of each state."""
    table: dict[str, dict[str, str]] = {}
    for kind, rows in read_grouped_list("organizations/state_programs.tsv").items():
        for row in rows:
            state, name = row.split("\t")
            table.setdefault(kind, {}).setdefault(state, name)
    return table
