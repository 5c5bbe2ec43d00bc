"""Better boundaries of a span: whole words, without titles and punctuation."""

import re
import unicodedata

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.lexicon.everyday_names import is_medical_term
from deid_tasks.engine.merge.boundaries import is_shared_inbox, trim_words
from deid_tasks.engine.merge.given_names import given_names

NAMES = frozenset({Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE})
"""The entities that are written as first, middle and last names."""

_ORGANIZATIONS = frozenset({Entity.FACILITY, Entity.ORGANIZATION})
_GENERIC_END = re.compile(
    r"(?<=[^\W\d_]) (?:urgent care|walk-in|rehab(?:ilitation)?(?: unit)?|stroke unit|unit|cafe|café|cafeteria|canteen"
    r"|midwives|midwifery|nurse-midwives|hospitalists?|birth center|gym|parking lot|lab|office|front desk"
    r"|campus|location)$"
)
"""The kind of a place in small letters behind its name: Mesa Vista urgent care."""
_FIRST_PARTNER = re.compile(r"(?:^|\n)[ \t]*(?P<name>[A-Z][\w'’-]{2,24}) (?:&|AND|and) $")
"""The first of two names at the head of a line: DERWENT & CHANNEL PATHOLOGY."""
_EVENT_AT = re.compile(r"[^\W\d_A-Z][^\W\d_]{2,11} at (?=[A-Z])")
"""What somebody was at, in front of the place: tangi at Rautahi Marae."""
_ROOM_LABEL = re.compile(
    r"(?<!Tower, )(?<!Building, )(?<!Bldg, )(?<!Pavilion, )(?<!Plaza, )"
    r"(?:(?:Conf|Consult|Exam)\.? )?(?:R[Mm]|Suite|SUITE)\.?:? {1,3}(?=[A-Z]{0,2}-?\d|[A-Z]$)"
)
"""The label of a room, whose number alone names it: Rm 118B, Suite 210."""
_DEATH = re.compile(r"(?:[Dd]ec['’]?d\.?|[Dd]eceased|[Dd]ied) (?=\d)")
_QUOTED_GIVEN = re.compile(r"[\"“](?P<given>[A-Z][a-z]{2,14}) $")
_QUOTED_SURNAME = re.compile(r"[A-Z][\w'’-]+(?=[,.]?[\"”])")
"""The two names of a quotation: made out to "Buddy Crum"."""
_NUMBER_OF_SURVEY = re.compile(r"\b(?:S|Sy|Survey|Plot|H|R\.?S|T\.?S)\.? ?$")
_NUMBER_OF_PLOT = re.compile(r"No\.? ?\d")
"""The number of a plot, and what stands in front of it: S. No. 41/2."""
_AND_WORD = re.compile(r" and (?P<word>[a-z]{4,})$")
"""A second word in small letters: done at odilia and coumadin for a fib."""
_WORDS = NAMES | {Entity.PROFESSION, Entity.CITY, Entity.STATE, Entity.COUNTRY, Entity.FACILITY, Entity.ORGANIZATION}
"""The entities whose spans are extended to whole words."""
_PROPER_NAMES = NAMES | {Entity.FACILITY, Entity.ORGANIZATION}
_TITLE = re.compile(
    r"(?:drs?|mrs?|ms|mx|miss|mdm|smt|shri|sri|whaea|matua|prof|doctor|professor|rev|sr|s/n|garda|er(?=\.)|nurse|cst|const|supt|insp|sgt|ssgt"
    r"|ssg|sfc|1sg|cpl|pte|pvt|capt|lt|maj)\b(?:\.\s?|\s)\s{0,2}(?=\S)",
    re.IGNORECASE,
)
_TITLE_ALONE = re.compile(r"rev|sr|smt|shri|whaea|matua|capt|sgt|prof|fr", re.IGNORECASE)
_TITLE_WITH_STOP = re.compile(r"Er(?=\. [A-Z])")
"""An engineer in front of a name: son Er. Sivaraman. It is also a surname, behind a title."""
_TITLE_BEFORE = re.compile(r"\b(?:[Dd]r|Mr|Mrs|Ms|Miss|Mdm)\.? $")
_NAME_BEHIND = re.compile(r"\.? [A-Z]")
"""A title that a rule or a model took for a name, in front of that name."""
_ROLE = re.compile(
    r"(?:Operator|Assistant|Attending|Resident|Interpreter|Recorder|Leader|Scribe|Surgeon|Anesthesiologist|Provider"
    r"|Referring|Dictating|Physician|Chaplain|Client|Grandma|Grandpa|Nana|Nanna|Abuela|Abuelo|Nonna|Nonno|Oma|Opa"
    r"|Member|Insured|Subscriber|Claimant|Beneficiary|Appellant|Policyholder|Guarantor|Aunty|Auntie|Uncle|Mme|Doña|Gran|Grandad|Granny|MGM|MGF|PGM|PGF|FOB|MOB|Lead|Tech|Author|Consultant|Registrar"
    r"|Helper|Midwife|Matron|Preceptor|Radiologist|Pathologist|Sonographer|Dietitian"
    r"|Pharmacist|Therapist|Technologist|Witness|Caller|Reporter"
    r"|OPERATOR|ASSISTANT|ATTENDING|RESIDENT|INTERPRETER|SURGEON|CONSULTANT|RADIOLOGIST|PATHOLOGIST"
    r"|Dictated|Signed|Examined|Reviewed|Typed|Entered|Verified|Cosigned|Transcribed|Scanned|Notified|Paged"
    r"|reviewed|cosigned|dictated|transcribed|little|two|both)"
    r"(?::? )\s{0,2}(?=[^\W\d_](?:[^\W\d_'\-]|\. ?[^\W\d_]{2}))"
    r"|(?:CREW|Crew|Sig|Sgd|Written):? (?=[A-Z])|(?:CC|cc):? (?=[a-z])"
    r"|(?:navigator|coordinator|coord|liaison|scheduler|sitter|aide|charge|officer|deputy|coach|pastor) (?=[A-Z])"
    r"|(?:Pastor|Coach|Deputy|Dep\.|Ofc\.?|Officer) (?=[A-Z][a-z])"
    r"|(?<=[a-z\d:] )(?:RAE|GETA|GEA|LMA|ETT|TIVA|SAB|CSE), (?=[A-Z]\. ?[A-Z][a-z])"  # anesthesia
    r"|(?:DON|ADON|SSN|SIL|MIL|BIL|DIL|NP|RN|PA|LPN|CNA|MSW|PHN|ATTG|CRNA|SLP|OTR|RD"
    r"|LC|CLC|IBCLC|RT|SW|LSW|LCSW|LVN|PCT|HHA|CMA|RMA|CNM|STNA) (?=[A-Z][a-z]{2})"
)
"""A role, a form of address or what somebody did in front of a name, which stays in the text as a title does."""
_ORDER = re.compile(
    r"(?:See|Ask|Call|Page|Tell|Email|Notify|Contact|Message) "
    r"(?=[A-Z][a-z]+ [A-Z][A-Za-z'’-]+,? (?:Au\.?D|M\.?D|D\.?O|NP|PA|RN|Ph\.?D|LCSW|DPT|PT|OT|RD|PharmD)\b)"
)
"""What somebody has to do in front of a clinician's full name: See Carla Okafor, MD."""
_CLERGY = re.compile(r"(?:Rabbi|Imam|Pandit) (?=[A-Z][a-z]+ [A-Z][a-z])")
_CLERGY_BEFORE = re.compile(r"\b(?:[Cc]haplain|[Tt]he|[Tt]heir|[Ff]amily) $")
_LABEL_BEHIND = re.compile(
    r",?\s(?:NPI|PGY|POD|DOB|MRN|DOS|CSN|HAR)$"  # the label of the next field
    r"|(?<=[a-z])(?:, ?| )(?:MA|PA|PA-C|DO|RN|NP|MD|LPN|CNA)$"  # a credential, which no surname in small letters is
    r"|(?<=[a-z]),? (?:TORB|VORB|RBVO|RBTO|RBV|TORV|VORV)$"  # an order by telephone, read back
    r"|(?<=[a-z]),? (?:Catholic|Buddhist|Muslim|Hindu|Jewish|Sikh|Baptist|Lutheran|Methodist|Pentecostal|Mormon"
    r"|Protestant|Presbyterian|Episcopalian|Evangelical|Adventist|Unitarian|Atheist|Agnostic)$"  # a religion
    r"|, ?(?:Group|Clinic|Practice|Dept|Phone|Fax|Tel|Unit|Team)$"  # the label of the next field
    r"|, ?(?:PharmD|RPh|PhD|MBBS|MBChB|MPH|MSW|LCSW|DPT|DDS|DMD|DPM|CRNA|CNM|APRN|FNP|BSN|MSN|RRT|MOT|MSOT|OTD|MPT|MSPT"
    r"|MPAS|MHS)$"
    r"|(?<=[a-z]),? (?:TORB|VORB|TORBV|VORBV|RBTO|RBVO|RBAV|TOVR|VOVR|MOT|MSOT|OTD)$"  # an order that was read back
    r"|(?<=[a-z]) (?:Catholic|Buddhist|Muslim|Hindu|Methodist|Presbyterian|Episcopalian|Mormon|Sikh)$"
)
_SUBJECT_BEFORE = re.compile(r"(?:\b(?:Subject|Subj|Re|Fwd?|Ref)|SUBJECT|RE|REF): ?$")
_SUBJECT = re.compile(r"[A-Z]?[a-z]{3,12}(?: [a-z]{2,12}){0,2} [-–] (?=[A-Z])")
"""What a message is about, in front of a name in its subject: "Consult - "."""
_GRADE_BEHIND = re.compile(
    r"(?<=[a-z]),? (?:SpR|StR|SHO|FY[12]|ST[3-8]|CT[1-3]|RGN|RMN"
    r"|FRAC[SPD]|FRCS(?:C|Ed)?|FRCP(?:C|I)?|FRCA|FRCOG|FRCPCH|FRCPsych|FRCR|FRANZC[OPR]G?|FANZCA|FACEM|FCICM|MRCGP|MRCPsych)$"
)
"""A grade, a register or a fellowship behind a name in small letters: Oona Pell SpR, Margaret Oyston FRACS."""
_LETTER_AT_END = re.compile(r" (?:[xdb]|(?P<alert>A)|(?P<side>[LR]))$")
_EXTENSION_OR_YEAR = re.compile(r"\.? ?\d|\. [A-Z]")
_PART_OF_BODY = re.compile(
    r" (?:hip|knee|shoulder|ankle|wrist|elbow|hand|foot|leg|arm|thigh|eye|ear|breast|lung|kidney|heel|thumb)\b"
)
_ADDRESS_LABEL = re.compile(r"(?:Addr(?:ess)?|ADDR(?:ESS)?)\b[.:]?\s+")
_WEEKDAY_BEHIND = re.compile(r",? (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?$")
_SHORT_WEEKDAY = re.compile(r" (?:Mon|Tues?|Wed|Thurs?|Thu|Fri)$")
"""Not Sat and Sun, which are surnames too."""
_DAY_BEHIND = re.compile(r" \d{1,2}[/. ]")
_POSSESSIVE = re.compile(r"['’][sS]$")
_POSSESSIVE_END = re.compile(r"(?<=[^\W\d_]['’])[sS](?![^\W\d_])")
_PATRONYMIC = re.compile(r"/[olp]\b", re.IGNORECASE)
_NEXT_LINE = re.compile(r"\s*\n\s*(?:D\.?O\.?[ABD]\.?|[A-Z]{2,6}:)$")
"""A label in the line below: "Id" above "D.O.B"."""
_INITIALS_BEHIND = re.compile(r"\.[A-Z](?:\.|\b)")
_DOTTED = re.compile(r"(?:[A-Z]\.)+")
_NEXT_INITIAL = re.compile(r"(?:[A-Z]\.){1,2}(?![\w-])")
"""The initials behind those that a detector found: D.R. of D.R.L."""
_LETTER_BEHIND = re.compile(r" [DSWAB]$", re.IGNORECASE)
"""The first letter of d/o, s/o, w/o, a/l or a/p behind a name."""
_CODE_ABOVE_LABEL = re.compile(r"[A-Z]{2,3}(?=\n)")
"""The code of a state at the end of its line; what stands below it is a label."""
_LAST_FOUR = re.compile(r"4 (?=\d{4})")
"""The figure of a label: SSN last4 6092."""
_SPOKEN = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
_SPOKEN_FIGURE = re.compile(rf"\b{_SPOKEN} {_SPOKEN}$")
_SPOKEN_BEHIND = re.compile(rf"(?: (?:dash|hyphen|slash) (?:[a-z]|{_SPOKEN})\b)+")
"""What goes on a number that was dictated word by word: seven three dash q."""
_CALLED_BEFORE = re.compile(r"(?:called|paged|notified|phoned) $", re.IGNORECASE)
_CLOCK_BEHIND = re.compile(r"(?P<letters>[A-Z]{2,6}) (?:[01]\d|2[0-3])[0-5]\d")
"""A time of day behind letters: "Called LOMC 1620"."""
_WORD_BEHIND = re.compile(
    r"(?<=[a-z]) (?:to|and|for|at|on|is|was|will|has|with|an?|the|ji|sahib|saheb|some(?:body|one))$"
)
_HEADING_BEFORE = re.compile(r"(?:Surgery|Telephone|Admin|Visit|Consultation|Clinic|Letter|Result) {2,}")
"""A heading in a column in front of a name: "Surgery  K MacAskill"."""
_MAX_EXTENSION = 40
"""Letters that a span is extended by; a longer run of letters is not a word, and the boundary inside it stays."""
_REACH, _LONGEST_GIVEN, _LONGEST_PARTNER = 10, 18, 36
_OPENING = {")": "(", "]": "["}


