"""Rooms, beds, wards and numbered roads: Rm 412B, to OR 4, 4W-12, Route 128."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.forms import Form, FormTable, always, never
from deid_tasks.engine.detect.patterns.names.name_parts import may_be_name
from deid_tasks.engine.detect.patterns.reference_words import is_everyday_word, is_plain_name, medical_term_words
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after, text_before
from deid_tasks.engine.detect.patterns.word_lists import alternation, as_word_set

ROOM_TRIGGER = (
    rf"\b(?:{alternation('places', 'room_labels')})"
    r"(?:\.? ?#?:? ?| ?\.{2,20} ?)(?:[A-Z]{1,4}-?)?[0-9]{1,4}[A-Z]{0,2}(?:-[0-9A-Z]{1,4})?\b"  # Rm 412B
    r"|\b(?:LDRP?|PACU|[SMCNP]ICU|CVICU|CTICU|CCU) [0-9]{1,3}\b"  # MICU 12
    r"|\b(?:(?:[Cc]ath|CATH|EP|IR) (?:lab|Lab|LAB)|[Ss]uite|SUITE) [A-H0-9]\b"  # Cath lab 2
    r"|\b(?:Bed|BED|bed|Bay|Pod) [A-H]\b"  # Bed B
    r"|\b(?:rm|room) ?[0-9]{1,4}[a-z]?,? bed [a-d]\b"  # rm 618 bed b
    r"|\b[0-9]{1,2} ?(?:North|South|East|West|NORTH|SOUTH|EAST|WEST)(?:[ \-][0-9]{1,4}[A-Z]?)?\b"  # 4 West
    r"|\b[1-9]00 [Hh]all\b"
    r"|\b(?:Op|OP|Operatory|Oper) ?#?[0-9]{1,2}\b"  # Op 3, a dentist's room
)
_SHORT_LABEL = re.compile(
    r"(?:or|theatre|chair) [0-9]$|(?:ldrp?|pacu|[smcnp]icu|cvicu|cticu|ccu) |(?:cath|ep|ir) lab |suite [a-h0-9]$"
)
_OPERATORY = re.compile(r"op(?:er|eratory)? ?#?[0-9]")
_DENTIST = re.compile(r"\b(?:DDS|DMD|RDH|RDA|CDA|BWX|[Dd]ental|[Dd]entist|[Hh]ygienist)\b")
_OPERATORY_BEHIND = re.compile(r"[ \t]*(?:\n|$)|[ \t]{2,}|[,;|]")
_ROOM_BEFORE = re.compile(r"(?:^|[^a-z])(?:rm|room)[.:#]{0,2} {1,2}$")
"""In front of a ward with a number that is the whole name of a room: Rm LDR 6."""
_SHORT_TAIL = re.compile(
    r"[.,;:)\n|]| ?$| {2}| (?:-|for\b|with\b|w/|at\b|by\b|@|where\b|per\b|via\b|from\b|after\b|now\b"
    r"|and (?:placed|positioned|transferred|moved|laid|general)\b)"
)
_RATIO_AFTER = re.compile(r"[,;]? ?[(\[]?(?:95|99|CI\b|[pP] ?[<=])")
"""What stands behind an odds ratio: OR 4, 95% CI."""
_SHORT_LEAD = re.compile(
    r"(?:^|\n|  |[,:;>(|]\s?"
    r"|\b(?:[Tt]o|[Ii]n|[Ff]rom|[Aa]t|[Aa]dmit|[Rr]m|[Oo]utpatients?|[Cc]linics?|[Aa]ngio|[Ii]nto|TO|IN|FROM|@) )$"
)
"""What stands around a label that is an everyday word or a ward too, with a single figure behind it: to OR 4."""
_ROOM_BEFORE_BED = re.compile(
    r"(?:^|[^a-z])(?:(?:rm|room|ward|unit|bay|pod)\.? ?[a-z0-9\-]{1,6}|triage|[a-z]{0,2}icu|pacu|ccu|ldr|ed|er),? $"
)
_BED_TAIL = re.compile(r"[.,;)]| only\b")
_LOCATION_BEFORE = re.compile(r"(?:location|loc):\s{0,3}$")
_ROOM_CODE = re.compile(r"[A-Z0-9][A-Z0-9\-]{0,11}$")
_AMOUNT_AFTER = re.compile(
    r"\s?(?:mg|ml|units?|hours|days|weeks|of|x\b|%|/|\.\d|feet|degrees|times|minutes|am|pm|st|nd|rd|th)"
)
_WEAK_LABELS = ("or", "unit", "door", "desk", "pod", "floor", "theatre", "chair")
_CODE_OF_ROOM = re.compile(r"[0-9]{2}|[a-z]-?[0-9]|#|[0-9][a-z]")
_FIGURE = re.compile(r"[0-9]")
_POD_WITH_LETTER = re.compile(r"[Pp]od [A-H]-?[0-9]")
_WARD_BEFORE = re.compile(r"(?:^|[^a-z])(?:to|on|from|unit|floor|ward|room|location|loc|dept|at|in)[\s:]{1,2}$")


@dataclass
class _Room:
    """A label with a number or a letter behind it."""

    text: str
    start: int
    end: int

    @cached_property
    def value(self) -> str:
        """In lower case."""
        return self.text[self.start : self.end].lower()

    @cached_property
    def ahead(self) -> str:
        return text_before(self.text, self.start)


def _is_amount(room: _Room) -> bool:
    is_end_of_number = room.text[room.start - 1 : room.start] in {".", "/", "-"}
    return is_end_of_number or _AMOUNT_AFTER.match(text_after(room.text, room.end)) is not None


def _is_short_room(room: _Room) -> bool:
    """Whether a label that is a word too, with one figure, stands where a room does: to OR 4."""
    text, end = room.text, room.end
    if not _SHORT_TAIL.match(text, end, end + 20) or _RATIO_AFTER.match(text, end, end + 8):
        return False
    return _SHORT_LEAD.search(text[max(0, room.start - 16) : room.start]) is not None


def _is_word_and_figure(room: _Room) -> bool:
    return room.value.startswith(_WEAK_LABELS) and not _CODE_OF_ROOM.search(room.value.split(maxsplit=1)[-1])


def _is_postoperative_day(room: _Room) -> bool:
    has_figure = room.value.startswith("pod") and _FIGURE.search(room.value)
    return bool(has_figure) and not _POD_WITH_LETTER.match(room.text[room.start : room.end])


def _is_operatory(room: _Room) -> bool:
    """Whether Op 3 stands as a cell or at the end of a line, in the note of a dentist."""
    is_cell = _OPERATORY_BEHIND.match(room.text, room.end) and _SHORT_LEAD.search(
        room.text[max(0, room.start - 16) : room.start]
    )
    return bool(is_cell) and _DENTIST.search(room.text) is not None


ROOMS: FormTable[_Room, bool] = FormTable(
    "rooms",
    Form("amount", "bed 2 times", _is_amount, never),
    Form(
        "dentist's room",
        "DDS: Op [LOCATION_OTHER:3]",
        lambda room: _OPERATORY.match(room.value) is not None,
        _is_operatory,
    ),
    Form(
        "word or ward with one figure",
        "to OR [LOCATION_OTHER:4]",
        lambda room: _SHORT_LABEL.match(room.value) is not None,
        _is_short_room,
    ),
    Form("word with one figure", "Floor 3", _is_word_and_figure, never),
    Form(
        "operating room",
        "operating room 12",
        lambda room: room.ahead.endswith("operating "),
        never,
    ),
    Form("postoperative day", "POD 12", _is_postoperative_day, never),
    Form(
        "side of a building",
        "moved to [LOCATION_OTHER:4 West]",
        lambda room: room.value[0].isdigit(),
        lambda room: _WARD_BEFORE.search(room.ahead) is not None,
    ),
    Form("room", "Rm [LOCATION_OTHER:412B]", always, always),
)
"""Which labels with a number are a room."""


def read_room(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Rm 412B, Bed 3, 4 West."""
    room = _Room(text, start, end)
    if not ROOMS.decide(room):
        return
    if _SHORT_LABEL.match(room.value) or _OPERATORY.match(room.value):
        is_ward = not room.value.startswith(("op", "or ", "theatre", "chair", "suite"))
        is_whole = is_ward and _ROOM_BEFORE.search(room.ahead) is not None
        yield Candidate(start if is_whole else text.rfind(" ", start, end) + 1, end, Entity.LOCATION_OTHER)
        return
    code = _ROOM_CODE.search(text, start, end)
    if code is None or room.value[0].isdigit() or _is_name_of_room(room, code.group()):
        yield Candidate(start, end, Entity.LOCATION_OTHER)
    elif not (room.value.startswith("bed") and len(code.group()) < 3) or _is_bed(room):
        yield Candidate(code.start(), end, Entity.LOCATION_OTHER)


