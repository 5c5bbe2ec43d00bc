"""Noise: what only a model took for an identifier although its form says otherwise, such as figures and fragments."""

import re
from functools import cache

from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.reference import read_columns
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon.peoples import is_people
from deid_tasks.engine.lexicon.public import medical_abbreviations
from deid_tasks.engine.recover.context_words import is_told_by_context
from deid_tasks.engine.recover.figures_of_nobody import is_figure_of_nobody
from deid_tasks.engine.recover.no_names import are_letters_of_nobody, is_no_name
from deid_tasks.engine.recover.no_places import is_no_place, is_ward
from deid_tasks.engine.recover.pastimes import is_of_pastime
from deid_tasks.engine.recover.scales import is_behind_scale
from deid_tasks.engine.recover.word_lists import words_of_list

_FIGURE = re.compile(
    r"""
    \d{1,3}                                     # a reading of up to three digits
    | \d{2}[6-9]\d                              # four digits that are not a time of day
    | (?:2[4-9]|[3-9]\d)\d\d
      (?<!19\d\d)(?<!20\d\d)                    # nor a year
    """,
    re.VERBOSE,
)
_UNIT = re.compile(
    r"\s?(?:%|U/L|IU|units?\b|mg|mcg|g/dL|ml\b|mmol|mEq|ng|pg|mm\b|cm\b|kg\b|bpm|x\s?10"
    r"|mmHg|cm ?H2O|m/s\b|(?-i:dB|[kM]?Hz|mA\b|m?V\b|kPa|c?Gy\b|kUA|msec|kcal))",
    re.IGNORECASE,
)
_SCORE = re.compile(r"\d{1,3}(?:/\d{1,3})?")
_OLD_BEHIND = re.compile(r"[ -]{0,2}(?:y|mo|wk|week|day)")
_SIGNED_BEFORE = re.compile(
    r"(?:entered|reviewed|signed|typed|dictated|checked|initials?)(?: by)?[:.]? ?$", re.IGNORECASE
)
_TITLE_BEFORE = re.compile(r"\b(?:[Dd]r|DR|Mr|Mrs|Ms|MRS?|MS)\.? $")
_TITLE_REACH = 6
_TABLE_COLUMN = re.compile(r"[ \t]{0,24}\|")
_FORM_BEFORE = re.compile(r"\bform(?: no\.?| #)? {1,2}$", re.IGNORECASE)
_BIN_NUMBER = re.compile(r"\W{1,3}\d{6}(?!\d)")
"""The six digits by which a pharmacy finds the payer; Bin by itself is a name."""
_SHOP_BEFORE = re.compile(
    r"""
    (?<![a-z])
    (?:
        [A-Z][\w'’.-]*[ ]                                                           # "Corner #12"
        | (?:st|street|ave|terrace|way|rd|road|dr|lane|ln|blvd|ct|court|pl|pharmacy)[ ]
    )
    \#?$
    """,
    re.VERBOSE,
)
_HOUR_BEFORE = re.compile(r"(?:at|until|till?|by|around|before|after) $", re.IGNORECASE)
_HOUR = re.compile(r"[1-9]|1[0-2]")
_HOUR_BEHIND = re.compile(r"[.,;]|\s|$")
_PLACE_BEFORE = re.compile(r"(?:bed|unit|pod|cell|wing|ward|room|rm|bay|theatre|ctrm)s?[ :#]{1,3}$", re.IGNORECASE)
_PLACE_BEHIND = re.compile(r"[ -](?:wing|pod|north|south|east|west|tower|block)\b", re.IGNORECASE)
_CERTAIN = 0.9
"""Score of a model from which it is taken at its word about one figure or letter that stands where an hour or a bed
does."""
_WORDS_OF_DATES = frozenset(
    [
        *("of", "the", "in", "on", "at", "and", "to", "this", "last", "next", "mid", "early", "late", "end"),
        *("fr day", "tums"),
    ]
)
_NUMBER_BEHIND = re.compile(r" ?(?:#|No\.?|Num(?:ber)?\.?|no\.):? ?\d")
"""Behind the label of a number: "Hosp #: 3308174"."""
_LABELS_OF_NUMBERS = frozenset(
    ("hosp", "acct", "chart", "case", "claim", "file", "record", "visit", "encounter", "order")
)
_LABEL_WITH_STOPS = re.compile(r"d\.o\.[bdas]\.?", re.IGNORECASE)
_YEAR_BEFORE = re.compile(r"(?:\d(?:st|nd|rd|th)|first|second|third|final) y(?:ea)?r $", re.IGNORECASE)
"""In front of what somebody studies: "now 1st yr nursing"."""
_NURSE_BEHIND = re.compile(r" (?:Nurse|Midwife|Nursing|Sister|Matron)\b")
_KINDS_OF_NURSES = frozenset(
    (
        "district",
        "community",
        "practice",
        "school",
        "charge",
        "staff",
        "ward",
        "theatre",
        "research",
        "specialist",
        "link",
    )
)
_TEAM = re.compile(r"(?:RED|BLUE|GREEN|TEAL|GOLD|SILVER|ORANGE|PURPLE|YELLOW|WHITE|BLACK|PINK|BRONZE) \d")
_COLUMNS = re.compile(r"\d\s{2,}-\d{2,3}\s")
"""Blanks and a sign between the figures of a row of readings: "200  -090  080"."""
_WHOLE_FORMS = {Entity.VEHICLE: _TEAM, Entity.PHONE: _COLUMNS}
"""Forms of what no vehicle and no telephone number is."""
_RATIO = re.compile(r"\d{1,3}(?:/\d{1,3}){3,}")
_MAX_RATIO = 16
_MAX_COMPOUND = 16
_OPERATION = re.compile(
    r"[A-Z]?[a-z]{3,24}(?:pexy|plasty|ectomy|otomy|ostomy|oscopy|ography|rrhaphy|centesis|megaly|plegia|paresis|itis"
    r"|uria|algia)"
)
"""An operation or a finding by its ending: Gastropexy, which opens a sentence."""
_NAMED = frozenset((Category.NAME, Category.LOCATION, Category.ORGANIZATION))
_NAMES_AND_PLACES = frozenset((Category.NAME, Category.LOCATION))
_LANGUAGE_BEFORE = re.compile(
    r"(?:(?:interp(?:reter)?|language|lang|lang\.|speaks|dialect|tongue)(?: (?:is|of))?:?"
    r"|(?:interpreted|interpreting|translated|translating) (?:from|into|to)|\b[MF] ?/) {1,3}$",
    re.IGNORECASE,
)
_LANGUAGE_BEHIND = re.compile(r"[ -](?:(?:phone|video|telephone) )?(?:interp|speak)", re.IGNORECASE)
_RESULT = re.compile(
    r"""
    (?:[ \t]{2,}|[ \t]*\|[ \t]*|\t)                                 # columns
    [<>]?\d{1,4}(?:\.\d{1,3})?[ \t]?[HL*]{0,2}                       # the result, with its flag
    (?:[ \t]{2,}|[ \t]*\|[ \t]*|\t)
    (?:\d{1,4}(?:\.\d{1,3})?[ \t]?[-–][ \t]?\d                      # the range of reference
      |[mμu]?(?:g|mol|Eq|U|IU)/[dm]?L)                             # or the unit
    """,
    re.VERBOSE,
)
_LINE_BEFORE = re.compile(r"(?:^|\n)[ \t|]*$")
_MARGIN = 8
_REACH, _REACH_OF_SCALE = 12, 40
"""Characters in front of a span in which the word stands that says what it is."""
_LETTER = re.compile(r"[^\W\d_]")
_MAY_BE_PASTIMES = _NAMED | {Category.DATE, Category.PROFESSION}
_WORDS_ONLY = frozenset((Category.NAME, Category.ORGANIZATION, Category.PROFESSION))
"""Categories whose identifiers hold a letter, user names apart."""