def repair(text: str, start: int, end: int, entity: Entity) -> tuple[int, int]:
    """Return better boundaries of a span; ``start == end`` where it holds no letter or digit, or a title alone.

    Args:
        text: the note.
        start: start of the span.
        end: end of the span, exclusive.
        entity: names, places and organizations are extended to whole words, user names over underscores; names lose
            titles, roles and credentials, and the weekday behind them.
    """
    if entity in _WORDS:
        start, end = _whole_words(text, start, end)
    start = _start_of_place(text, start, end, entity)
    if entity is Entity.USERNAME:
        start, end = _whole_account(text, start, end)
    start, end = trim_words(text, *strip(text, start, end), entity)
    end = _with_spoken(text, start, end, entity)
    end = _without_weekday(text, start, end, entity)
    if entity in NAMES and (below := _NEXT_LINE.search(text, start, end)):
        end = below.start()
    if entity is Entity.INITIALS:
        end = _end_of_initials(text, start, end)
    if entity is Entity.ZIP:
        start = _whole_code(text, start)
    if entity in _ORGANIZATIONS:
        start, end = _organization(text, start, end)
    if entity is Entity.STATE and (code := _CODE_ABOVE_LABEL.match(text, start, end)):
        return code.span()
    start, end = _without_other_figures(text, start, end, entity)
    return _name(text, start, end) if entity in NAMES else (start, end)


