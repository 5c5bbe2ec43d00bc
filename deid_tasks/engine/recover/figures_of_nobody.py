"""Figures that a model takes for an age, a room or a number: codes of bills, doses and measurements."""

import re
from functools import cache

from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.reference import fold, read_tsv
from deid_tasks.core.span import Span
from deid_tasks.engine.recover.eponyms import is_name

_MODIFIER = (
    r"(?:2[1-7]|5[0-9]|76|78|79|80|9[1-9]|RT|LT|GP|GO|GN|GT|GQ|KX|CQ|CO|FQ|Q[5-9]|T[A1-9]|F[A1-9]|E[1-4]|XU|XS|TC)"
)
_CODE = re.compile(rf"\d{{5}}(?:-{_MODIFIER})?")
_CODES = re.compile(rf"\+?{_CODE.pattern}(?:(?:, ?| ?[+&/;] ?| and ){_CODE.pattern})+")
_VISIT = re.compile(r"99[2-4]\d\d")
"""Codes of visits, counselling and care plans; as ZIP codes they have Washington in front of them."""
_HELD_BEFORE = re.compile(
    r"\b(?:badge|pager|pgr|ext|x|id|unit|box|file|chart|record|case|order|room|rm|lot|plate"
    r"|reg(?:istration)?|lic(?:en[cs]e)?|member|user|staff|pin)[ :#.]{0,3}$",
    re.IGNORECASE,
)
_PROCEDURE_BEFORE = re.compile(
    r"\b(?:repair|closure|excision|biops(?:y|ies)|bx|debridement|injections?|I&D|drainage|avulsion|removal|placement"
    r"|insertion|destruction|shave|aspiration|arthrocentesis|intubation|cardioversion|reduction|splint(?:ing)?|EKG|ECG"
    r"|spirometry|paring|curettage|cryotherapy|psychotherapy|counseling|ACP|strapping|immunization"
    r"|(?:individual|family|group|couples|speech|occupational|physical) (?:therapy|psychotherapy|session)"
    r"|eval(?:uation)?) \($",
    re.IGNORECASE,
)
_THERAPY = re.compile(r"9\d{4}")
"""Codes of visits, of tests and of therapy, which have another range than most ZIP codes of a note."""
_BILLED_BEFORE = re.compile(
    r"(?:\b(?:CPT|HCPCS|MBS|[Cc]odes?|[Cc]oded|[Bb]illed|[Bb]illing|[Bb]ills?|[Cc]harges?|E[/&]M|[Mm]odifiers?"
    r"|[Pp]rocedures?"
    r"|[Ii]tems?)\b[^\n\d]{0,16}|\b\d{5}[^\n\d]{0,6}(?:->|=>|→) ?"
    r"|\b\d{5}(?:-\w{2})?(?:,| and| \+| plus| &|/|;| x ?\d{1,2},?) ?)\(?$"
)
_VISIT_BEFORE = re.compile(
    r"(?:\b(?:[Cc]omplexity|COMPLEXITY|EVAL|[Ee]val(?:uation)?|[Nn]ew patient|[Ee]stablished patient"
    r"|[Tt]ransitional [Cc]are"
    r"|TRANSITIONAL CARE|TCM|[Rr]e-ed|[Tt]her(?:apeutic)? ex|[Gg]ait|[Tt]her(?:apeutic)? act|[Mm]anual|[Ee]stim"
    r"|ultrasound|MTM"
    r"|[Tt]x today|min(?:utes)? (?:incl|spent)[^\n\d]{0,24})\b[ :;,-]{0,3}\(?)$"
)
_TREATED_BEFORE = re.compile(
    r"(?:\bx ?\d{1,2}|[Dd]ebrided|[Pp]ared|[Hh]pk|[Ii]njected|[Ee]xcised|[Dd]estroyed)[ ;,]{1,2}$"
)
_BILLED_BEHIND = re.compile(
    rf" ?x ?\d{{1,2}}\b(?! ?\d{{3}})|[ -]{_MODIFIER}\b(?!\d)|(?:,| \+| plus| &) ?\d{{5}}\b(?:[ ,.;x)-]|$)"
)
_NUMBER_BEFORE = re.compile(
    r"(?:MRN|[Aa]cct|[Aa]ccount|#|\b[Nn]o\.?|[Nn]umber|[Cc]laim|[Aa]uth|[Ii]nvoice|[Tt]icket|[Rr]ef|ID"
    r"|\b(?!(?:CPT|HCPCS|MBS|EVAL|COMPLEXITY|CARE|TCM|MTM|RE)\b)[A-Z]{2,12})[ :#.]{1,3}$"
)
"""Labels of numbers, registers of clinicians, and the code of a state in front of its ZIP code."""
_MEASURE_BEFORE = re.compile(
    r"(?:^|[^\w-])(?:SS|[Ss]tandard score|[Ss]caled score|[Tt]-?score|FSIQ|VCI|PRI|WMI|PSI|core language"
    r"|[Nn]adir|[Pp]eak|[Tt]rough|[Bb]aseline|OP|[Oo]pening pressure|[Cc]losing pressure|FHR|FHT|EF|LVEF|FEV1"
    r"|AHI|RDI|ODI|SE"
    r"|MELD(?:[ -](?:Na|3\.0|2\.0|XI))?|APACHE(?: I{1,3}| IV)?|SAPS(?: I{1,3})?|CATS-?2|ECBI|CBCL|BASC-?3|Conners-?3"
    r"|[Ii]ntensity|[Aa]nion gap|eGFR|GFR|IgE|TSH|INR|ESR|CRP|[Ff]erritin|MAP|ICP|CVP|PEEP|FiO2|PSV|EDV)"
    r"(?: (?:of|was|is|at|to|now|score|parent|teacher|caregiver|self|child))?[ :=]{1,2}$"
)
_OLD_BEHIND = re.compile(r"[ -]{0,2}(?:y|mo\b|month|wk|week|day|[MF]\b|male|female|man|woman)")
_DRUG_BEFORE = re.compile(r"(?P<drug>[A-Za-z]{4,24}) $")
_REACH = 64
_LAST_MONTH, _LAST_DAY = 12, 31
_SPAN_OF_TIME = re.compile(r"\d{1,3} ?(?:d|days?|h|hrs?|hours?|mins?|wks?|weeks?|mos?|months?)")
_TWO_FIGURES = re.compile(r"(\d{2})/(\d{2})")
_MONTH_BEHIND = re.compile(
    r"[ ,]{0,2}(?:of )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|[/-]\d", re.IGNORECASE
)
"""Behind days of one month: 14/16 May. Two years in a row, 23/24, and two nights are no other figures either."""
_DAY_BEFORE = re.compile(r"\b(?:on|dates?|dated|dob|dos|since|seen|from|until|by)[ :]{1,2}$", re.IGNORECASE)
"""In front of a day, though it is mistyped."""
_FIGURES = re.compile(r"\d{1,4}(?:\.\d{1,2})?")
_MEASURED = frozenset({Entity.AGE, Entity.TIME, Entity.LOCATION_OTHER})


