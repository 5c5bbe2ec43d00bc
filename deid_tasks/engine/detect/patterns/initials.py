"""Initials of those who wrote, typed, checked or were treated: alone on a line, at a line's end, behind a label."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.reference_words import (
    is_everyday_word,
    is_frequent_word,
    medical_abbreviations,
    medical_term_words,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, Strength
from deid_tasks.engine.detect.patterns.word_lists import NOT_NAMES, split_words

_DAY = r"(?:0?[1-9]|1[0-2])[/.\-](?:0?[1-9]|[12][0-9]|3[01])(?:[/.\-][0-9]{2,4})?"
_DATE = rf"(?:{_DAY}|[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})"
_WHOLE_DATE = r"(?:[0-9]{1,2}[/.\-][0-9]{1,2}[/.\-][0-9]{2,4}|[0-9]{4}-[0-9]{2}-[0-9]{2})"
_CLOCK = r"(?:[0-9]{1,2}:[0-9]{2}(?: ?[AaPp][Mm])?|[0-2][0-9][0-5][0-9])"
_PAIR = r"/{0,2}[A-Za-z]{2,4}(?:(?:[:/]{1,2}|:/)[A-Za-z]{2,4})?"
_END = r"[ \t.]{0,4}$"
_WORD = re.compile(r"[A-Za-z]{2,4}(?![A-Za-z])")

_HEADINGS = split_words(
    """
    pe ros hpi pmh psh fh sh cc gen heent cv ext neuro psych skin gu gi msk nad abd resp pulm card heme onc id endo plan labs lab imp dx ddx
    rx tx hx fx sx dob fhx shx dhx pmhx rtc assessment a/p ap soc fam all meds med ua cbc bmp cmp lft pft abg vbg inr ecg ekg cxr ct mri us tte tee emg eeg egd psa tsh a1c
    """
)
_UNITS = split_words(
    """
    am pm hrs hr min mins sec wk wks mo mos yr yrs yo day days mg ml mcg cc mm cm kg lb lbs iu bpm est edt cst cdt mst mdt pst pdt utc gmt ra nc lpm prn bid tid
    qid qhs qam qpm qd daily po iv im sc sq sl pr pt ot st slp rn md do np pa ed er or icu or od os ou neg pos nl wnl nml tbd n/a na ok yes no x h lt rt lle
    rle lue rue bl ptx cea afp rtc fu imp recs rec job thx jp opr stat npo dnr dni full code hs ac pc gtt gm dl meq mmol ng pg hpf lpf wbc rbc hgb hct plt bun cr na cl co inr ptt ast alt alp tsh ldl hdl
    fio spo sat sats ekg ecg temp bp rr osh oh etoh snf vna dme pcp cbc bmp cmp mri ct cxr eeg emg tte tee pet cta egd iii ii iv vi vii jr sr mdi inh neb puff tab cap
    ppd wks supp susp soln oint gel sob cp ha loc rom flex ext abd add wt ht bmi bsa crp esr dlp scm dvt pe cva tia mi chf copd afib rvr gerd htn dm ckd esrd uti uri
    """
)
"""What stands at the end of a line or a sentence and is a unit, a time, a dose, a place or a finding."""
_NEVER = split_words(
    "cc dd dt dv td tr qt job doc am pm na no md rn np pa do pt ot st id nl neg pos ok yes mg ml hrs am/pm not unk unknown none nil conf ref tbd cst est pst edt dr mr ms mrs iv im po"
)
_SLASHED = split_words(
    "n/v a/p h/o s/p c/o r/o w/o b/l i/o l/r h/h n/a hi/si si/hi d/c f/u o/w y/o pt/ot ot/pt am/pm f/c cp/sob"
)


_ENDS_ALONE = split_words(
    """
    am pm prn bid tid qid qhs qam qpm qd daily npo dnr dni stat wnl nl nad rrr fu id cc rn md recs labs cst est pst edt ra neg pos ok na n/a no yes job doc nkda nka ctab perrl eom sob cp
    ha doe bm iv im po uti uri gerd copd ekg ecg cxr mri ct cbc bmp cmp tsh inr ptt us echo pt ot st er ed icu or snf pcp ent gi gu ob
    """
)
"""What makes a sentence of its own in clipped notes: doses, findings, tests ordered, places to go."""


def _initials(start: int, end: int, strength: Strength = Strength.FORMAT) -> Candidate:
    return Candidate(start, end, Entity.INITIALS, strength)


def _line(text: str, start: int) -> str:
    """The line that ``start`` stands in, at most 120 characters to either side."""
    low, high = text.rfind("\n", max(0, start - 120), start) + 1, text.find("\n", start, start + 120)
    return text[max(low, start - 120) : high if high >= 0 else start + 120]


def _is_capitals(line: str) -> bool:
    """Whether a line is written in capitals, so that they say nothing of a word in it."""
    letters = [character for character in line if character.isalpha()]
    return len(letters) > 12 and sum(character.isupper() for character in letters) > 0.8 * len(letters)


def _may_sign(word: str, *, in_capitals: bool) -> bool:
    """Whether letters behind a sentence or alone on a line may be somebody's initials."""
    low = word.lower()
    if low in _UNITS or low in _HEADINGS or low in medical_abbreviations() or len(word) > 3:
        return False
    return (word.isupper() and not in_capitals) or not (is_frequent_word(low) or low in NOT_NAMES)