def _start_of_place(text: str, start: int, end: int, entity: Entity) -> int:
    """Return the start of a place without its label or the event there, and with the number of a survey.

    A year loses the death in front of it: dec'd 2012.
    """
    if entity is Entity.DATE and (death := _DEATH.match(text, start, end)):
        return death.end()
    if entity is Entity.LOCATION_OTHER and (label := _ROOM_LABEL.match(text, start, end)):
        return label.end()
    if entity is Entity.LOCATION_OTHER and (event := _EVENT_AT.match(text, start, end)):
        return event.end()
    if entity is not Entity.STREET:
        return start
    if label := _ADDRESS_LABEL.match(text, start, end):
        return label.end()
    is_plot = _NUMBER_OF_PLOT.match(text, start) is not None
    survey = _NUMBER_OF_SURVEY.search(text, max(0, start - _REACH), start) if is_plot else None
    return survey.start() if survey else start


def _end_of_initials(text: str, start: int, end: int) -> int:
    """Return the end of initials with those behind them: D.R. of D.R.L."""
    if end - start == 1 and (letter := _INITIALS_BEHIND.match(text, end)):
        end = letter.end()
    if _DOTTED.fullmatch(text, start, end) and (letter := _NEXT_INITIAL.match(text, end)):
        end = letter.end()
    return end


