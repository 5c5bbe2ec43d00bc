"""Number plates, rescue vehicles, file names, codes of entry, and numbers that are written with blanks."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.identifiers.labelled_numbers import MEASURE_AFTER
from deid_tasks.engine.detect.patterns.identifiers.number_formats import PUBLIC_CODE_BEFORE
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after, text_before
from deid_tasks.engine.detect.patterns.word_lists import NOT_NAMES

PLATE_TRIGGER = (
    r"\b(?:[Ll]icen[cs]e [Pp]lates?|[Pp]lates?|PLATE|[Tt]ag|TAG|VIN)(?: (?:[Nn]o\.?|[Nn]umber|#))?[:#]? {1,2}"
    r"(?:[A-Z]{2} )?(?:[A-Z0-9]{1,4}[ \-][A-Z0-9]{2,5}|[A-HJ-NPR-Z0-9]{17}|[A-Z0-9]{5,8})\b"
)
_PLATE_VALUE = re.compile(r"(?:[A-Z0-9]{1,4}[ \-][A-Z0-9]{2,5}|[A-HJ-NPR-Z0-9]{17}|[A-Z0-9]{5,8})$")
_FIGURE = re.compile(r"[0-9]")
_LETTER_OR_FOUR_FIGURES = re.compile(r"[A-Z]|[0-9]{4}")


def read_plate(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read plate GUP 1306."""
    match = _PLATE_VALUE.search(text, start, end)
    if match and _FIGURE.search(match.group()) and _LETTER_OR_FOUR_FIGURES.search(match.group()):
        yield Candidate(match.start(), end, Entity.VEHICLE, Strength.LABELLED)


FILE_TRIGGER = r"(?i)\b[a-z0-9][a-z0-9_\-]{2,40}\.(?:jpe?g|png|heic|tiff?|bmp|gif|dcm|mp4|mov|avi|pdf|wav|mp3|docx?)\b"


