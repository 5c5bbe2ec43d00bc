"""Record numbers: other digits and letters in the same shape, with a valid check digit where the original had one."""

import re

from deid_tasks.core.entities import Entity
from deid_tasks.core.patient import TermKind
from deid_tasks.core.reference import fold
from deid_tasks.core.us_states import STATE_NAMES
from deid_tasks.engine.obfuscate.identifiers.embedded_dates import move_embedded_dates
from deid_tasks.engine.obfuscate.identifiers.national_numbers import replace_national_number
from deid_tasks.engine.obfuscate.identifiers.spoken_values import is_figure
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.note_context import NO_NAMES, NoteContext, NoteNames
from deid_tasks.engine.obfuscate.organizations.organization_names import replace_organization
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.people.public_names import is_listed_name
from deid_tasks.engine.obfuscate.places.states import replace_state
from deid_tasks.engine.obfuscate.plain_words import is_everyday
from deid_tasks.engine.obfuscate.word_lists import read_word_list
from deid_tasks.engine.text.check_digits import (
    VIN_LETTERS,
    dea_check_digit,
    is_npi,
    luhn_check_digit,
    npi_check_digit,
    vin_check_character,
)

_MEDICARE = re.compile(
    r"[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y0-9]\d[AC-HJKMNP-RT-Y]{2}\d\d"
)
_MEDICARE_LETTERS = "ACDEFGHJKMNPQRTUVWXY"
"""Letters of Medicare beneficiary identifiers; those that look like digits are not among them."""
_NPI = re.compile(r"[12]\d{9}")
_DEA = re.compile(r"[ABCDEFGHJKLMPRSTUX][A-Z9]\d{7}")
_REFERENCE = re.compile(r"[A-Z]{2,3}/[a-z]{2,3}/")
_LETTERS = re.compile(
    r"(?<![^\W_])[A-Za-z]{2,}(?![^\W\d_])|(?<=\d[-/_])[A-Za-z]{2,}(?![^\W\d_])|(?<=\d)(?:MR|CT|US|XR|DX|NM|MG|PT)(?=\d{4})"
)
_WORDS = re.compile(r"((?<![\w-])[a-z]{2,}(?![\w-]))")
_FORMAT_LETTERS = re.compile(r"[^\W\d]{0,4}(?=\d)")
_OF_STATE = re.compile(r"(?P<code>[A-Z]{2})(?P<gap>[ -])(?=\d)")
_PLATE = re.compile(r"(?P<code>[A-Z]{2})(?P<gap>[ -])(?=(?=.*\d)[A-Z\d][A-Z\d -]{3,8}$)")
_SHORT_LABEL = re.compile(r"[A-Z]{2,4}(?=\d)")
_MODALITY = re.compile(r"\d{4,}-(MR|CT|US|XR|CR|DX|NM|MG|PT)$")
"""The kind of an examination behind its number."""
_LABEL = re.compile(r"([A-Za-z]{4,})[ ](?=.*\d)")
_SIGNS = re.compile(r"\W|_")
_MASKED = re.compile(r"[xX]{3,}")
_CLIA = re.compile(r"\d\dD\d{7}", re.ASCII)
"""The number of a laboratory in the United States."""
_HEXADECIMAL = re.compile(r"(?=.*[A-F])(?=.*\d)[0-9A-F]{16,}")
_AIRCRAFT = re.compile(r"N[1-9]\d{0,4}[A-Z]{0,2}", re.ASCII)
_OF_THINGS = frozenset({Entity.VEHICLE, Entity.DEVICE})
_OF_PLACES = frozenset({Entity.MRN, Entity.ACCOUNT, Entity.HEALTH_PLAN, Entity.OTHER_ID})
"""Numbers that a hospital or an insurer gives, whose letters may be its own."""
NUMBER_FORMATS = frozenset(read_word_list("identifiers/number_formats.txt"))
"""Letters before a number that name its kind, folded."""
_MIN_LETTERS_OF_NAME = 4
_EXTENSION = re.compile(r"[xX]\d{3,6}")
"""The extension of a telephone: x4168."""
_SHORT_WORDS = frozenset({"in", "is", "of", "at", "to", "no", "on", "and", "for", "the", "van", "car", "bus"})
"""Words beside a number that are surnames too."""
_CARD_DIGITS = (15, 16)
_VIN_LENGTH = 17
_MIN_DIGITS_BEHIND_FORMAT = 4
_SSN_GROUPS = (*range(1, 50), *range(66, 70), 89, 93)
"""Behind an area from 900 on, the groups that no taxpayer number (ITIN) has."""


