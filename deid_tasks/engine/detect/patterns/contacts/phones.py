"""Telephone, fax and pager numbers, and extensions."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after, text_before
from deid_tasks.engine.detect.patterns.word_lists import alternation

PHONE_TRIGGER = (
    r"\+[0-9]{1,3}[ .\-]?(?:\([0-9]{1,4}\)[ .\-]?)?[0-9]{1,5}(?:[ .\-]?[0-9]{2,5}){1,4}"  # +44 20 7946 0958
    r"|(?:\b1[ .\-]{1,3})?\([0-9]{3}\)[ .\-/]{0,3}[0-9]{3}[ .\-]{0,3}[0-9]{4}"  # (617) 555-0123
    r"|(?:\b(?:001|1)[ .\-]{1,3})?[0-9]{3}[.\-/ ]{1,3}[0-9]{3}[.\- ]{1,3}[0-9]{4}"  # 617-555-0123
    r"|[0-9]{3}[.\-][0-9]{4}"  # 555-0123
    r"|\b1?[2-9][0-9]{9}\b"  # 6175550123
    r"|\b1-8[0-9]{2}-[A-Z][A-Z0-9\-]{5,9}\b"  # 1-800-FLOWERS
    r"|\b0[0-9]{3,4} [0-9]{3} ?[0-9]{3,4}\b"  # 01632 960 983
    r"|\b0[23578] [0-9]{8}\b"  # 07 46350182
    r"|\b07[0-9]{6} [0-9]{3}\b"  # 07700900 718
)
LABELLED_PHONE_TRIGGER = (
    r"(?i)\b(?:phone|telephone|tel|mobile|cell|desk|fax|call(?: me| us| him| her| them)?(?: back)?"
    r"|reach(?:ed)? (?:me|us|him|her|them)|answering|contact|whatsapp|messages|text)"
    r"(?: (?:number|no|num|to|at|on|is))?[:.#]{0,2}\s{1,3}"
    r"(?:00|\+)?[(0-9][0-9]{1,4}[) .\-]{1,2}[0-9 .()\-]{3,14}[0-9](?:x[0-9]{1,6})?"
)
_LABELLED_VALUE = re.compile(r"(?:\+|00)?[(0-9][0-9 .()\-]{6,22}[0-9](?:x[0-9]{1,6})?$")
_ITEM_AT_END = re.compile(r"[.;,]? {1,2}[0-9]{1,2}$")
"""The next item of a list behind a number: tel 555-0148. 6)"""
_OTHER_NUMBER_AFTER = re.compile(r"[/.:,][0-9]|\s?(?:mg|ml|am|pm|%)")
_DATE_LIKE = re.compile(r"[0-9]{1,2}[-.][0-9]{1,2}[-.](?:[0-9]{2}|[0-9]{4})(?![0-9])")


def read_labelled_phone(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read any grouping of figures behind a label: Phone: 72 128 827."""
    match = _LABELLED_VALUE.search(text, start, end)
    if match is None or text[end : end + 1].isdigit() or _OTHER_NUMBER_AFTER.match(text[end : end + 3]):
        return
    stop = end
    if text[end : end + 1] == ")" and (item := _ITEM_AT_END.search(match.group())):
        stop -= len(item.group())
    figures = _count_figures(text[match.start() : stop].split("x")[0])
    if 7 <= figures <= 15 and not _DATE_LIKE.match(match.group()):
        is_fax = text[start : start + 3].lower() == "fax"
        yield Candidate(match.start(), stop, Entity.FAX if is_fax else Entity.PHONE, Strength.LABELLED)


def _count_figures(value: str) -> int:
    return sum(character.isdigit() for character in value)