def is_noise(text: str, span: Span) -> bool:
    """Whether a span that only a model found is a figure or a fragment that identifies nobody.

    Noise is: single characters; dates and times of one bare figure; names without a letter; ages before a unit of
    measurement; the word of a room without its number; numbers of forms; credentials in brackets, taken for states;
    section headings, units and labels of table rows, taken for initials; the test of a row of results; the label of a
    number; programs for calls and messages.

    Args:
        text: the note.
        span: a span of the note. Labelled numbers are found by patterns, so that they are never given here.
    """
    value = text[span.start : span.end]
    if _stands_where_one_is(text, span):
        return False
    if _is_told_by_surroundings(text, span, value):
        return True
    if len(value) == 1:
        is_number = span.entity is Entity.AGE or (span.category is Category.ID and not _is_in_label(text, span, value))
        return not is_number and not _is_letter_of_name(text, span, value)
    if span.category is Category.DATE:
        return bool(_FIGURE.fullmatch(value)) or value.lower() in _WORDS_OF_DATES or _is_of_ratio(text, span)
    if span.category in _WORDS_ONLY and _OPERATION.fullmatch(value):
        return True
    if _is_word_of_place_or_label(text, span, value):
        return True
    if span.category in _WORDS_ONLY:
        if span.entity is not Entity.USERNAME and not _LETTER.search(value):
            return not _is_shop_number(text, span, value)
        if _is_short_word(text, span, value):
            return True
    return _is_noise_of_entity(text, span, value)


