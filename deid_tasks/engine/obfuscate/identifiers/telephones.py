"""Telephone numbers: the same punctuation, an area code of the surrogate state, digits that can be a number."""

import re

from deid_tasks.core.patient import TermKind
from deid_tasks.engine.obfuscate.identifiers.telephone_plans import replace_phone_abroad
from deid_tasks.engine.obfuscate.note_context import NoteContext, SurrogateOptions
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.places.area_codes import replace_area_code
from deid_tasks.engine.obfuscate.places.place_table import area_codes
from deid_tasks.engine.obfuscate.places.town_table import HOME

_TOLL_FREE = re.compile(
    r"""(?P<lead>\+?1?\D{0,2})
        (?P<prefix>8(?:00|33|44|55|66|77|88))
        (?P<rest>\W{0,2}[\dA-Z](?:\W?[\dA-Z]){6})
        (?P<more>.*)""",
    re.DOTALL | re.VERBOSE,
)
_TOLL_FREE_PREFIXES = ("800", "833", "844", "855", "866", "877", "888")
_FOREIGN = re.compile(r"(?:\+|00|011[\s-]?)(?!1\D?\d{3})(?P<country>\d{1,3})(?=\D)")
_NOT_DIGITS = re.compile(r"\D")
_SERVICE_NUMBERS = frozenset(["911", "988", "411", "211", "311"])
"""Numbers that are the same everywhere."""
_FICTION_PREFIX = "55501"
"""Exchange and first digits that are reserved for fiction: 555-0100 to 555-0199."""
_MISREAD = re.compile(r"(?<=\d|[-. )])[lIO]+(?=[\dlIO]*\d)|(?<=\d)[lIO]+(?![A-Za-z])")
_DIGITS_OF_LETTERS = str.maketrans("lIO", "110")
_FREE = {
    "AU": re.compile(r"(?:1800|1300)\D?|13(?=[ -]?\d\d[ -]?\d\d(?!\d))"),
    "NZ": re.compile(r"(?:0800|0508)\D?"),
    "GB": re.compile(r"(?:0800|0808|0300|0345|0845)\D?"),
    "IE": re.compile(r"(?:1800|1850|1890|0818)\D?"),
    "IN": re.compile(r"(?:1800|1860)\D?"),
    "SG": re.compile(r"1800\D?"),
    "ZA": re.compile(r"(?:0800|086[0-2])\D?"),
}
"""Free numbers, and numbers at the price of a local call, by country."""
_AREA_DIGITS, _LOCAL_DIGITS, _LONG_DIGITS = 3, 7, 10


def replace_phone(value: str, scope: NameScope, options: SurrogateOptions, country: str = HOME, near: str = "") -> str:
    """Return a number in the same punctuation, with an area code of the surrogate state and a valid exchange.

    Args:
        value: the original; it may have an extension.
        scope: whose number it is.
        options: the institution's settings.
        country: where the note was written.
        near: the area code of the surrogate of the address beside it, for a number of an area that the table lacks.
    """
    if value in _SERVICE_NUMBERS:
        return value
    if _MISREAD.search(value):
        # Letters that a scanner read for digits: "555-Ol36".
        value = _MISREAD.sub(lambda found: found.group().translate(_DIGITS_OF_LETTERS), value)
    if country in _FREE and (free := _FREE[country].match(value)):
        made = scope.keyed.like(value[free.end() :], "phone", scope.patient_id)
        return free.group() + made
    if (abroad := replace_phone_abroad(value, country, scope, options, near)) is not None:
        return abroad
    if vanity := _TOLL_FREE.fullmatch(value):
        return _replace_toll_free(vanity, scope)
    if foreign := _FOREIGN.match(value):
        # The country code stays, because the country of an address beside it would not follow.
        return value[: foreign.end()] + scope.keyed.like(value[foreign.end() :], "phone", scope.patient_id)
    digits = _NOT_DIGITS.sub("", value)
    if digits[:1] == "0" and len(digits) > _LOCAL_DIGITS:
        # The trunk prefix of a country without a plan here, and the first digit of the area behind it.
        made = digits[:2] + scope.keyed.like(digits[2:], "phone", scope.patient_id)
        digits_of = iter(made)
        return "".join(next(digits_of) if char.isdecimal() else char for char in value)
    core = digits.removeprefix("1") if len(digits) == _LONG_DIGITS + 1 else digits
    is_area_alone = len(core) == _AREA_DIGITS and core in area_codes() and "(" in value
    surrogate = _area_code(core, scope, options) if is_area_alone else _number(core, scope, options)
    stream = iter(digits[: len(digits) - len(core)] + surrogate)
    return "".join(next(stream) if char.isdecimal() else _replace_letter(char, scope) for char in value)


def owner_in_record(value: str, context: NoteContext) -> NameScope | None:
    """Return the patient's scope where the record has this number.

    ``None`` where only the text can tell whose it is.
    """
    own = context.patient.of_record(TermKind.PHONE)
    digits = _NOT_DIGITS.sub("", value)[-_LONG_DIGITS:] if own else ""
    is_own = digits and any(_NOT_DIGITS.sub("", phone)[-_LONG_DIGITS:] == digits for phone in own)
    return context.patient if is_own else None


def _number(core: str, scope: NameScope, options: SurrogateOptions) -> str:
    keyed, parts = scope.keyed, ("phone", scope.patient_id)
    if len(core) < _LOCAL_DIGITS:
        return keyed.like(core, *parts)
    area_end = _AREA_DIGITS if len(core) >= _LONG_DIGITS else 0
    local_end = area_end + _LOCAL_DIGITS
    area, local, extension = core[:area_end], core[area_end:local_end], core[local_end:]
    surrogate = _with_valid_exchange(keyed.like(local, *parts))
    if options.reserved_ranges:
        surrogate = _FICTION_PREFIX + surrogate[len(_FICTION_PREFIX) :]
    return (
        (_area_code(area, scope, options) if area else "")
        + surrogate
        + (keyed.like(extension, *parts) if extension else "")
    )


def _area_code(area: str, scope: NameScope, options: SurrogateOptions) -> str:
    """Return an area code of the surrogate state; any other one for a code that no state has."""
    if code := replace_area_code(area, scope, options):
        return code
    others = [code for code in area_codes() if code != area]
    return scope.keyed.choice(others, "phone", scope.patient_id, "area", area)


def _replace_toll_free(match: re.Match[str], scope: NameScope) -> str:
    """Return another toll-free number; letters that spell the number become digits."""
    parts = ("phone", scope.patient_id, match["prefix"])
    core = re.sub(r"\W", "", match["rest"])
    stream = iter(_with_valid_exchange(scope.keyed.like(re.sub(r"[A-Z]", "2", core), *parts, core)))
    rest = "".join(next(stream) if char.isalnum() else char for char in match["rest"])
    more = re.sub(r"\d+", lambda digits: scope.keyed.like(digits.group(), *parts), match["more"])
    return match["lead"] + scope.keyed.choice(_TOLL_FREE_PREFIXES, *parts) + rest + more


def _with_valid_exchange(local: str) -> str:
    """Return seven digits whose exchange exists: it is from 200 on, and is none of 211, 311 … 911 and 555."""
    made = local if local[0] not in "01" else str(2 + int(local[1]) % 8) + local[1:]
    if made[1:3] == "11" or made[:3] == "555":
        made = made[0] + "2" + made[2:]
    return made


def _replace_letter(char: str, scope: NameScope) -> str:
    """Return another letter for a capital, as in 1-800-GO-CARD; words such as "ext." stay."""
    return scope.keyed.like(char, "phone") if char.isupper() else char
