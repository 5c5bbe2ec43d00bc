"""Wards and bays by number and name, beds of a board, and rooms that bear the name of a building or of a kind of care.

6 North Tele, report to 5W RN, in Trauma 3, EMPTY: 4, 7, ROOM: DUNN 714, Lab: EP 2, Team Crile.
"""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.names.name_parts import may_be_name
from deid_tasks.engine.detect.patterns.reference_words import (
    is_everyday_word,
    medical_term_words,
    surname_rates,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_before
from deid_tasks.engine.detect.patterns.word_lists import as_word_set

_SIDE = r"(?:North|South|East|West|Tower|Main|NORTH|SOUTH|EAST|WEST|TOWER|MAIN)"
_CARE = (
    r"(?i:tele(?:metry)?|step-?down|med/?[ \-]?surg|ICU|PCU|IMCU?|ortho(?:pa?edics)?|onc(?:ology)?|neuro(?:logy)?"
    r"|cardiac|surgical|medical|peds|pediatrics|rehab|psych|L&D|postpartum|mother/?baby)"
)
SIDE_WARD_TRIGGER = rf"\b[1-9][0-9]? {_SIDE}[ \-]{{1,2}}{_CARE}\b"


def read_ward_by_side(text: str, start: int, _end: int) -> Iterator[Candidate]:
    """Read the number and side of a ward in front of its care: 6 North Tele."""
    stop = start + len(" ".join(text[start : start + 12].replace("-", " ").split(" ", 2)[:2]))
    if text[start - 1 : start] not in {".", "/", "-"}:
        yield Candidate(start, stop, Entity.FACILITY)


CALLED_WARD_TRIGGER = (
    r"\b(?:[Tt]o|[Ff]rom|[Ww]ith|w/|[Bb]y|[Pp]er|[Cc]alled|on|TO|FROM) ?[1-9][0-9]?(?:N|S|E|W|NE|NW|SE|SW|T)-?[0-9]? "
    r"(?:RNs?|LPN|LVN|CNA|PCT|[Nn]urses?|[Cc]harge|[Uu]nit|[Ss]taff|team|desk|clerk|secretary)\b"  # to 5W RN
    r"|\b(?:RN|LPN|LVN|NP|PA|MD|[Nn]urse|[Cc]harge),? [1-9][0-9]? [A-Z][a-z]{3,15} ?(?:@|at [0-9]|\([0-9])"
)
_LETTER_WARD = re.compile(r"[1-9][0-9]?[NSEWT]{1,2}-?[0-9]?(?= )")
_NAME_WARD = re.compile(r" (?P<name>[1-9][0-9]? (?P<word>[A-Z][a-z]{3,15})) ?[@a(]")


def read_ward_of_nurse(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the ward of who gave or took a report: to 5W RN, Tiffany, RN 5 Prairie @ 0741."""
    if ward := _NAME_WARD.search(text, start, end):
        low = ward["word"].lower()
        if low not in medical_term_words() and may_be_name(ward["word"]):
            yield Candidate(*ward.span("name"), Entity.FACILITY)
    elif letters := _LETTER_WARD.search(text, start, end):
        yield Candidate(*letters.span(), Entity.FACILITY)


_KINDS_OF_BAYS = (
    r"(?:Trauma|TRAUMA|Resus|RESUS|Fast ?[Tt]rack|FAST ?TRACK|Triage|TRIAGE|Peds|PEDS|Psych|PSYCH|Obs|OBS|Flex|FLEX"
    r"|Vertical|Intake|Acute|Procedure|Exam|Bay|Pod|Hall|Hallway|Consult|Recovery|Holding|Pre-?op|Phase)"
)
BAY_TRIGGER = (
    rf"\b(?:[Ii]n|[Ii]nto|[Tt]o|[Ff]rom|IN|TO|FROM|@) (?:the )?{_KINDS_OF_BAYS}"
    r"(?: (?:[Rr]oom|[Bb]ay|ROOM|BAY|[Rr]m|RM))? #?[0-9]{1,2}[A-C]?\b"
)
_BAY = re.compile(rf"{_KINDS_OF_BAYS}(?: [A-Za-z]+)? #?[0-9]{{1,2}}[A-C]?$")
_PLACE_BEHIND = re.compile(
    r"[ \t]{0,2}(?:[.;:)\n|]|,(?! ?[0-9])|$|->| {2})"
    r"| (?:with|w/|by|for (?!\d)|at|@|and|on|via|now|where|per|after|since|until|when|who|is|was|awaiting|pending)\b",
    re.IGNORECASE,
)
_NO_PLACE = re.compile(r"Phase|Acute|Procedure|Exam|Consult")
"""What has numbers of its own: Phase 2, Exam 1."""


def read_bay(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the bay of an emergency department behind where somebody is: in Trauma 3 with minor injuries."""
    bay = _BAY.search(text, start, end)
    if bay is None or not _PLACE_BEHIND.match(text, end, end + 12):
        return
    if _NO_PLACE.match(bay.group()) and len(bay.group().split()) < 3:
        return
    yield Candidate(*bay.span(), Entity.LOCATION_OTHER)


BOARD_TRIGGER = (
    r"(?mi)^[ \t]{0,8}(?:empty|open|available|avail|vacant|clean|dirty|blocked|closed|discharged|held)"
    r"(?: (?:beds?|rooms?|rms?|bays?|slots?|chairs?))?:? {1,3}"
    r"#?[0-9]{1,4}[A-D]?(?: ?(?:[,&/+]|and) ?[0-9]{1,4}[A-D]?){0,12}\b"
    r"|^[ \t]{0,8}(?:bed|rm|room|bay|slot|cot|chair)(?: #| ?#?)[0-9]{1,4}[A-D]?[ \t]{0,4}(?:\||[-:][ \t]{1,2}[A-Z])"
)
_LABEL_OF_BOARD = re.compile(r"[ \t]*[a-z]+(?: (?P<beds>beds?|rooms?|rms?|bays?|slots?|chairs?))?:? +", re.IGNORECASE)
_BED = re.compile(r"(?<![A-Za-z0-9])[0-9]{1,4}[A-D]?(?![A-Za-z0-9])")
_ROW_OF_BED = re.compile(r"[ \t]*(?:bed|rm|room|bay|slot|cot|chair)\b", re.IGNORECASE)
_BEDS_OF_NOTE = re.compile(r"(?mi)^[ \t]*(?:bed|rm|room|bay|slot) ?#?[0-9]{1,4}[A-D]?\b")
_AMOUNT_BEHIND = re.compile(r"\s?(?:%|[./:][0-9]|m[lg]\b|cc\b|cm\b|mm\b|L\b|l\b|y/?o|x\b)")


def read_beds_of_board(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the beds of a board: BED 3 | Okafor, and EMPTY: 4, 7 where the lines of the note begin with beds."""
    if _ROW_OF_BED.match(text, start, end):
        bed = _BED.search(text, start, end)
        if bed:
            yield Candidate(*bed.span(), Entity.LOCATION_OTHER)
        return
    label = _LABEL_OF_BOARD.match(text, start, end)
    if label is None or _AMOUNT_BEHIND.match(text, end, end + 6):
        return
    if label["beds"] or (":" in label.group() and _BEDS_OF_NOTE.search(text)):
        for bed in _BED.finditer(text, label.end(), end):
            yield Candidate(*bed.span(), Entity.LOCATION_OTHER)


BUILDING_ROOM_TRIGGER = (
    r"\b(?:ROOM|Room|RM|Rm|LOCATION|Location|BED|Bed)(?: ?#)?:[ \t]{1,16}"
    r"[A-Z][A-Za-z]{2,14}[ \-][0-9]{1,4}[A-Z]?(?:-[0-9A-Z]{1,3})?\b"
    r"|\b(?:ROOM|Room|RM|Rm) [A-Z][A-Za-z]{2,14} [0-9]{3,4}[A-Z]?\b"
)
_BUILDING_ROOM = re.compile(r"(?P<word>[A-Z][A-Za-z]{2,14})[ \-][0-9]{1,4}[A-Z]?(?:-[0-9A-Z]{1,3})?$")


def read_room_of_building(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a room by the name of its building: ROOM: DUNN 714. Room Air 98 and Room: Bed 2 are none."""
    room = _BUILDING_ROOM.search(text, start + 2, end)
    if room is None:
        return
    low = room["word"].lower()
    is_medical = low in medical_term_words() and not (":" in text[start:end] and low in surname_rates())
    if may_be_name(room["word"]) and not is_everyday_word(low) and not is_medical:
        yield Candidate(*room.span(), Entity.LOCATION_OTHER, Strength.LABELLED)


LAB_TRIGGER = (
    r"\b(?:Lab|LAB|Suite|SUITE|Room|ROOM|Theatre)[:#]{1,2}[ \t]{0,12}"
    r"(?:EP|Cath|CATH|IR|Endo|ENDO|Angio|Hybrid) ?#?[0-9]{1,2}\b"
    r"|\b(?:OR|Room|ROOM|Location|LOCATION|Loc|Suite|Theatre):[ \t]{0,12}"
    r"[A-Z][A-Z0-9]{1,4} (?:OR|EP|IR|Cath|Endo) ?#?[0-9]{1,2}\b"
)
_NUMBER = re.compile(r"[0-9]{1,2}$")
_LETTERS_OF_BUILDING = re.compile(r"[:#][ \t]*(?P<room>[A-Z][A-Z0-9]{1,4} (?:OR|EP|IR|Cath|Endo) ?#?[0-9]{1,2})$")


def read_lab(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the number of a laboratory for procedures, and a theatre with its building: Lab: EP 2, OR: YW OR 17."""
    if building := _LETTERS_OF_BUILDING.search(text, start, end):
        yield Candidate(*building.span("room"), Entity.LOCATION_OTHER, Strength.LABELLED)
    elif number := _NUMBER.search(text, start, end):
        yield Candidate(*number.span(), Entity.LOCATION_OTHER, Strength.LABELLED)


TEAM_TRIGGER = (
    r"(?m)\b(?:Team|TEAM) [A-Z][A-Za-z]{2,14}(?: [0-9])?[ \t]{0,2}(?:$|[,.;)|]| {2})"
    r"|\b(?:[Tt]eam|TEAM) (?:[A-Z]|[0-9]{1,2}) \([\"'][A-Z][a-z]{2,14}[\"']\)"  # Team C ("Pelican")
)
_NAME_OF_TEAM = re.compile(r"[Tt](?:eam|EAM) (?:[A-Z0-9]{1,2} \([\"'])?(?P<name>[A-Z][A-Za-z]{2,14})")
_HEADER_BEFORE = re.compile(r"(?:service|svc|team|unit|location|dept|department|primary|surgery|medicine|attending)\b")
_WORDS_OF_TEAMS = as_word_set(
    "aware updated member members leader lead meeting rounds huddle note contact assessment communication notified"
    " captain conference medicine surgery paged present approach based care name time out sports effort"
)


def read_named_team(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a team that bears a surname, behind its service, or a name in quotes: General Surgery, Team Crile."""
    team = _NAME_OF_TEAM.match(text, start, end)
    if team is None or team["name"].lower() in _WORDS_OF_TEAMS:
        return
    low = team["name"].lower()
    if "(" in text[start:end]:
        yield Candidate(*team.span("name"), Entity.FACILITY)
    elif _HEADER_BEFORE.search(text_before(text, start)) and not (
        is_everyday_word(low) or (low in medical_term_words() and low not in surname_rates())
    ):
        yield Candidate(start, team.end("name"), Entity.FACILITY)