def _continues(text: str, end: int) -> bool:
    """Whether the next line goes on with the sentence."""
    return text[end : end + 1] == "\n" and text[end + 1 : end + 2].islower() and text[end + 1 : end + 4].isalpha()


_OWN_LINE = rf"(?m)^[ \t]{{0,60}}(?:- ?|~ ?|-- ?)?{_PAIR}(?: {{1,3}}{_DATE}(?: {{1,2}}{_CLOCK})?)?{_END}"


def read_own_line(text: str, start: int, end: int) -> Iterator[Candidate]:
    """A line that holds nothing but initials, and perhaps the day: MTO, /mto, MTO:jd, jd 3/14/21."""
    stretch = text[start:end].strip()
    if stretch.strip("~-. /").lower() in _SLASHED:
        return
    words = list(_WORD.finditer(text, start, end))[:2]
    if not words or (words[0].start() - start > 8 and len(stretch) > 8):
        return
    above = text[max(0, start - 160) : start].rstrip("\n ")
    line_above = above[above.rfind("\n") + 1 :]
    is_dated = any(character.isdigit() for character in stretch)
    is_pair = len(words) == 2 and any(mark in stretch for mark in ":/")
    ends_sentence = line_above[-1:] in {".", "!", "?", ")", "]"} or line_above[-1:].isdigit()
    if is_pair or (stretch[:1] in {"/", "~", "-"} and len(words[0].group()) < 4):
        if not all(word.group().lower() in _HEADINGS | _UNITS for word in words):
            yield from (_initials(*word.span()) for word in words)
        return
    word = words[0]
    low = word.group().lower()
    if len(word.group()) > 3 or low in _HEADINGS or not line_above:
        return
    is_last = text[end : end + 2] in {"", "\n", "\n\n"}
    if is_frequent_word(low) or low in medical_abbreviations() or low in _UNITS:
        if not (word.group().isupper() and (ends_sentence or is_dated or is_last) and not _is_capitals(line_above)):
            return
        if low in medical_abbreviations() and not is_dated:
            return
    elif not (ends_sentence or is_dated or text[end:].strip() == "" or word.group().islower() or len(line_above) > 2):
        return
    yield _initials(*word.span())


_AFTER_SENTENCE = rf"(?m)[.!?)\]] {{1,4}}/?\(?/?[A-Za-z]{{2,3}}(?:/{{1,2}}[A-Za-z]{{2,3}})?\)?(?: {{1,2}}{_DATE})?{_END}|[.!?)] {{1,3}}[A-Z]{{2,3}},? (?:RN|LPN|CNA|CMA|RT|RPh|RMA)\b"


def read_after_sentence(text: str, start: int, end: int) -> Iterator[Candidate]:
    """… with her daughter. mto"""
    if text[start] == "." and re.search(r"(?i:dr|mr|ms|st|vs)$|(?:^|\s)[0-9]{1,2}$", text[max(0, start - 3) : start]):
        return
    line = _line(text, start)
    in_capitals = _is_capitals(line)
    is_dated = text[end - 1].isdigit()
    begin = start + 1
    while text[begin] in " /(":
        begin += 1
    for word in re.finditer(r"[A-Za-z]{2,3}(?![A-Za-z])", text[begin:end]):
        low, high = begin + word.start(), begin + word.end()
        is_told = (is_dated or word.group().isupper()) and not in_capitals and word.group().lower() not in _NEVER
        is_known = word.group().lower() in medical_abbreviations() | _HEADINGS | _UNITS
        if _continues(text, high) or word.group() in {"RN", "LPN", "CNA", "CMA", "RT", "RPh", "RMA"}:
            continue
        if (
            _may_sign(word.group(), in_capitals=in_capitals)
            or (is_told and not is_known)
            or (is_told and not _NUMBERED.search(line_lead(text, start)) and _signs_alone(text, word.group(), low))
        ):
            yield _initials(low, high)


_NUMBERED = re.compile(r"^\s*\W?[0-9A-Za-z]{0,2}$")
"""What stands in front of the mark behind an item's number, or of a mark at the beginning of a line."""


