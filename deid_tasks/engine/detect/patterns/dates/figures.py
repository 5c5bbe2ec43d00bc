"""The numbers of a date in figures, with the text around them: what the tables of forms ask about."""

import re
from dataclasses import dataclass

from deid_tasks.engine.detect.patterns.word_lists import alternation

_UNIT = re.compile(rf"\s{{0,2}}(?:{alternation('dates', 'units_of_measure')})(?![a-z0-9]|\s?:)")
FRACTION_AFTER = re.compile(
    rf"\s{{0,2}}(?:%|x\b|-?inch|-?(?:{alternation('dates', 'words_after_a_fraction')})(?![a-z]))"
)
_FRACTION_BEFORE = re.compile(
    rf"(?<![a-z])(?:{alternation('dates', 'words_before_a_fraction')})(?![a-z])[^\n.;]{{0,18}}$"
)
_DAY_BEFORE = re.compile(rf"(?:^|[^a-z])(?:{alternation('dates', 'words_before_a_day')})[\s:.,(=]{{0,3}}$")
_CLOCK_AFTER = re.compile(
    r"\s{1,3}(?:at |@ ?)?(?:[0-2]?[0-9]:[0-5][0-9](?![0-9])|[01][0-9][0-5][0-9](?![0-9/]))"  # 3/14 at 10:30, 3/14 1030
    r"|,? (?:to|thru|through) [0-9]{1,2}/[0-9]{1,2}(?![0-9])"  # 3/14 to 3/16
)
_RANGE_BEFORE = re.compile(
    r"(?:here|from|on|stay|admitted|adm|poc|cert|recert|soc|auth|period|off work)"
    r" [0-9]{1,2}/[0-9]{1,2},? (?:to|thru|through) $"
)
_PERSON_BEFORE = re.compile(
    r"\b(?:f/?u|follow[ -]?up|appt|appointment|see|seen|return|rtc|visit|scheduled|recheck) (?:w/ ?|with |by )"
    r"(?:dr\.? |mr\.? |mrs\.? |ms\.? |[a-z]\. ?){1,2}[a-z'\-]{2,24},? $"
)
"""Whom somebody is to see, with a title or an initial: follow up w/ K. Olmstead 3/7."""
_COUNT_BEFORE = re.compile(
    r"(?:^|[\s(:,])#[0-9]{1,3}(?: [0-2][0-9][0-5][0-9])? $"  # ECT #6 7/6
    r"|(?:rpr|vdrl|ana|titers?|titres?)[^\n.;]{0,20}1:[0-9]{1,4} $"  # RPR 1:32 2/2
    r"|(?:^|[^a-z])(?:shingrix|hep ?[ab]|hpv|gardasil|mmr|covid|prevnar|pcv|tdap|havrix|twinrix|varivax) [1-4] $"
    r"|(?:^|[^a-z])(?:ce/iol|iol|phaco|yag|slt|lpi|eylea|lucentis|avastin|vabysmo|ozurdex|ivi)"
    r" (?:o[dsu] [0-9]{1,2}/[0-9]{1,2}[,;] )?o[dsu] $"
)
"""A count, a titre, a dose or an operated eye, behind which its day stands."""
_REPEATED_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:rpt|repeat|re-?check|redo|next|f/u|weekly|check|draw|get)"
    r" (?:(?:cbcd?|bmp|cmp|lfts?|inr|tsh|a1c|k|cr|crp|esr|lipids?|ua|ucx|bcx|hcg|quant|hgb|plts?|bili|levels?"
    r"|trough|mg|tac|fk|prograf|labs?|abi|kub|pft|pfts)(?: and | ?[,&+/] ?| )){1,4}$"
)
"""A test that somebody repeats, behind which its day stands: rpt CBC 12/6."""
_TESTED_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:phq|gad|moca|mmse|bdi|bai|slums|bims|epds|gds|madrs|ymrs|pcl)(?:-?[0-9]{1,2})?"
    r"(?: [0-9]{1,2}/[0-9]{1,2} [0-9]{1,2} ?[,;])? $"
)
_POINTS_AFTER = re.compile(r"\s[0-9]{1,2}\s?(?:[,;]|$)")
"""The points of a scale behind the day of the test: MMSE 2/8 24, 8/9 21."""
_VALUE_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:cr|creat|scr|k|na|hgb|hb|inr|a1c|plts?|wbc|psa|tsh|lactate|bili|cea|li|fk|tac|trop|bnp|ua|crp)\s"
    r"(?:[<>]?[0-9.]{1,5} [0-9]{1,2}/[0-9]{1,2} ?(?:/|,|;|->) ?){0,3}[<>]?[0-9]{1,3}\.[0-9]{1,2} $"
)
_VALUE_AFTER = re.compile(r"\s?(?:/ [0-9]|[,;]|->|→|$)")
"""What stands around the day of a result: Cr 1.2 5/5 / 1.6 5/6 / 2.1 today."""
_DAYS_IN_MONTH = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_month_day(month: int, day: int) -> bool:
    """Whether the month has such a day in some year."""
    return 1 <= month <= 12 and 1 <= day <= _DAYS_IN_MONTH[month - 1]