def _organization(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the boundaries with the first of two partners, and without a finding or a kind in small letters."""
    if (second := _AND_WORD.search(text, start, end)) and is_medical_term(second["word"]):
        end = second.start()
    partner = _FIRST_PARTNER.search(text, max(0, start - _LONGEST_PARTNER), start)
    if partner and not is_medical_term(partner["name"].lower()):
        start = partner.start("name")
    kind = _GENERIC_END.search(text, start, end)
    return (start, kind.start()) if kind and text[start].isupper() else (start, end)


def _without_other_figures(text: str, start: int, end: int, entity: Entity) -> tuple[int, int]:
    """Return the boundaries without the figure of a label, "last4 6092", and without a time behind letters."""
    four = _LAST_FOUR.match(text, start, end) if entity is Entity.SSN else None
    if four and text[start - 4 : start].lower() == "last":
        return four.end(), end
    is_called = entity in _ORGANIZATIONS and _CALLED_BEFORE.search(text, max(0, start - _REACH), start)
    clock = _CLOCK_BEHIND.fullmatch(text, start, end) if is_called else None
    return (start, clock.end("letters")) if clock else (start, end)


def _name(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the boundaries of a name without titles, roles, labels and credentials."""
    if _is_title_alone(text, start, end) or is_shared_inbox(text, start, end):
        return start, start
    if text[start - 2 : start] == "S/" and text[start : start + 2] == "N ":
        start += 2  # a staff nurse: S/N J. Okafor
    subject = _SUBJECT.match(text, start, end)
    if subject and _SUBJECT_BEFORE.search(text, max(0, start - _REACH), start):
        start = subject.end()
    start = _without_clergy(text, start, end)
    if heading := _HEADING_BEFORE.match(text, start, end) or _ORDER.match(text, start):
        start = heading.end()
    title = _TITLE.match(text, start, end) or _ROLE.match(text, start, end)
    while title:
        start, end = strip(text, title.end(), end)
        title = _TITLE.match(text, start, end) or _ROLE.match(text, start, end)
    if word := _WORD_BEHIND.search(text, start, end):
        end = word.start()
    if label := _LABEL_BEHIND.search(text, start, end):
        start, end = strip(text, start, label.start())
    start, end = strip(text, start, _without_letter(text, start, end))
    if _PATRONYMIC.match(text, end) and (letter := _LETTER_BEHIND.search(text, start, end)):
        end = letter.start()
    if end - start > 2 and _POSSESSIVE.match(text[end - 2 : end]):
        end -= 2
    return _with_given_name(text, start, end), end


def _with_given_name(text: str, start: int, end: int) -> int:
    """Return the start of a surname in quotes with the given name in front of it: made out to "Buddy Crum"."""
    given = _QUOTED_GIVEN.search(text, max(0, start - _LONGEST_GIVEN), start)
    surname = _QUOTED_SURNAME.match(text, start) if given and fold(given["given"]) in given_names() else None
    return given.start("given") if given and surname and surname.end() == end else start


def _without_clergy(text: str, start: int, end: int) -> int:
    """Return the start of a name without the title of a chaplain: Chaplain Rabbi Noah Okafor."""
    clergy = _CLERGY.match(text, start, end)
    return clergy.end() if clergy and _CLERGY_BEFORE.search(text, max(0, start - _REACH), start) else start


def _is_title_alone(text: str, start: int, end: int) -> bool:
    """Whether a span is nothing but a title, with the name behind it."""
    if _TITLE_ALONE.fullmatch(text, start, end) and _NAME_BEHIND.match(text, end):
        return True
    is_engineer = end - start == 2 and _TITLE_WITH_STOP.match(text, start) is not None
    return is_engineer and _TITLE_BEFORE.search(text, max(0, start - _REACH), start) is None


def _without_letter(text: str, start: int, end: int) -> int:
    """Return the end of a name without a letter or a grade that is not of it.

    Such are the x of an extension, "d." for died, the A of A&O, the side of a joint and a grade: Pell SpR.
    """
    if grade := _GRADE_BEHIND.search(text, start, end):
        return grade.start()
    letter = _LETTER_AT_END.search(text, start, end)
    if letter is None:
        return end
    if letter["alert"]:
        is_other = text[end : end + 2] == "&O"
    elif letter["side"]:
        is_other = _PART_OF_BODY.match(text, end) is not None
    else:
        is_other = _EXTENSION_OR_YEAR.match(text, end) is not None
    return letter.start() if is_other else end


def _with_spoken(text: str, start: int, end: int, entity: Entity) -> int:
    """Return the end of a number that was dictated word by word: seven three dash q."""
    if entity in _WORDS or not _SPOKEN_FIGURE.search(text, start, end):
        return end
    more = _SPOKEN_BEHIND.match(text, end)
    return more.end() if more else end


def _without_weekday(text: str, start: int, end: int, entity: Entity) -> int:
    """Return the end of a name without the weekday behind it: back to work at Narrow River Boatworks Monday."""
    if entity not in _PROPER_NAMES:
        return end
    day = _WEEKDAY_BEHIND.search(text, start, end)
    if day is None and _DAY_BEHIND.match(text, end):
        day = _SHORT_WEEKDAY.search(text, start, end)
    return day.start() if day else end


def strip(text: str, start: int, end: int) -> tuple[int, int]:
    """Return ``text[start:end]`` without white space and punctuation at either end.

    An initial keeps its full stop, a bracketed part its bracket, a phone number its plus sign, a number its ``#``.
    """
    while start < end and not text[start].isalnum() and text[start] != "#" and not _opens_span(text, start, end):
        start += 1
    while start < end and not _is_of_word(text[end - 1]) and not _closes_span(text, start, end):
        end -= 1
    if not any(character.isalnum() for character in text[start:end]):
        return start, start
    return start, end


def _is_of_word(character: str) -> bool:
    """Whether a character is a letter, a figure, or a vowel sign that belongs to the letter in front of it."""
    return character.isalnum() or unicodedata.category(character).startswith("M")


def _opens_span(text: str, start: int, end: int) -> bool:
    """Whether the mark at ``start`` is a bracket that the span closes, or the plus sign of a phone number."""
    if text[start] == "(":
        return ")" in text[start:end]
    return text[start] == "+" and text[start + 1 : start + 2].isdigit()


def _closes_span(text: str, start: int, end: int) -> bool:
    """Whether the mark before ``end`` is a bracket that the span opens, or the full stop of an initial."""
    last = text[end - 1]
    if last in _OPENING:
        return _OPENING[last] in text[start : end - 1]
    return last == "." and _ends_in_initial(text, start, end)


def _ends_in_initial(text: str, start: int, end: int) -> bool:
    return end - start >= 2 and text[end - 2].isalpha() and (end - 2 == start or not text[end - 3].isalnum())


def _whole_account(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span extended by what an underscore joins to it: rn_deluca."""
    low = start
    while low > 0 and (text[low - 1].isalnum() or text[low - 1] == "_") and start - low < _MAX_EXTENSION:
        low -= 1
    high = end
    while high < len(text) and (text[high].isalnum() or text[high] == "_") and high - end < _MAX_EXTENSION:
        high += 1
    return (low if "_" in text[low:start] else start), (high if "_" in text[end:high] else end)


def _whole_code(text: str, start: int) -> int:
    """Return the start of a postcode with the letter that it was cut from: the P of P0X 1C0."""
    is_cut = text[start : start + 1].isdecimal() and text[start - 1 : start].isalpha() and text[start - 1].isupper()
    return start - 1 if is_cut and not text[start - 2 : start - 1].isalnum() else start


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span extended by the letters that continue its first and its last word."""
    low = start
    if _POSSESSIVE_END.match(text, start):
        # The end of a possessive is a part of the word before it: children's librarian.
        low = start - 2
    if text[low : low + 1].isalpha():
        while low > 0 and text[low - 1].isalpha() and start - low < _MAX_EXTENSION:
            low -= 1
    high = end
    if text[end - 1 : end].isalpha():
        while high < len(text) and text[high].isalpha() and high - end < _MAX_EXTENSION:
            high += 1
    is_word_start = low == 0 or not text[low - 1].isalpha()
    is_word_end = high == len(text) or not text[high].isalpha()
    return (low if is_word_start else start), (high if is_word_end else end)