def _is_told_by_surroundings(text: str, span: Span, value: str) -> bool:
    """Whether the words around a span show that it is a product, a figure or a pastime."""
    if is_told_by_context(text, span, value) or is_figure_of_nobody(text, span, value):
        return True
    return span.category in _MAY_BE_PASTIMES and is_of_pastime(text, span)


def _is_word_of_place_or_label(text: str, span: Span, value: str) -> bool:
    """Whether a span is a ward, a part of a compound, a label, a language or the test of a row of results."""
    if is_ward(text, span, value) or _is_of_compound(text, span) or _is_label(text, span, value):
        return True
    if span.category in _NAMES_AND_PLACES and _is_language(text, span, value):
        return True
    if span.category in _NAMED and is_people(text, span.start, span.end):
        return True
    if span.category is Category.NAME and _is_test(text, span):
        return True
    return are_letters_of_nobody(text, span, value)


def _is_label(text: str, span: Span, value: str) -> bool:
    """Whether a span is the label of a number, "Hosp #: 3308174", or a part of another label."""
    is_of_number = value.lower() in _LABELS_OF_NUMBERS and _NUMBER_BEHIND.match(text, span.end)
    return bool(is_of_number) or _is_in_label(text, span, value)


def _is_in_label(text: str, span: Span, value: str) -> bool:
    """Whether a span is cut out of "/es/", which announces an electronic signature, or out of a label: last4, d.o.b."""
    before = text[max(0, span.start - 1) : span.start]
    if span.entity is Entity.INITIALS and (
        _LABEL_WITH_STOPS.fullmatch(text, max(0, span.start - 2), span.end + 1) or _LABEL_WITH_STOPS.fullmatch(value)
    ):
        return True
    if value == "es":
        return before == text[span.end : span.end + 1] == "/"
    return len(value) == 1 and value.isdecimal() and before.isalpha()


def _is_letter_of_name(text: str, span: Span, value: str) -> bool:
    """Whether a letter stands for a name behind its title: Dr. L."""
    before = text[max(0, span.start - _TITLE_REACH) : span.start]
    return span.category is Category.NAME and value.isupper() and _TITLE_BEFORE.search(before) is not None


def _stands_where_one_is(text: str, span: Span) -> bool:
    """Whether a span stands where somebody signs; or, to a model that is sure, where an hour, a ward or a bed does.

    Such are the figures and letters of "at 7", "bed 5" and "C Wing".
    """
    before = text[max(0, span.start - _REACH) : span.start]
    if span.entity is Entity.INITIALS:
        is_signed = _SIGNED_BEFORE.search(before) is not None
        return is_signed and not is_told_by_context(text, span, text[span.start : span.end])
    if span.score < _CERTAIN:
        return False
    if span.entity is Entity.TIME and _HOUR.fullmatch(text, span.start, span.end):
        return bool(_HOUR_BEFORE.search(before) and _HOUR_BEHIND.match(text, span.end))
    if span.entity is Entity.LOCATION_OTHER and len(span) == 1:
        return bool(_PLACE_BEFORE.search(before) or _PLACE_BEHIND.match(text, span.end))
    return False


def _is_of_ratio(text: str, span: Span) -> bool:
    """Whether a date is of four or more figures between slashes, as stages of sleep and grades of tumours are."""
    low, high = span.start, span.end
    while low > 0 and span.start - low < _MAX_RATIO and (text[low - 1].isdigit() or text[low - 1] == "/"):
        low -= 1
    while high < len(text) and high - span.end < _MAX_RATIO and (text[high].isdigit() or text[high] == "/"):
        high += 1
    return _RATIO.fullmatch(text, low, high) is not None