_EXTENSION = re.compile(r",?\s{0,2}(?:x|ext\.?|extension)\s?:?\s?[0-9]{1,6}(?![0-9])", re.IGNORECASE)
_LABEL = re.compile(
    r"(?<![a-z])(?:(fax|facsimile|fx|f(?=\W*$))"
    r"|(pager|pgr|pg|beeper|bpr|paged?|paging|p(?=\W*#))"
    rf"|({alternation('contacts', 'phone_labels')}))(?![a-z])"
    rf"(?P<rest>[^a-z\n]{{0,6}}(?:(?:{alternation('contacts', 'words_between_label_and_number')})(?![a-z])"
    r"[^a-z\n]{0,4}){0,4})$"
)
_SHORTEST_ABROAD = 7
_BALANCE_BEFORE = re.compile(r"(?<![a-z])(?:i ?/ ?o|i&o|i\+o|net|fluid balance|balance)(?![a-z])[^.;\n]{0,16}$")
"""In front of what went in and out: I/O 12h: +2240 / -2615."""
_CODE_BEFORE = re.compile(r"(?<![0-9])[0-9]{5}(?:-[0-9a-z]{2})?[ ,;]{0,2}$")
"""In front of the code that is billed besides: 99497 +99498."""
_SHORT_NUMBER_BEFORE = re.compile(r"[0-9]{3}[.\-][0-9]{4}/$")
_AREA_CODE_AFTER = re.compile(r"\(?[0-9]{3}[).\-]")
_FAX_AFTER = re.compile(r"\W{0,3}\(?(?:fax|f\))")
_PAGER_AFTER = re.compile(r"\W{0,3}\(?pager")
_CAPITAL = re.compile(r"[A-Z]")
_MARK = re.compile(r"[-.]")
_AMOUNT_AFTER = re.compile(r"\s?(?:ml|mg|mcg|units?|cells|kcal|x10|/|%|k\b|iu)")
_COUNT_BEFORE = re.compile(r"(?:range|ref|count|wbc|plt|platelet|lot|case|order|id|claim)\W*\w*\W*$")
_FIGURE_BEFORE = re.compile(r"[0-9]\s*$")


def read_phone(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Judge one run of figures with the form of a telephone number."""
    if not _stands_alone(text, start, end):
        return
    value = text[start:end]
    figures = _count_figures(value)
    kind, is_labelled = _label_before(text, start)
    if not is_labelled and not _has_form_of_phone(text, start, end, figures):
        return
    if value[0] == "+" and figures < _SHORTEST_ABROAD and _BALANCE_BEFORE.search(text_before(text, start)):
        return
    if value[0] == "+" and figures == 5 and _CODE_BEFORE.search(text_before(text, start)):
        return
    if figures == 7 and text[start - 1 : start].isalpha():
        return
    extension = _EXTENSION.match(text, end, end + 20)
    stop = extension.end() if extension else end
    strength = Strength.LABELLED if is_labelled else Strength.FORMAT
    yield Candidate(start, stop, kind or _label_behind(text, end), strength)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether figures are not the beginning or the end of a longer number; 555-0123/555-0124 are two numbers."""
    left, right = text[start - 1 : start], text[end : end + 1]
    if left.isdigit() or right.isdigit():
        return False
    is_end = left in {"-", ".", "/"} and text[start - 2 : start - 1].isalnum() and start > 1
    if is_end and not _SHORT_NUMBER_BEFORE.search(text[max(0, start - 9) : start]):
        return False
    is_pair = right == "/" and end - start > 11 and _AREA_CODE_AFTER.match(text[end + 1 : end + 6])
    return bool(is_pair) or not (right in {"-", "/", "."} and text[end + 1 : end + 2].isdigit())


def _label_before(text: str, start: int) -> tuple[Entity | None, bool]:
    """Return the entity that the label in front says, and whether there is a label."""
    match = _LABEL.search(text_before(text, start, 48))
    if match is None:
        return None, False
    if match.group(1):
        return Entity.FAX, True
    return (Entity.PAGER if match.group(2) else Entity.PHONE), True


def _label_behind(text: str, end: int) -> Entity:
    """Return the entity that the word behind a number says: 617-555-0123 (fax)."""
    behind = text_after(text, end, 14)
    if _FAX_AFTER.match(behind):
        return Entity.FAX
    return Entity.PAGER if _PAGER_AFTER.match(behind) else Entity.PHONE


def _has_form_of_phone(text: str, start: int, end: int, figures: int) -> bool:
    """Whether the form alone makes it a telephone number."""
    value = text[start:end]
    if value[0] in "+(" or _CAPITAL.search(value):
        return True
    if figures == 7:
        return _is_local_number(text, start, end)
    if figures >= 10 and value.isdigit():
        return False
    if " " in value and not _MARK.search(value):
        return value[0] == "0" or _is_number_with_blanks(text, start, value)
    return True


def _is_local_number(text: str, start: int, end: int) -> bool:
    """Whether seven figures are a telephone number and not an amount or a range: 555-0123."""
    value = text[start:end]
    if value[3] != "-" or value[0] in "01" or value.endswith("000"):
        return False
    return not _AMOUNT_AFTER.match(text_after(text, end)) and not _COUNT_BEFORE.search(text_before(text, start, 20))


def _is_number_with_blanks(text: str, start: int, value: str) -> bool:
    """Whether three groups of figures are a telephone number: 617 555 0123."""
    is_first_group = _FIGURE_BEFORE.search(text_before(text, start, 4)) is None
    return value[0] not in "01" and is_first_group and value.count(" ") == 2


_FIGURE_WORD = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)"
SPELLED_TRIGGER = (
    rf"(?i)\(?\b{_FIGURE_WORD}[- ]{_FIGURE_WORD}[- ]{_FIGURE_WORD}\)?[ .,\-]{{1,2}}[0-9]{{3}}[ .\-][0-9]{{4}}\b"
)


