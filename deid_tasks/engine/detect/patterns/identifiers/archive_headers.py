"""Headers and footers of archived reports: numbers around a hospital's letters, and a transcription's codes.

771204668 | SBH | 60718823 | | 318842 | 11/2/1998 12:00:00 AM          M.D. GA7
(or one under the other)                                                BN571/6330
                                                                        Batch: 2094 Index No. XLKV2Q8W1P
"""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength

_BETWEEN = r"(?:[ \t]{0,3}\|[ \t]{0,3}|[ \t]{0,3}\n)"
HEADER_TRIGGER = rf"(?m)^[0-9]{{6,10}}{_BETWEEN}[A-Z]{{2,5}}{_BETWEEN}[0-9]{{4,10}}{_BETWEEN}"
BATCH_TRIGGER = r"\b(?i:batch) ?: ?[0-9A-Z]{2,8}\s{1,3}(?i:index no)\b"
_HEADER = re.compile(rf"(?P<record>[0-9]{{6,10}}){_BETWEEN}(?P<hospital>[A-Z]{{2,5}}){_BETWEEN}")
_FIELD = re.compile(rf"(?P<code>(?=[^|\n]*[0-9])[A-Za-z0-9]{{3,12}}(?:/[A-Za-z0-9]{{2,8}})?)?{_BETWEEN}")
"""A number or a code, or an empty field; a day or words end the header."""
_CODES = re.compile(r"(?P<author>(?<= )[A-Z]{2}[0-9]{1,4})?\s{1,3}(?P<job>[A-Z]{2}[0-9]{2,4}(?:/[0-9]{2,5})?)\s{1,3}\Z")
_BATCH = re.compile(r"(?i:batch) ?: ?(?P<batch>[0-9A-Z]{2,8})\s{1,3}(?i:index no)\.? ?:? ?(?P<index>[A-Z0-9]{6,14})\b")
_MAX_FIELDS = 6
_REACH = 48


def read_archive_header(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the numbers of a header, and the letters of its hospital."""
    header = _HEADER.match(text, start, end)
    if header is None:
        return
    yield Candidate(*header.span("record"), Entity.MRN, Strength.LABELLED)
    yield Candidate(*header.span("hospital"), Entity.FACILITY, Strength.LABELLED)
    at = header.end()
    for _ in range(_MAX_FIELDS):
        field = _FIELD.match(text, at, at + _REACH)
        if field is None:
            return
        if field["code"]:
            yield Candidate(*field.span("code"), Entity.OTHER_ID, Strength.LABELLED)
        at = field.end()


def read_batch(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the codes of a transcription: the author's, the job's, the batch and its index."""
    if (codes := _CODES.search(text, max(0, start - _REACH), start)) is not None:
        yield Candidate(*codes.span("job"), Entity.OTHER_ID, Strength.LABELLED)
        if codes["author"]:
            yield Candidate(*codes.span("author"), Entity.USERNAME, Strength.LABELLED)
    if (batch := _BATCH.match(text, start, end + _REACH)) is not None:
        yield Candidate(*batch.span("batch"), Entity.OTHER_ID, Strength.LABELLED)
        yield Candidate(*batch.span("index"), Entity.OTHER_ID, Strength.LABELLED)