def _is_of_compound(text: str, span: Span) -> bool:
    """Whether a name or a place is a part of an everyday word with a hyphen: WALK-IN."""
    if "-" not in (text[span.end : span.end + 1], text[max(0, span.start - 1) : span.start]):
        return False
    low, high = span.start, span.end
    while low > 0 and (text[low - 1].isalpha() or text[low - 1] == "-") and span.start - low < _MAX_COMPOUND:
        low -= 1
    while high < len(text) and (text[high].isalpha() or text[high] == "-") and high - span.end < _MAX_COMPOUND:
        high += 1
    return text[low:high].lower() in words_of_list("compounds.txt")


def _is_language(text: str, span: Span, value: str) -> bool:
    """Whether a name is the language behind "interpreter:" or in front of "interpreter"."""
    if value not in _languages():
        return False
    before = text[max(0, span.start - 32) : span.start]
    return bool(_LANGUAGE_BEFORE.search(before) or _LANGUAGE_BEHIND.match(text, span.end))


def _is_test(text: str, span: Span) -> bool:
    """Whether a name opens a row of results, with its value and range: "Creat   2.6   0.6-1.2"."""
    if not _RESULT.match(text, span.end):
        return False
    return _LINE_BEFORE.search(text[max(0, span.start - _MARGIN) : span.start]) is not None or span.start == 0


def _is_shop_number(text: str, span: Span, value: str) -> bool:
    """Whether a number names a shop: "Corner Pharmacy #12", but not the tablets of "dispense #28"."""
    if span.category is not Category.ORGANIZATION:
        return False
    return bool(_SHOP_BEFORE.search(text[max(0, span.start - 24) : span.start])) or len(value.strip("# ")) >= 3


def _is_short_word(text: str, span: Span, value: str) -> bool:
    """Whether a name, organization or profession is a heading, a unit, or a short word for a service or a form."""
    low = value.lower()
    if span.category is Category.NAME and value.islower() and low in words_of_list("not_initials.txt"):
        return True
    if span.category is Category.NAME and (low in words_of_list("products.txt") or is_no_name(text, span, value)):
        return True
    return low in words_of_list("short_roles.txt") or (value == "BIN" and bool(_BIN_NUMBER.match(text, span.end)))


def _is_noise_of_entity(text: str, span: Span, value: str) -> bool:
    low = value.lower()
    if span.category is Category.NAME and low in _KINDS_OF_NURSES:
        return _NURSE_BEHIND.match(text, span.end) is not None
    if span.entity in _WHOLE_FORMS:
        return _WHOLE_FORMS[span.entity].search(value) is not None
    match span.entity:
        case Entity.AGE:
            before = text[max(0, span.start - _REACH_OF_SCALE) : span.start]
            is_score = (
                bool(_SCORE.fullmatch(value)) and is_behind_scale(before) and not _OLD_BEHIND.match(text, span.end)
            )
            return is_score or bool(_UNIT.match(text, span.end))
        case Entity.INITIALS:
            is_asked = text[max(0, span.start - 2) : span.start].lstrip() == "?"  # a diagnosis: ?MH
            is_listed = low in words_of_list("not_initials.txt") or _are_abbreviations(low)
            return is_asked or is_listed or bool(_TABLE_COLUMN.match(text, span.end))
        case Entity.LOCATION_OTHER | Entity.STREET | Entity.STATE:
            return is_no_place(text, span, value)
        case Entity.OTHER_ID:
            return bool(_FORM_BEFORE.search(text[max(0, span.start - 12) : span.start]))
        case Entity.PROFESSION:
            return _is_no_profession(text, span, value)
    return False


def _is_no_profession(text: str, span: Span, value: str) -> bool:
    """Whether a profession is a workplace, what somebody studies, or the people of a language: "the Hmong girl"."""
    is_studied = _YEAR_BEFORE.search(text[max(0, span.start - _REACH) : span.start])
    return value.lower() in words_of_list("workplaces.txt") or is_studied is not None or value in _languages()


def _are_abbreviations(low: str) -> bool:
    """Whether letters between slashes are abbreviations of medicine, each of them: CBC/CMP, DM/HTN/HLD."""
    parts = low.split("/")
    is_long = len(parts) > 2 or (len(parts) > 1 and max(map(len, parts)) > 2)
    return is_long and all(part in medical_abbreviations() for part in parts)


@cache
def _languages() -> frozenset[str]:
    return frozenset(language for (language,) in read_columns("languages.tsv", "language"))