def line_lead(text: str, start: int) -> str:
    """What stands in the line in front of ``start``, at most 40 characters."""
    stretch = text[max(0, start - 40) : start]
    return stretch[stretch.rfind("\n") + 1 :]


def _signs_alone(text: str, word: str, start: int) -> bool:
    """Whether letters that are an abbreviation too close a line behind a sentence, and stand nowhere inside a line of the note."""
    low = word.lower()
    if low in _ENDS_ALONE or low in _HEADINGS:
        return False
    window = text[max(0, start - 2_000) : start + 2_000]
    return all(
        re.match(r"[ \t.]{0,4}(?:\n|$)| \d", window[one.end() : one.end() + 6])
        for one in re.finditer(rf"\b{word}\b", window)
    )


_COLUMN = rf"(?m)^[ \t]{{0,4}}{_DATE}[^\n]{{3,90}} {{3}}/?[A-Za-z]{{2,3}}[ \t]{{0,4}}$|(?:(?-i:[A-Za-z0-9]) {{3,40}}|\bok |\b(?:{_DATE}|{_CLOCK}) {{1,3}})/?[A-Za-z]{{2,3}}(?:[:/]{{1,2}}[A-Za-z]{{2,4}})?[ \t]{{0,4}}$"


def read_column(text: str, start: int, end: int) -> Iterator[Candidate]:
    """The last column of a table, or letters behind a date or a time at the end of a line."""
    match = re.search(r"/?([A-Za-z]{2,3})(?:[:/]{1,2}([A-Za-z]{2,4}))?[ \t]*$", text[start:end])
    if match is None:
        return
    lead = text[start : start + match.start()]
    for group in (1, 2):
        letters: str | None = match.group(group)
        if letters is None:
            continue
        low = letters.lower()
        if low in _NEVER or low in _HEADINGS:
            return
        is_known = low in _UNITS or low in medical_abbreviations() or low in NOT_NAMES
        if is_known and not (letters.isupper() and lead.endswith("ok ")):
            return
        if letters.islower() and (is_frequent_word(low) or lead.endswith("   ")):
            return
        if not any(character.isdigit() for character in _line(text, start)) and not lead.endswith("ok "):
            return
        yield _initials(start + match.start(group), start + match.end(group))


_LABEL = (
    r"(?i)\b(?:initials?|init|typed by|scribed by|screened by|transcribed by|dictated by|entered by|given by|(?:un)?checked [^\n]{0,24}by|witness(?:ed by)?|entered|scored|opr|reviewed(?: by)?"
    r"|tech|typed|coded|filed|scanned|keyed|qc|signed|dd|td|tr|by|nurse)[:.]{0,2} {1,3}\(?(?-i:[A-Z]{2,3}|[a-z]{3})\b(?:/(?-i:[A-Z]{2,3}))?"
    rf"|\b(?:T|TT|DT|D/T|TD|TR)[: ] ?(?:{_WHOLE_DATE}) {{1,3}}(?-i:{_PAIR})\b"
    r"|\b(?:transcribed by|typed by|dictated by|transcriptionist|typist|trans|dict)(?::|/TR:?) {1,3}(?-i:[a-z]{2,4}|[A-Z]{2,4})\b(?: ?/ ?(?-i:[a-z]{2,4}|[A-Z]{2,4})\b)?"
    r"|\b(?-i:TR|DD|TD|DT|D/T|T|D|QT): ?(?-i:[a-z]{2,4}|[A-Z]{2,4}) ?/ ?(?-i:[a-z]{2,4}|[A-Z]{2,4})\b"
    rf"|\bRN {{1,3}}(?-i:[A-Z]{{2,3}}) {{1,3}}{_CLOCK}"
)
_MUST_BE_UPPER = re.compile(r"(?i)(?:by|nurse|tech|qc|reviewed|signed|entered|witness|filed|coded)\W*$")
_SHARED = split_words("by nurse reviewed signed tech entered filed coded td tr dd")
"""Labels that are words or abbreviations of their own too."""
_BY_TAIL = re.compile(r"\)?(?:[.,;:\n/]|$| {2}|,? (?:CT|RN|at|on|[0-9]))")


