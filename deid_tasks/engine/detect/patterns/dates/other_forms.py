"""Dates in other forms: months in Roman numbers, quarters of a year, and years of two figures without their mark."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, text_after

ROMAN_MONTH_TRIGGER = (
    r"\b(?:[0-2]?[0-9]|3[01])"
    r"(?:\.[IVXivx]{1,4}\.|/[IVXivx]{1,4}/|-[IVXivx]{1,4}-| [IVX]{1,4} )(?:(?:19|20)[0-9]{2}|[0-9]{2})\b"
)
_ROMAN_MONTHS = frozenset(["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"])
_NUMERAL = re.compile(r"[IVXivx]{1,4}")


def read_roman_month(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read 5.viii.17 and 12 XI 2021, where the number of two or more letters, or a mark, makes a month."""
    numeral = _NUMERAL.search(text, start, end)
    if numeral is None or numeral.group().lower() not in _ROMAN_MONTHS or text[start] + text[start + 1] == "00":
        return
    has_blanks = text[numeral.end()] == " "
    if has_blanks and not text[end - 4 : end].isdigit():
        return  # CN 7 XII 12
    if text[start - 1 : start] not in {"/", ".", "-"} and text[end : end + 1] not in {"/", "-", "%"}:
        yield Candidate(start, end, Entity.DATE)


QUARTER_TRIGGER = (
    r"\b[Qq][1-4](?: of|,)?[ \-/]?(?:(?:FY|CY) ?)?(?:(?:19|20)[0-9]{2}|'[0-9]{2})\b"  # Q3 2020
    r"|\b(?:19|20)[0-9]{2}[ \-]?Q[1-4]\b"
    r"|(?i)\b(?:first|second|third|fourth|last|1st|2nd|3rd|4th) quarter (?:of |in )?(?:(?:19|20)[0-9]{2}|'[0-9]{2})\b"
)
_DOSE_BEHIND = re.compile(r"\s?(?:mg|mcg|ml|units?|h\b|hr|hours?|min|prn|mm)")


def read_quarter(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read a quarter of a year: Q3 2020, the third quarter of 2020."""
    if not _DOSE_BEHIND.match(text_after(text, end)):
        yield Candidate(start, end, Entity.DATE)


BARE_YEAR_TRIGGER = (
    r"(?i)\b(?:in|since|back in|circa) 0[0-9]\b"  # in 07
    r"|'[0-9]{2} ?(?:-|to|and|through|thru) ?'[0-9]{2}\b"  # '62-'71
    r"|\b(?:chole|appy|hyst|tah|btl|cabg|pci|tka|tha|tkr|thr|c/?s|acdf|lami|[a-z]{3,14}(?:ectomy|plasty|otomy|ostomy))"
    r" in [5-9][0-9]\b"  # chole in 98
    r"|\b(?:n?svd|c/?s|vbac|pci|cabg|stents?|mi|cva|dvt) x ?[0-9],? '[0-9]{2}(?:, ?'[0-9]{2}){0,4}\b"  # SVD x2 '11
    r"|\b(?:colo(?:noscopy)?|mammo(?:gram)?|dexa|egd|pap|cath|echo) (?:'?[0-9]{2}, ?){1,4}"
    r"(?:due|next|repeat)(?: due| in)? '[0-9]{2}\b"  # colo 14, 17, due '27
)
_YEAR = re.compile(r"'?(?<![0-9])[0-9]{2}(?![0-9])")
_PART_BEHIND = re.compile(
    r"[./:\-,'][0-9]|['\"%]"
    r"|\s?(?:min|h\b|hr|hours?|days?|weeks?|wks?|months?|mo\b|mg|mcg|ml|units?|sec|steps?|out of|of\b|/)"
)


def read_bare_year(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read in 07, '62-'71 and the years of examinations in front of the next: colo 14, 17, due '27."""
    if not _PART_BEHIND.match(text_after(text, end)):
        for year in _YEAR.finditer(text, start, end):
            yield Candidate(*year.span(), Entity.DATE)


BELIEVED_YEAR_TRIGGER = (
    r"\b(?i:insist(?:s|ed|ing)|sa(?:ys|id)|thinks?|thought|stat(?:es|ed)|believ(?:es|ed)|reports?|gave|gives|oriented)"
    r"(?: that| to)? (?i:it is|it's|it was|(?:the )?year (?:is|as|was|of)) (?:19|20)[0-9]{2}\b"
)


def read_believed_year(text: str, _start: int, end: int) -> Iterator[Candidate]:
    """Read the year in which somebody believes to be: insists it is 1974."""
    if not _DOSE_BEHIND.match(text_after(text, end)):
        yield Candidate(end - 4, end, Entity.DATE)