def read_file_name(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the name of a file with a number in it: IMG_2936.heic."""
    has_figure = any(character.isdigit() for character in text[start : text.rindex(".", start, end)])
    if has_figure and text[start - 1 : start] not in {"/", "@"}:
        yield Candidate(start, end, Entity.OTHER_ID, Strength.LABELLED)


BLANKS_TRIGGER = (
    r"\b(?i:member|mbr|subscriber|policy|insurance|medicare|medicaid|ramq|nhs|chi|h ?& ?c|ppo|hmo|health ?card)"
    r"(?i: ?(?:no\.?|number|id|card|#)){0,2}[:#]? {1,2}#? ?"
    r"(?:[A-Z]{2,4} )?[0-9]{3,5}(?: [0-9]{3,5}){1,3}(?: [0-9])?(?: ?/ ?[0-9])?\b"  # PPO # LCP 8820 11947
    r"|\b(?i:(?:screen|id|health|green|resident) card|passport)(?: ?(?:[Nn]o\.?|#))?:? [A-Z]{1,3} [0-9]{6,9}\b"
    r"|\b(?i:record|chart|mrn)(?i: ?(?:no\.?|number|#))?:? (?:[A-Z]{2,3} )?[0-9]{2}(?: [0-9]{2}){2,3}\b"
    r"|\b(?i:mrn)(?: ?(?i:no\.?|number|#))?(?::? | ?\.{2,20} )"
    r"(?:[A-Z]{2,4} )?[0-9]{2,4}(?: [0-9]{2,4}){2,3}\b"  # MRN ..... SYC 330 81 26
    r"|\b(?i:lic(?:ense)?\.?)(?: ?(?:[Nn]o\.?|#))?:? [A-Z]{1,3}(?:-[A-Z]{1,2})? [0-9]{3,8}\b"  # lic MT-P 2207
)
_BLANKS_VALUE = re.compile(
    r" #? ?(?P<value>(?:[A-Z]{1,4}(?:-[A-Z]{1,2})? )?[0-9]{3,8}(?: [0-9]{3,5}){0,3}(?: [0-9])?(?: ?/ ?[0-9])?"
    r"|(?:[A-Z]{2,4} )?[0-9]{2,4}(?: [0-9]{2,4}){2,3})$"
)
_CARD_OR_PASSPORT = re.compile(r"(?i)card|passport")
_TELEPHONE = re.compile(r"[0-9]{3} [0-9]{3} [0-9]{4}")
_RECORDS = frozenset(("rec", "cha", "mrn"))
"""How the labels of record numbers begin."""
_LABELS_OF_TEN_DIGITS = frozenset(("nhs", "chi", "h&c", "h &"))
"""How the labels of the health numbers of the United Kingdom begin."""


def read_number_with_blanks(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read PPO # LCP 8820 11947, Medicare 2950 11827 4 / 2 and lic MT-P 2207."""
    match = _BLANKS_VALUE.search(text, start, end)
    if match is None or text[end : end + 1] == "-" or MEASURE_AFTER.match(text, end, end + 10):
        return
    value, low, label = match["value"], match.start("value"), text[start : start + 3].lower()
    if _TELEPHONE.fullmatch(value) and label not in _LABELS_OF_TEN_DIGITS:
        return
    entity = Entity.LICENSE if label == "lic" else Entity.MRN if label in _RECORDS else Entity.HEALTH_PLAN
    if _CARD_OR_PASSPORT.search(text[start : match.start()]) and "health" not in text[start:end].lower():
        entity = Entity.OTHER_ID
    if entity is Entity.LICENSE and value.split()[0].lower() in NOT_NAMES:
        low += value.index(" ") + 1  # license RN 12345
    yield Candidate(low, end, entity, Strength.LABELLED)


LOT_TRIGGER = r"\b(?i:lots?)(?: ?(?:no\.?|#))?: ?[A-Za-z]{4,16},? [A-Z]{1,3}[0-9]{3,7}[A-Z]?\b"


def read_lot(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the lot of a drug that stands between label and number: LOT: inflectra FX7714."""
    yield Candidate(text.rindex(" ", start, end) + 1, end, Entity.OTHER_ID, Strength.LABELLED)


BARE_LOT_TRIGGER = r"\b(?i:lots?)\.? #?[A-Z0-9]{5,10}\b"


def read_bare_lot(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the lot of a vaccine or a device, of letters and figures: vax lot 3CA19C7; not lot 31, parking lot WEST."""
    low = text.rindex(" ", start, end) + 1 + (text[text.rindex(" ", start, end) + 1] == "#")
    figures = sum(character.isdigit() for character in text[low:end])
    if 1 < figures < end - low and text[end : end + 1] != "-":
        yield Candidate(low, end, Entity.DEVICE)


AGREEMENT_TRIGGER = (
    r"\b(?:CPA|CDTM|[Cc]ollaborative [Pp]ractice(?: [Aa]greement)?|[Ss]tanding [Oo]rder|[Dd]elegation(?: [Pp]rotocol)?)"
    r"(?: (?:#|[Nn]o\.?|[Nn]umber))?:? #?[A-Z]{1,3}-[0-9]{2,5}\b"
)


def read_number_of_agreement(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the number of the agreement under which a pharmacist works: Cosign not req per CPA P-118."""
    yield Candidate(text.rindex(" ", start, end) + 1, end, Entity.OTHER_ID, Strength.LABELLED)


BLOOD_UNIT_TRIGGER = r"\b[A-Z][A-Z0-9][0-9]{3}[ \-]?[0-9]{2}[ \-]?[0-9]{6}(?:[ \-]?[0-9]{2}\b)?(?: [A-Z0-9*])?\b"
_NOT_BLOOD_GROUP = re.compile(r" [ABO]$")


def read_blood_unit(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the number of a unit of blood in its groups: W0415 23 118206 00, with the check letter but not the group."""
    group = _NOT_BLOOD_GROUP.search(text, start, end)
    stop = group.start() if group else end
    if text[stop - 2] == " " and text[stop - 1].isdigit():
        stop -= 2  # W0415 23 118206 1 unit
    if text[start - 1 : start] not in {"-", "/"}:
        yield Candidate(start - (text[start - 1 : start] == "="), stop, Entity.OTHER_ID, Strength.LABELLED)


CODE_TRIGGER = r"\b(?i:code):? [A-Z0-9]{6,12}\b"


def read_entry_code(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read what opens a portal or a program: code 7XQ4MRLB."""
    value = text[text.rindex(" ", start, end) + 1 : end]
    figures = sum(character.isdigit() for character in value)
    if figures > 1 and len(value) - figures > 2 and not PUBLIC_CODE_BEFORE.search(text_before(text, start) + " "):
        yield Candidate(end - len(value), end, Entity.OTHER_ID)


RESCUE_VEHICLE_TRIGGER = (
    r"\b(?:Medic|MEDIC|Engine|ENGINE|Ambulance|AMBULANCE|Squad|SQUAD) [0-9]{1,3}\b"
    r"|\b(?i:life ?(?:flight|net|star|link|wing|guard|force)|air ?(?:evac|care|life|med)|med ?flight|star ?flight)"
    r" [0-9]{1,2}\b"  # LIFE WING 3
    r"|\b(?:Truck|TRUCK|Rescue|RESCUE|Ladder|LADDER|Unit|UNIT|Rig|RIG) [0-9]{1,3},? "
    r"(?i:fuel|mileage|odo|en ?route|dispatched|responded|responding|toned|on scene|staged|back in service|crew)\b"
)
_TRUCK = re.compile(r"(?:Truck|Rescue|Ladder|Unit|Rig) (?P<number>[0-9]{1,3}),? [a-z]", re.IGNORECASE)
_RESCUE_UNIT = re.compile(r"\s?(?:min|hrs?|hours|times|days|/|%|[.,:][0-9])")


def read_rescue_vehicle(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Medic 31, the helicopter LIFE WING 3, and the number of Truck 31 en route."""
    if truck := _TRUCK.match(text, start, end):
        yield Candidate(*truck.span("number"), Entity.VEHICLE)
    elif not _RESCUE_UNIT.match(text_after(text, end)):
        yield Candidate(start, end, Entity.VEHICLE)