def read_label(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Entered: MTO; QC MTO; by MTO, CT(ASCP); T: 3/15/21 MTO:jd."""
    stretch = text[start:end]
    is_dictation = any(character.isdigit() for character in stretch)
    if stretch[:2] == "RN" and is_dictation:
        word = _WORD.search(text, start + 2, end)
        if word and word.group().lower() not in _NEVER:
            yield _initials(*word.span(), Strength.LABELLED)
        return
    match = re.search(r"([A-Za-z]{2,4})(?:(?: ?/ ?|[:/]{1,2})([A-Za-z]{2,4}))?$", stretch)
    if match is None:
        return
    label = stretch[: match.start(1)].rstrip("(")
    if not is_dictation:
        if _MUST_BE_UPPER.search(label) and not match.group(1).isupper():
            return
        if label.strip(" .:").lower() in _SHARED and not _BY_TAIL.match(text, end, end + 8):
            return
        if (
            label.strip(" .:").lower() in _SHARED
            and _is_capitals(_line(text, start))
            and is_everyday_word(match.group(1))
        ):
            return
    for group in (1, 2):
        letters: str | None = match.group(group)
        if letters is None:
            continue
        low = letters.lower()
        if low in _NEVER or (letters.islower() and not is_dictation and is_frequent_word(low)):
            continue
        if (
            ":" not in label
            and not is_dictation
            and match.group(2) is None
            and (low in medical_abbreviations() or low in _UNITS or low in _HEADINGS)
        ):
            continue
        yield _initials(start + match.start(group), start + match.end(group), Strength.LABELLED)


_TWINS = r"(?i)\b[a-z]{2,3}[:/]{1,2}[a-z]{2,4}\b"


def read_twins(text: str, start: int, end: int) -> Iterator[Candidate]:
    """MO:mto and JL:jal: who dictated and the same person in full, wherever it stands."""
    one, two = re.split(r"[:/]+", text[start:end].lower())
    if one[0] != two[0] or one[-1] != two[-1] or text[start - 1 : start] in {"/", ":"}:
        return
    is_case_told = text[start : start + 2].isupper() and (text[end - 2 : end].islower() or ":" in text[start:end])
    if not is_case_told and ({one, two} & (_UNITS | _HEADINGS | medical_abbreviations()) or is_everyday_word(one)):
        return
    if text[start:end].islower() and len(one) == len(two) and one != two:
        return
    yield _initials(start, start + len(one))
    yield _initials(end - len(two), end)


_WITH_NAME = r"(?m)(?:^[ \t]{0,4}|[.!?] {1,2})[A-Z][A-Za-z'\-]{1,24} ?/{1,2} ?[A-Za-z]{2,3}[ \t]{0,4}$|^[ \t]{0,4}[A-Z]{2,3} ?/{1,2} ?[A-Z][A-Za-z'\-]{2,24}[ \t]{0,4}$"


def read_with_name(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Okafor/jd, alone on a line."""
    parts = [(match.start() + start, match.group()) for match in re.finditer(r"[A-Za-z'\-]+", text[start:end])]
    if len(parts) != 2:
        return
    (first, one), (second, two) = parts
    initials_first = len(one) <= 3 and one.isupper() and len(two) > 3
    name, letters = (two, one) if initials_first else (one, two)
    low = name.lower()
    if (
        low in medical_term_words()
        or letters.lower() in _UNITS | _HEADINGS
        or low in _HEADINGS
        or low in NOT_NAMES - {"doctor"}
    ):
        return
    if is_everyday_word(low) and not letters.isupper():
        return
    place = second if initials_first else first
    yield Candidate(place, place + len(name), Entity.PROVIDER)
    place = first if initials_first else second
    yield _initials(place, place + len(letters))


_OF_PATIENT = r"\b[A-Z]{2,3}(?:, | ?/ ?| {2,4})(?:MRN:? ?)?[A-Z]{1,3}[0-9]{6,10}\b"
_NO_PATIENT = split_words(
    "mr id no pt rx npi dea csn fin har acc ref tel fax ssn acct mrn vin dob lot sn udi md rn np pa do dr ph plan and for the of to job loc dl lic chart case dos"
)


def read_of_patient(text: str, start: int, _end: int) -> Iterator[Candidate]:
    """MTO, RH1234567: the patient's initials beside a record number."""
    word = _WORD.match(text, start)
    if (
        word
        and word.group().lower() not in _NO_PATIENT | _UNITS | _HEADINGS | medical_abbreviations()
        and not _is_capitals(_line(text, start))
    ):
        yield Candidate(*word.span(), Entity.PATIENT)


_TRIAL = r"(?i)\binitials?:? {1,3}(?-i:[A-Z]-[A-Z])\b"


def read_trial(_text: str, _start: int, end: int) -> Iterator[Candidate]:
    """subject initials A-B, as trials write who has no middle name."""
    yield _initials(end - 3, end, Strength.LABELLED)


RULES = (
    Rule("initials of a trial", _TRIAL, read_trial),
    Rule("initials on a line", _OWN_LINE, read_own_line),
    Rule("initials behind a sentence", _AFTER_SENTENCE, read_after_sentence),
    Rule("initials in a column", _COLUMN, read_column),
    Rule("labelled initials", _LABEL, read_label),
    Rule("dictated and typed", _TWINS, read_twins),
    Rule("name and initials", _WITH_NAME, read_with_name),
    Rule("patient's initials", _OF_PATIENT, read_of_patient),
)