def is_figure_of_nobody(text: str, span: Span, value: str) -> bool:
    """Whether figures that a model marked are the code of a bill, a dose or a measurement, as the words around say."""
    before = text[max(0, span.start - _REACH) : span.start]
    if span.category is Category.DATE and _is_no_moment(text, span, value):
        return True
    if span.category is Category.CONTACT and _CODES.fullmatch(value):
        return not _NUMBER_BEFORE.search(before)
    if span.category is not Category.AGE and _CODE.fullmatch(value):
        return _is_billed(text, span, value, before)
    if span.entity not in _MEASURED or not _FIGURES.fullmatch(value) or _OLD_BEHIND.match(text, span.end):
        return False
    if span.entity is Entity.AGE and _MEASURE_BEFORE.search(before):
        return True
    drug = _DRUG_BEFORE.search(before)
    return drug is not None and _is_drug(drug["drug"])


def _is_billed(text: str, span: Span, value: str, before: str) -> bool:
    if _NUMBER_BEFORE.search(before):
        return False
    if span.entity is not Entity.ZIP and _VISIT.fullmatch(value) and not _HELD_BEFORE.search(before):
        return True
    if _PROCEDURE_BEFORE.search(before) and text[span.end : span.end + 1] == ")":
        return True
    if "-" in value or _BILLED_BEFORE.search(before) or _BILLED_BEHIND.match(text, span.end):
        return True
    if _THERAPY.fullmatch(value) and _VISIT_BEFORE.search(before):
        return True
    return _TREATED_BEFORE.search(before) is not None


def _is_no_moment(text: str, span: Span, value: str) -> bool:
    """Whether a date is a span of time (14 d), a drug, or two figures above any month (14/14 offshore, met 18/20)."""
    if _SPAN_OF_TIME.fullmatch(value) or _is_drug(value):
        return True
    pair = _TWO_FIGURES.fullmatch(value)
    if (
        pair is None
        or _MONTH_BEHIND.match(text, span.end)
        or _DAY_BEFORE.search(text, max(0, span.start - _REACH), span.start)
    ):
        return False
    first, second = int(pair[1]), int(pair[2])
    return min(first, second) > _LAST_MONTH and max(first, second) <= _LAST_DAY and second != first + 1


def _is_drug(word: str) -> bool:
    return fold(word) in _drugs() and not is_name(word)


@cache
def _drugs() -> frozenset[str]:
    return frozenset(fold(row["term"]) for row in read_tsv("medical_terms.tsv") if row["kind"] == "drug")