def read_spelled_phone(_text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read (two-oh-seven) 555-0166, whose area code is in words."""
    yield Candidate(start, end, Entity.PHONE, Strength.LABELLED)


PAGER_TRIGGER = (
    r"(?i)\b(?:pager|pgr|beeper|bpr|beep|page|paged|pg|p|pic)\b(?: ?(?:number|no\.?|num|id|is|at|me|us|#))?"
    r"[ :#.)]{1,3}[0-9]{1,2}?-?[0-9]{3,5}\b"  # pager 12345, pgr #3-1234
    r"|\bp[0-9]{5}\b"  # p12345
    r"|\bpaged (?:dr\.? )?[a-z'\-]{2,20}(?: x[0-9])? \(?[0-9]{5}\b"  # paged Dr. Okafor 12345
    r"|(?:\bpager|\bpgr|\bbeeper)[0-9]{4,6}\b"  # pager12345
    r"|\bb[0-9]{5}\b"  # b12345
    r"|\b[0-9]{5} ?\(?(?:pager|beeper)\b"  # 12345 (pager)
)
_PAGER_VALUE = re.compile(r"[0-9]{1,2}-[0-9]{3,5}$|[0-9]{3,6}$")
_CLOCK = re.compile(r"(?:[01][0-9]|2[0-3])[0-5][0-9]")
_PAGE_COUNT_AFTER = re.compile(r"\s?of\s")
_PAGER_UNIT = re.compile(r"\s?(?:mg|ml|%|am|pm)")


def read_pager(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read pager 12345, p12345 and pgr #3-1234; not page 3 of 5."""
    if text[start].isdigit():
        yield Candidate(start, start + 5, Entity.PAGER, Strength.LABELLED)
        return
    match = _PAGER_VALUE.search(text, start, end)
    if match is None or (text[end : end + 1] in {"-", "/", "."} and text[end + 1 : end + 2].isdigit()):
        return
    behind = text_after(text, end)
    label = text[start : match.start()].lower()
    if label.rstrip() == "paged" and _CLOCK.fullmatch(match.group()):
        # "paged 0240": when, not whom.
        return
    if _may_be_page(label) and (_PAGE_COUNT_AFTER.match(behind) or _is_page_number(label, match.group())):
        return
    if not _PAGER_UNIT.match(behind):
        yield Candidate(match.start(), end, Entity.PAGER, Strength.LABELLED)


def _may_be_page(label: str) -> bool:
    """Whether a label may be that of a page."""
    return label.startswith(("page", "p", "pg")) and not label.startswith(("pager", "pgr", "paged"))


def _is_page_number(label: str, value: str) -> bool:
    is_short = len(value) < 4 or (label[:2] in {"p:", "p."} and len(value) < 5)
    return "-" in value or is_short


EXTENSION_TRIGGER = (
    r"(?i)\b(?:ext(?:ension)?\.?|x)[ :#\-]{0,2}(?:[0-9]{4,6}|[0-9]-[0-9]{4})\b"  # x51234
    r"|\bext(?:ension)?\.?[ :#\-]{1,2}[0-9]{3}\b"  # ext. 512
    r"|\b(?:ext(?:ension)?\.?|x\.) ?[0-9]{2}-[0-9]{4}\b"  # x. 51-1234
)
_EXTENSION_VALUE = re.compile(r"[0-9]{1,2}-[0-9]{4}$|[0-9]{3,6}$")
_EXTENSION_UNIT = re.compile(r"\s?(?:mg|ml|mcg|units?|cc|iu|magnification|g\b|[.,/]\d|%)")


def read_extension(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the figures of ext. 5123 and x51234."""
    match = _EXTENSION_VALUE.search(text, start, end)
    if match and not _EXTENSION_UNIT.match(text_after(text, end)) and not text[start - 1 : start].isdigit():
        yield Candidate(match.start(), end, Entity.PHONE)
