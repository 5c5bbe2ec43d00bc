"""Organizations that identify nobody: societies, authorities, and the manufacturer behind a product.

A care site, an employer or an insurer says where somebody was treated, works or is insured. A society that wrote a
guideline and the maker of a stent say nothing of the kind, unless the words in front say that somebody works there.
"""

import re
from functools import cache
from pathlib import Path

from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.span import Span

_EMPLOYED_BEFORE = re.compile(
    r"(?:work(?:s|ed|ing)?|employ(?:ed|er|ment)|job|retired|laid off|hired|career|position|shifts?|engineer|manager"
    r"|rep|driver|nurse|director|volunteers?|intern|plan|insur(?:ance|er)|payer|covered|members?)"
    r"(?: (?:at|for|with|by|from|of|the|is|a|an|currently|name|in|through)){0,4}:? $",
    re.IGNORECASE,
)
_MAKERS_TOWN = (
    r"(?:,? (?:Inc|Corp|Ltd|LLC|GmbH|plc|Co)\.?)?(?:, [A-Z][a-z]+(?: [A-Z][a-z]+)?, (?:[A-Z]{2}|[A-Z][a-z]+))?"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_BEFORE = 48
_AFTER = 64


def identifies_nobody(text: str, span: Span) -> bool:
    """Whether a span is a society, an authority or a manufacturer, or the town of a manufacturer in brackets."""
    if span.entity is Entity.ORGANIZATION:
        value = text[span.start : span.end]
        if _societies().fullmatch(value) or _makers().fullmatch(value):
            return not is_employed_before(text, span.start)
    if span.category in {Category.LOCATION, Category.ORGANIZATION}:
        opened = text.rfind("(", max(0, span.start - _AFTER), span.start)
        if opened >= 0 and (match := _makers().match(text, opened + 1, opened + 1 + _AFTER)):
            return (
                match.start() <= span.start and span.end <= match.end() and text[match.end() : match.end() + 1] == ")"
            )
    return False


def is_employed_before(text: str, start: int) -> bool:
    """Whether the words in front of ``start`` say that somebody works there, or is insured by whom follows."""
    return _EMPLOYED_BEFORE.search(text[max(0, start - _BEFORE) : start]) is not None


def is_year_of_guideline(text: str, span: Span) -> bool:
    """Whether a year alone stands beside the society whose guideline or classification is of that year: WHO 2009."""
    if span.entity is not Entity.DATE or not _YEAR.fullmatch(text, span.start, span.end):
        return False
    before = text[max(0, span.start - _BEFORE) : span.start]
    society = _society_before().search(before)
    return society is not None and _EMPLOYED_BEFORE.search(before[: society.start(1)]) is None


@cache
def _society_before() -> re.Pattern[str]:
    societies = "|".join(_lines("organizations_of_nobody.txt"))
    return re.compile(rf"(?:^|[^\w])((?:[A-Z]{{2,6}}/){{0,3}}(?:{societies}))[ ,(]{{1,2}}$")


@cache
def _societies() -> re.Pattern[str]:
    return re.compile(rf"(?:[Tt]he )?(?:{'|'.join(_lines('organizations_of_nobody.txt'))})")


@cache
def _makers() -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(_lines('manufacturers.txt'))}){_MAKERS_TOWN}")


def _lines(file: str) -> list[str]:
    lines = Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]