def _is_bed(room: _Room) -> bool:
    """Whether one or two figures behind the word bed are its number: ICU bed 3, Bed: 12, bed 4."""
    if ":" in room.value or ".." in room.value or _ROOM_BEFORE_BED.search(room.ahead):
        return True
    return _BED_TAIL.match(room.text, room.end) is not None


def _is_name_of_room(room: _Room, code: str) -> bool:
    """Whether label and number are one name, as Room 4 is; of Location: Room 4 the number alone is the identifier."""
    is_title = room.text[room.start].isupper() and not room.text[room.start : room.start + 2].isupper()
    if not is_title or not code.isdigit() or ".." in room.value or room.value.startswith(("chair", "theatre")):
        return False
    return _LOCATION_BEFORE.search(room.ahead) is None


WARD_TRIGGER = r"\b[0-9]{1,2}[A-Z]{1,3}-[0-9]{1,3}[A-Z]?\b"


def read_ward(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read floor, wing and room: 4W-12."""
    if text[start - 1 : start] not in {"-", ".", "/"} and text[end : end + 1] not in {"-", "/"}:
        yield Candidate(start, end, Entity.LOCATION_OTHER)


NAMED_WARD_TRIGGER = (
    r"\b(?:Ward|WARD):[ \t]{1,8}[A-Z][a-z]{3,15}(?:[ \t]{2,}|[ \t]*\n|,|$)"  # Ward: Hawthorn
    r"|\b(?:Unit|UNIT|Floor|FLOOR):[ \t]{1,8}[A-Z][a-z]{3,15} [0-9]{1,2}[A-Z]?(?:[ \t]{2,}|[ \t]*\n|,|$)"  # Cedar 3
    r"|\b[0-9]{1,2} [A-Z][a-z]{3,15} (?:tele(?:metry)?|step-?down|med/?surg|ICU|PCU|IMCU)\b"  # 6 Whitcomb tele
)
_NAME_OF_WARD = re.compile(
    r"(?P<label>(?:[Ww](?:ard|ARD)|U(?:nit|NIT)|F(?:loor|LOOR)):[ \t]{1,8})?"
    r"(?P<name>(?:[0-9]{1,2} )?(?P<word>[A-Z][a-z]{3,15})(?: [0-9]{1,2}[A-Z]?(?![A-Za-z0-9]))?)"
)
_KINDS_OF_WARDS = as_word_set(
    "medical medicine surgical surgery acute stroke elderly maternity paediatric pediatric paediatrics general short"
    " day emergency antenatal postnatal labour gynae neonatal ortho orthopaedic respiratory cardiac cardiology renal"
    " oncology geriatric psychiatric isolation rehab rehabilitation admission admissions assessment observation private"
    " virtual male female adult children childrens burns discharge unknown none same other home north south east west"
    " high main"
)


def read_named_ward(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the name of a ward: Ward: Hawthorn, Unit: Cedar 3, 6 Whitcomb tele; not Ward: Surgical."""
    match = _NAME_OF_WARD.match(text, start, end)
    if match is None:
        return
    low = match["word"].lower()
    is_medical = low in medical_term_words() and not is_plain_name(low)
    if low in _KINDS_OF_WARDS or is_medical or not may_be_name(match["word"]):
        return
    if match["label"] or not is_everyday_word(low):
        yield Candidate(*match.span("name"), Entity.FACILITY)


TOWER_TRIGGER = (
    r"\b(?:(?:Ambulatory|Professional|Outpatient|Physicians|Medical (?:Office|Arts)|Admin(?:istration)?|Research) )?"
    r"(?:Tower|TOWER|Wing|WING|Pavilion|PAVILION|Bldg|BLDG|Building|BUILDING) "
    r"(?:[A-HNSEW]|[0-9]{1,2}[A-Z]?)(?:-[0-9]{1,4}[A-Z]?)?"
    r"(?:,? (?:[Bb]ed|BED|[Rr]m|RM|[Rr]oom|ROOM) ?#?[0-9A-Z\-]{1,6})?\b"
    r"|\b(?:Mill|Plant|Hangar|Warehouse) [0-9]{1,2}[A-Z]?\b"  # where somebody works
)
_MEDICAL_BEFORE = re.compile(r"(?:sphenoid|iliac|nasal|ala)\w*\s$")


def read_tower(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Tower D bed 12 and Wing E, a part of a hospital, with the bed in it; and Mill 2, a part of a works."""
    if not _MEDICAL_BEFORE.search(text_before(text, start)):
        yield Candidate(start, end, Entity.LOCATION_OTHER)


_UNIT = (
    r"(?:[1-9][0-9]?(?:N|S|E|W|NE|NW|SE|SW|T|C|[A-D])(?:-?[0-9]{1,2})?|(?:[A-Z]{1,2}ICU|CCU|PCU|IMCU?|TCU)-?[A-H0-9])"
)
_KIND_OF_UNIT = r"(?:[A-Z]{1,2}ICU|CCU|PCU|IMCU?|TCU|ED|ER|PACU|OR)(?:-?[A-H0-9])?"
MOVE_TRIGGER = (
    rf"\b(?:{_UNIT} ?(?:->|-->|=>|>|\?) ?(?:{_UNIT}|{_KIND_OF_UNIT})|{_KIND_OF_UNIT} ?(?:->|-->|=>|>|\?) ?{_UNIT})\b"
    r"|\b(?i:tx'?d?|txf'?d?|txfer(?:red)?|xfer(?:red)?|trans|transfer(?:red)?|transport(?:ed)?|moved?|from)"
    rf"(?: from)? (?:{_UNIT}|{_KIND_OF_UNIT}) to (?:{_UNIT}|{_KIND_OF_UNIT})\b"
)
_MOVED_UNIT = re.compile(rf"(?<![A-Za-z0-9\-]){_UNIT}(?![A-Za-z0-9])")


def read_move(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the units of a move: tx 4N to 5S, 4E->CVICU-B; those that every hospital has are none: ED->5S."""
    for unit in _MOVED_UNIT.finditer(text, start, end):
        yield Candidate(*unit.span(), Entity.FACILITY)


ROAD_TRIGGER = (
    r"\b(?:Hwy\.?|HWY|[Hh]ighway|[Rr]oute|Rte\.?|RT|US|SR|CR|FM|I)[ -]?[0-9]{1,4}[NSEW]?,? (?:near |at |@ ?)?"
    r"(?i:mm|mp|mile ?(?:post|marker)|exit) ?#?[0-9]{1,3}\b"  # I-10 MM 214
    r"|\b(?:[A-Z][a-z]{2,15} ){1,2}(?:Trace|Parkway|Pkwy|Turnpike|Tpke|Thruway|Tollway|Highway|Hwy|Expressway|Expwy)"
    r",? (?:near |at |@ ?)?(?i:mm|mp|mile ?(?:post|marker)|exit) ?#?[0-9]{1,3}\b"  # Natchez Trace mp 40
    r"|\b(?:MVC|MVA|MCC|MCA|PHBC|[Rr]ollover|[Cc]rash|[Cc]ollision|[Ww]reck)(?: on| along| off| at|,)? "
    r"(?:I|US|SR|Hwy)[0-9]{1,3}"
    r"(?:[NSEW]?,? (?:near |at |@ ?)?(?i:mm|mp|mile ?(?:post|marker)|exit) ?#?[0-9]{1,3})?\b"  # MVC I40
    r"|\b(?:I|US|SR)[0-9]{2,3} (?:NB|SB|EB|WB|[Nn]orthbound|[Ss]outhbound|[Ee]astbound|[Ww]estbound)\b"  # I40 WB
    r"|\b(?:US|SR|CR|FM)-[0-9]{1,4},? (?:[NSEW]|NB|SB|EB|WB|[Nn]orth|[Ss]outh|[Ee]ast|[Ww]est)\b"  # US-6 E
    r"|\b(?:Interstate|Route|Rte\.?|Rt\.?|Highway|Hwy\.?|HWY|US|State Road) ?-?[0-9]{1,4}\b"  # Route 128
    r"|\b(?:on|along|off|via|down|up|near) (?:the )?I-[0-9]\b"  # on the I-5 run
    r"|\bI-[0-9]{2,3}\b|\b[Mm]ile ?[Mm](?:arker|ile) [0-9]{1,3}\b"  # I-95, mile marker 12
)
_ISOTOPES = frozenset({"I-131", "I-123", "I-125", "I-124", "I-129", "I-127"})
_THERAPY_AFTER = re.compile(r"\s?(?:therapy|scan|uptake|ablation)")
_CRASH = re.compile(
    r"(?:MVC|MVA|MCC|MCA|PHBC|[Rr]ollover|[Cc]rash|[Cc]ollision|[Ww]reck)(?: on| along| off| at|,)? (?=I|US|SR|Hwy)"
)
_WITH_DIRECTION = re.compile(r"(?P<road>(?:US|SR|CR|FM)-[0-9]{1,4}),? [A-Za-z]")
_ON_ROAD = re.compile(r"[a-z]+ (?:the )?(?=I-[0-9])")
_MILE = re.compile(r"(?:mm|mp|mile ?(?:post|marker)|exit) ?#?[0-9]{1,3}$", re.IGNORECASE)
_SIZE_BEHIND = re.compile(r"\s?(?:mm|cm|x\b|[.,][0-9]|mg|%|stone|nodule|cyst|lesion|mass|node|polyp)")
"""What makes figures and mm a size: US 12 mm 3 cm."""
_TRAVEL_BEFORE = re.compile(r"(?:on|along|off|via|near)\s$")


def read_road(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Route 128 and I-95; isotopes of iodine are not roads."""
    if text[start:end] in _ISOTOPES or text[end : end + 1] in {"/", "%", ":"}:
        return
    if _THERAPY_AFTER.match(text_after(text, end)):
        return
    if road := _WITH_DIRECTION.match(text, start, end):
        yield Candidate(start, road.end("road"), Entity.LOCATION_OTHER)
        return
    if lead := (_CRASH.match(text, start, end) or _ON_ROAD.match(text, start, end)):
        start = lead.end()
    if _MILE.search(text, start, end):
        if not _SIZE_BEHIND.match(text_after(text, end)):
            yield Candidate(start, end, Entity.LOCATION_OTHER, Strength.LABELLED)
        return
    if not text[start:end].startswith("US") or _TRAVEL_BEFORE.search(text_before(text, start, 8)):
        yield Candidate(start, end, Entity.LOCATION_OTHER)


HOUSING_TRIGGER = (
    r"\b(?:HOUSING|Housing|CELL|Cell|POD|DORM|Dorm)(?: (?:[Uu]nit|UNIT|[Aa]ssignment|ASSIGNMENT))?[:#] {0,8}"
    r"[A-Z]{1,4}-?[0-9]{1,3}[A-Z]?\b"  # HOUSING: INF-3
    r"|\b(?:from|to|in|on|FROM|TO|IN|ON|moved) (?:[A-Z]|[0-9][A-Z])[ -](?:[Pp]od|POD|[Dd]orm|DORM)\b"  # from D pod
)
_UNIT_OF_JAIL = re.compile(r"(?:[A-Z]{1,4}-?[0-9]{1,3}[A-Z]?|(?:[A-Z]|[0-9][A-Z])[ -](?:[Pp]od|POD|[Dd]orm|DORM))$")


def read_housing(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read where somebody is housed in a jail: HOUSING: INF-3, from D pod."""
    match = _UNIT_OF_JAIL.search(text, start + 2, end)
    if match:
        yield Candidate(*match.span(), Entity.LOCATION_OTHER, Strength.LABELLED)


PARK_TRIGGER = (
    r"\b(?:[a-z][a-z'\-]{1,15} ){1,4}(?:state|national|county|provincial|regional) "
    r"(?:park|forest|beach|preserve|seashore)\b"
)
_BEFORE_PARK = as_word_set(
    "from to at in near the a an our their his her my we they i he she went visited visiting hiking hiked camping"
    " camped biking fishing walking local nearby big through of and by with for this that some any last on was"
    " is job works work ranger around outside inside into lake river"
)
"""Words in front of a park that are not of its name."""


def read_park_in_small_letters(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read back from false cape state park."""
    words = text[start:end].split()
    kept = len(words) - 2
    while kept and words[kept - 1] not in _BEFORE_PARK:
        kept -= 1
    if kept < len(words) - 2:
        yield Candidate(start + len(" ".join(words[:kept])) + bool(kept), end, Entity.LOCATION_OTHER)
