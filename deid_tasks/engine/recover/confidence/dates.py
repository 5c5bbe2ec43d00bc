"""What tells a date without a year from a score, and a year of events from the year of a guideline: BIMS 12/15."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span

PAIR = "pair"
"""The feature of a date that is two numbers: 9/17."""
_PAIR = re.compile(r"(\d{1,2})/(\d{1,2})", re.ASCII)
_PAIR_IN_TEXT = re.compile(r"(?<![\d/.])(\d{1,2})/(\d{1,2})(?![\d/])", re.ASCII)
_YEAR = re.compile(r"(?:19|20)\d\d", re.ASCII)
_NUMERIC = re.compile(r"(?<!\d)(\d{1,2})[/.\-](\d{1,2})[/.\-]\d{2,4}(?!\d)", re.ASCII)
_ISO = re.compile(r"(?<!\d)\d{4}-?(\d\d)-?(\d\d)(?!\d)", re.ASCII)
_NAMED = re.compile(
    r"(\d{1,2})(?:st|nd|rd|th)?[ \-]?(?:of )?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?[ \-](\d{1,2})(?!\d)",
    re.IGNORECASE | re.ASCII,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WORD_BEFORE = re.compile(r"(?:^|[\s(|;,/])([^\s(|;,]+?)[:=]? ?[=:(]? ?$")
_SPACED = re.compile(r"[A-Za-z]")
_PREPOSITIONS = frozenset(
    [
        *("on", "since", "until", "till", "from", "by", "thru", "through", "due", "before", "after", "of", "to"),
        *("for", "dated", "seen", "visit", "x"),
    ]
)
_GUIDELINE_BEHIND = re.compile(
    r"[\s,;:)]{0,3}(?:guid|version|edition|criteria|position|update|upd\b|ed\.|std|standard|classification|alg|consensus|statement|format)",
    re.IGNORECASE,
)
_REACH = 24
_NEAR_DAYS = 45
_DAYS_OF_MONTH, _DAYS_OF_YEAR = 30.5, 366.0


class NoteDates:
    """The dates of one note, and how a date without a year or a bare year stands to them.

    Args:
        text: the note.
        spans: its merged spans.
    """

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        self._text = text
        self._spans = [span for span in spans if span.entity is Entity.DATE]

    def features(self, span: Span) -> dict[str, float]:
        """Return the features of a date: empty unless it is two numbers or a bare year."""
        value = self._text[span.start : span.end]
        if pair := _PAIR.fullmatch(value):
            return self._of_pair(span, int(pair[1]), int(pair[2]))
        if _YEAR.fullmatch(value):
            return self._of_year(span)
        return {}

    def _of_pair(self, span: Span, first: int, second: int) -> dict[str, float]:
        tops, bottoms = self._pairs
        found = {
            PAIR: True,
            "pair_rises": first <= second,
            "pair_equal": first == second,
            "pair_tens": second % 5 == 0,
            "pair_bottom_small": second <= 12,
            "pair_bottom_repeats": bottoms[second] > 1 and tops[first] == 1,
            "pair_top_repeats": tops[first] > 1,
        }
        if self._full:
            near = min(self._distance(first, second), self._distance(second, first)) <= _NEAR_DAYS
            found["pair_near_date" if near else "pair_far_from_dates"] = True
        return {name: 1.0 for name, is_so in found.items() if is_so} | self._word_before(span, PAIR)

    def _of_year(self, span: Span) -> dict[str, float]:
        features = {"year": 1.0} | self._word_before(span, "year")
        if _GUIDELINE_BEHIND.match(self._text, span.end, span.end + _REACH):
            features["year_of_guideline"] = 1.0
        return features

    def _word_before(self, span: Span, name: str) -> dict[str, float]:
        found = _WORD_BEFORE.search(self._text[max(0, span.start - _REACH) : span.start])
        word = found[1] if found else ""
        if not _SPACED.search(word):
            return {}
        if word.lower() in _PREPOSITIONS:
            return {f"{name}_behind_preposition": 1.0}
        if len(word) > 1 and sum(map(str.isupper, word)) + sum(map(str.isdigit, word)) > len(word) / 2:
            return {f"{name}_behind_capitals": 1.0}
        return {f"{name}_behind_{'title' if word[0].isupper() else 'lower'}": 1.0}

    def _distance(self, month: int, day: int) -> float:
        """Return the days to the nearest full date of the note in a year; a year where month and day are none."""
        if not (1 <= month <= 12 and 1 <= day <= 31):
            return _DAYS_OF_YEAR
        position = (month - 1) * _DAYS_OF_MONTH + day
        index = bisect_left(self._full, position)
        around = (self._full[index - 1], self._full[index % len(self._full)])
        return min(min(abs(position - one), _DAYS_OF_YEAR - abs(position - one)) for one in around)

    @cached_property
    def _full(self) -> list[float]:
        """Days of the year that dates with a year or the name of a month may mean, sorted."""
        found: set[tuple[int, int]] = set()
        for span in self._spans:
            value = self._text[span.start : span.end]
            for one in _NUMERIC.finditer(value):
                found |= {(int(one[1]), int(one[2])), (int(one[2]), int(one[1]))}
            found |= {(int(one[1]), int(one[2])) for one in _ISO.finditer(value)}
            for one in _NAMED.finditer(value):
                month = _MONTHS.index((one[2] or one[3]).lower()) + 1
                found.add((month, int(one[1] or one[4])))
        return sorted((month - 1) * _DAYS_OF_MONTH + day for month, day in found if 1 <= month <= 12 and 1 <= day <= 31)

    @cached_property
    def _pairs(self) -> tuple[Counter[int], Counter[int]]:
        """How many different pairs of the note have a number as their first, and as their second."""
        pairs = {(int(one[1]), int(one[2])) for one in _PAIR_IN_TEXT.finditer(self._text)}
        return Counter(first for first, _ in pairs), Counter(second for _, second in pairs)