def replace_number(value: str, entity: Entity, context: NoteContext, names: NoteNames = NO_NAMES) -> str:
    """Return a number of the same shape.

    A patient's number gets the same surrogate in any punctuation, a clinician's licence the same one in all notes.
    """
    if (of_parts := _of_parts(value, entity, context, names)) is not None:
        return of_parts
    characters = _plain(value)
    if entity in {Entity.OTHER_ID, Entity.HEALTH_PLAN} and value.isupper() and value in STATE_NAMES:
        # The state of a licence or a plan: "CDL WV E118840", "Medicaid LA 881330".
        return replace_state(value, context.staff, context.options)
    if not characters:
        return "#" * len(value) if value.strip() else value
    scope = context.patient
    if entity is Entity.LICENSE and characters not in {_plain(term) for term in scope.of_record(TermKind.LICENSE)}:
        scope = context.staff
    if entity not in _OF_THINGS and (national := replace_national_number(characters, context.country, scope)):
        # A day in it is a part of its form: moved by itself, the check digits would not hold.
        return _in_shape(national, value)
    made = None if entity is Entity.SSN else _with_check_digit(characters, entity, scope)
    if made is None:
        # What a check digit holds for stays as it is made: XXX in the number of a vehicle masks nothing.
        made = _with_fixed_parts(_surrogate(characters, entity, scope, context), value)
        made = move_embedded_dates(made, value, scope.shift_days, context)
    if entity in _OF_PLACES:
        made = _with_letters(made, value, names)
    return _in_shape(made, value)


def _of_parts(value: str, entity: Entity, context: NoteContext, names: NoteNames) -> str | None:
    """Return a number beside words, a state or the letters of people, each part by itself; ``None`` for others."""

    def replace_part(part: str) -> str:
        return replace_number(part, entity, context, names)

    if " " in value and _WORDS.search(value):
        # "NY plate ABC-1234" and "ends in 4471" hold words, which stay; "kelly forbes acct 99812" also holds a name.
        return "".join(
            stretch if not stretch.strip() or (i % 2 and _is_word(stretch)) else replace_part(stretch)
            for i, stretch in enumerate(_WORDS.split(value))
        )
    if (label := _LABEL.match(value)) and is_everyday(label[1].lower()):
        # "MEDIC 14", "UNIT 6": a word says what bears the number.
        return label.group() + replace_part(value[label.end() :])
    if "_" in value and any(names.number(part) for part in value.split("_")):
        # "66120_20240827": a number of the note in the name of a file.
        return "_".join(names.number(part) or replace_part(part) for part in value.split("_"))
    form = _OF_STATE if entity is Entity.LICENSE else _PLATE if entity is Entity.VEHICLE else None
    if form and (of_state := form.match(value)) and of_state["code"] in STATE_NAMES:
        # "OR-33918", "TX 1288034", a plate "WI 88KTR": of the state that the note's addresses have.
        code = replace_state(of_state["code"], context.staff, context.options)
        return code + of_state["gap"] + replace_part(value[of_state.end() :])
    if entity is Entity.OTHER_ID and (reference := _REFERENCE.match(value)) and reference.end() < len(value):
        # "NP/jb/G118842": who dictated, who typed, and a number that may stand alone elsewhere.
        number = value[reference.end() :]
        return _letters_of_reference(reference.group(), context, names) + replace_part(number)
    return None


def _is_word(word: str) -> bool:
    """Whether a word beside a number is one of general text, or names its kind, and is no name and no figure."""
    if is_figure(word):
        return False
    is_short = len(word) < _MIN_LETTERS_OF_NAME and (word in _SHORT_WORDS or not is_listed_name(word))
    return is_short or is_everyday(word) or word in NUMBER_FORMATS


def _letters_of_reference(letters: str, context: NoteContext, names: NoteNames) -> str:
    """Return the letters in front of a reference: of the note's people and organizations, else other letters."""
    made: list[str] = []
    for part in letters.split("/"):
        own = names.letters(part) or context.keyed.like(part.upper(), "number letters")
        for i, letter in enumerate(names.initials(part) or ()):
            own = own[:i] + (letter or own[i]) + own[i + 1 :]
        made.append(match_case(own.upper(), part))
    return "/".join(made)


def _with_fixed_parts(made: str, value: str) -> str:
    """Return a number with what says nothing of whose it is: masked digits, the kind of an examination."""
    if masked := _MASKED.search(value):
        start = sum(char.isalnum() for char in value[: masked.start()])
        made = made[:start] + masked.group() + made[start + len(masked.group()) :]
    if _CLIA.fullmatch(value):
        made = made[:2] + "D" + made[3:]
    if modality := _MODALITY.search(value):
        made = made[: -len(modality[1])] + modality[1]
    return made


def _plain(value: str) -> str:
    return value.upper() if value.isalnum() else _SIGNS.sub("", value).upper()