def is_year(digits: str) -> bool:
    """Whether ``digits`` are a year that a note may hold: four figures from 1880 to 2099."""
    return len(digits) == 4 and 1880 <= int(digits) <= 2099


def is_school_year(first: int, second: str) -> bool:
    """Whether ``second`` is a month, or the last two figures of the year after ``first``."""
    return 1 <= int(second) <= 12 or int(second) == (first + 1) % 100


@dataclass(slots=True)
class Figures:
    """Two or three numbers of one match, and the text around them."""

    text: str
    start: int
    end: int
    numbers: tuple[str, ...]
    separators: tuple[str, ...]
    values: tuple[int, ...]
    ahead: str
    behind: str

    @property
    def follows_letter(self) -> bool:
        """Whether a letter is directly in front."""
        return self.text[self.start - 1 : self.start].isalpha()

    @property
    def has_equal_separators(self) -> bool:
        """Whether the marks between three numbers are the same."""
        return self.separators[0] == self.separators[1]

    @property
    def has_slashes(self) -> bool:
        """Whether every mark between the numbers has a slash."""
        return all("/" in separator for separator in self.separators)

    @property
    def is_calendar(self) -> bool:
        """Whether the first two numbers are a month and a day, in either order."""
        first, second = self.values[:2]
        return is_month_day(first, second) or is_month_day(second, first)

    @property
    def has_unit(self) -> bool:
        """Whether a unit of measure follows."""
        return _UNIT.match(self.behind) is not None

    @property
    def is_fraction_behind(self) -> bool:
        """Whether the words behind say that it is a fraction or a share."""
        return FRACTION_AFTER.match(self.behind) is not None

    @property
    def is_fraction_ahead(self) -> bool:
        """Whether the words in front say so."""
        return _FRACTION_BEFORE.search(self.ahead) is not None

    @property
    def is_day_ahead(self) -> bool:
        """Whether the words in front announce a day."""
        return _DAY_BEFORE.search(self.ahead) is not None

    @property
    def is_announced(self) -> bool:
        """Whether the words in front announce a day, or a time or the end of a range stands behind."""
        if self.is_day_ahead or _CLOCK_AFTER.match(self.behind) or _RANGE_BEFORE.search(self.ahead):
            return True
        if _PERSON_BEFORE.search(self.ahead) or _COUNT_BEFORE.search(self.ahead) or _REPEATED_BEFORE.search(self.ahead):
            return True
        if _TESTED_BEFORE.search(self.ahead) and _POINTS_AFTER.match(self.behind):
            return True
        return bool(_VALUE_BEFORE.search(self.ahead) and _VALUE_AFTER.match(self.behind))