def _surrogate(characters: str, entity: Entity, scope: NameScope, context: NoteContext) -> str:
    """Return the surrogate of a number without its punctuation and without a check digit."""
    if entity is Entity.SSN:
        return _social_security_number(characters, scope)
    keyed, parts = scope.keyed, ("number", scope.patient_id)
    if _HEXADECIMAL.fullmatch(characters):
        return keyed.like(characters, *parts, upper="ABCDEF")
    if entity is Entity.VEHICLE and _AIRCRAFT.fullmatch(characters):
        return "N" + keyed.like(characters[1:], *parts)
    if _EXTENSION.fullmatch(characters):
        return characters[0] + keyed.like(characters[1:], *parts)
    label = _SHORT_LABEL.match(characters)
    if label and fold(label.group()) in NUMBER_FORMATS:
        # "IRN 2": what the figure counts stays, however few there are.
        return label.group() + keyed.like(characters[label.end() :], *parts)
    if entity is Entity.VEHICLE or sum(char.isdigit() for char in characters) < _MIN_DIGITS_BEHIND_FORMAT:
        return keyed.like(characters, *parts)
    # The letters that a long number begins with are its format (MRN, INV), or stand for the place that gave it.
    prefix = _FORMAT_LETTERS.match(characters)
    letters = prefix.group() if prefix else ""
    number = keyed.like(characters[len(letters) :], *parts)
    if entity in _OF_PLACES and not _is_format(letters):
        letters = _other_letters(letters, context)
    return letters + number


def _is_format(letters: str) -> bool:
    """Whether letters before a number name its kind; a single letter names nothing."""
    return len(letters) < 2 or fold(letters) in NUMBER_FORMATS


def _other_letters(letters: str, context: NoteContext) -> str:
    """Return the letters of a place as its abbreviation in the notes is rewritten: ``RH`` of Riverside Hospital."""
    made = replace_organization(letters, context)
    return made if len(made) == len(letters) and made.isalpha() else context.keyed.like(letters, "number letters")


def _with_letters(made: str, value: str, names: NoteNames) -> str:
    """Return a number whose letters follow the organization or the person of the note that they stand for.

    Other letters behind the first ones stay where they name a kind of number, as ``CT`` does in ``24-CT-039117``.
    """
    for found in _LETTERS.finditer(value):
        letters = found.group()
        own = names.letters(letters)
        if own is None and found.start() and fold(letters) in NUMBER_FORMATS:
            own = letters
        if own is not None and len(own) >= len(letters):
            start = sum(char.isalnum() for char in value[: found.start()])
            made = made[:start] + own[: len(letters)].upper() + made[start + len(letters) :]
    return made


def _with_check_digit(characters: str, entity: Entity, scope: NameScope) -> str | None:
    """Return the surrogate of a number of a public format, with a valid check digit; ``None`` for other numbers."""
    keyed, parts = scope.keyed, ("number", scope.patient_id)
    if entity is Entity.VEHICLE and len(characters) == _VIN_LENGTH and vin_check_character(characters) == characters[8]:
        vin = keyed.like(characters, *parts, upper=VIN_LETTERS)
        return vin[:8] + str(vin_check_character(vin)) + vin[9:]
    # A mistyped one among licences begins as every one does.
    if _NPI.fullmatch(characters) and (entity is Entity.LICENSE or is_npi(characters)):
        nine_digits = characters[0] + keyed.like(characters[1:9], *parts)
        return nine_digits + npi_check_digit(nine_digits)
    # One chart number in ten has a valid check digit by accident.
    if entity is not Entity.MRN and _DEA.fullmatch(characters) and dea_check_digit(characters[2:8]) == characters[8]:
        # The second letter is the first one of the registrant's surname, whose surrogate begins with this letter.
        letter = scope.letter(characters[1], is_last=True) if characters[1].isalpha() else characters[1]
        registration = characters[0] + letter + keyed.like(characters[2:8], *parts)
        return registration + dea_check_digit(registration[2:])
    if _MEDICARE.fullmatch(characters):
        return keyed.like(characters, *parts, upper=_MEDICARE_LETTERS)
    if (
        len(characters) in _CARD_DIGITS
        and characters.isdecimal()
        and luhn_check_digit(characters[:-1]) == characters[-1]
    ):
        card = keyed.like(characters[:-1], *parts)
        return card + luhn_check_digit(card)
    return None


def _social_security_number(characters: str, scope: NameScope) -> str:
    """Return a number of area 900 to 999, which is never assigned, and of a group that no taxpayer number has."""
    if len(characters) == 9 and characters.isdigit():
        made = scope.keyed.like(characters[1:], "ssn", scope.patient_id)
        group = scope.keyed.choice(_SSN_GROUPS, "ssn", scope.patient_id, characters, "group")
        return f"9{made[:2]}{group:02d}{made[4:]}"
    # Digits that the writer masked (xxx-xx-6789) stay masked.
    return re.sub(r"\d+", lambda part: scope.keyed.like(part.group(), "ssn", scope.patient_id, characters), characters)


def _in_shape(surrogate: str, value: str) -> str:
    """Return ``surrogate`` with the punctuation and the letter case of ``value``."""
    stream = iter(surrogate)
    return "".join(
        char if not char.isalnum() or char == "_" else _match_character_case(next(stream, "0"), char) for char in value
    )


def _match_character_case(surrogate: str, original: str) -> str:
    return surrogate.lower() if original.islower() else surrogate
