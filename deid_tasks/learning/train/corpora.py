"""Readers of the open corpora: social media with human gold, and clinical prose without any.

All are read from files that the caller names; none ships with the package. See the model card for sources and licences.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from deid_tasks.core.entities import Category, Entity
from deid_tasks.learning.train.augment import NAMES, like
from deid_tasks.learning.train.sample import Edit, Mark, Sample, edited, read_jsonl
from deid_tasks.learning.train.targets import ANY, PERSON, PLACE, UNSEEN, coarse

SOCIAL_TARGETS = {"NAME": PERSON, "LOCATION": PLACE, "ORGANIZATION": coarse(Category.ORGANIZATION), "OTHER": ANY}
"""The meaning of the labels of the social-media corpora."""
CLINICAL_TARGETS = {
    **{category.value: coarse(category) for category in Category},
    "NAME": PERSON,
    "OTHER": ANY,
}
"""The meaning of the labels of the open clinical sets."""

_UNANNOTATED = re.compile(
    r"https?://\S+|www\.\S+|\S*\w\.(?:com|org|net|co|ly|me|tv)\b\S*|[@#]\s?\w+|\S*\d\S*"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)(?:day)?s?\b|\b(?:january|february|march|april|june|july|august|september"
    r"|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|christmas|easter|thanksgiving|halloween"
    r"|spring|summer|autumn|winter|year|years|old)\b",
    re.IGNORECASE,
)
_LOOSE = re.compile(r" (?=[,.!?;:)%](?:\s|$))|(?<=[(@#]) | (?=['’] ?s\b)")
_WORD = re.compile(r"[^\W\d_]{2,}")


def read_social(path: Path, namesake: Callable[[str], str], other_place: Callable[[str], str]) -> Iterator[Sample]:
    """Yield tweets and posts with gold for people, places and organizations, whose words stand apart by spaces.

    Args:
        path: JSON lines with ``text`` and ``spans``.
        namesake: gives the name to put in place of a word of a person's name, or the word itself; this keeps names
            that belong to another world out of training.
        other_place: the same for whole names of places.
    """
    for row in read_jsonl(path):
        sample = _sample(row, SOCIAL_TARGETS, path.stem)
        text = sample.text
        open_marks = [
            Mark(*match.span(), UNSEEN)
            for match in _UNANNOTATED.finditer(text)
            if not any(m.start < match.end() and m.end > match.start() for m in sample.marks)
        ]
        sample = Sample(text, tuple(sorted([*sample.marks, *open_marks])), sample.source, sample.group)
        yield _tight(replaced(renamed(sample, namesake), other_place))


def read_templates(
    path: Path, namesake: Callable[[str], str], other_place: Callable[[str], str], is_held_out: Callable[[str], bool]
) -> Iterator[Sample]:
    """Yield sentences made from templates, of those templates that are not held out; names and places as in
    ``read_social``.
    """
    for row in read_jsonl(path):
        if not is_held_out(str(row["template_id"])):
            yield replaced(renamed(_sample(row, CLINICAL_TARGETS, path.stem), namesake), other_place)


def read_prose(paths: Iterable[Path], is_medical: Callable[[str], bool]) -> Iterator[Sample]:
    """Yield clinical notes without gold, with the identifiers of their own marked or set aside.

    What plainly is one (a name after a title, a date, an age, a time) is marked. A capitalised word inside a sentence
    that never stands in lower case anywhere in the files, and that ``is_medical`` does not know, may be anything: it
    costs nothing.
    """
    rows = [(path.stem, row) for path in paths for row in read_jsonl(path)]
    lower = Counter(word for _, row in rows for word in _WORD.findall(str(row["text"])) if word.islower())
    for stem, row in rows:
        text = str(row["text"])
        marks = own_marks(text)
        for match in re.finditer(r"\b[A-Z][a-z]+\b", text):
            word = match.group().lower()
            if lower[word] == 0 and not is_medical(word) and not _overlaps(match.span(), marks):
                marks.append(Mark(*match.span(), ANY))
        yield Sample(text, tuple(sorted(marks)), stem, str(row["id"]))


_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_OWN: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        PERSON,
        re.compile(
            r"(?<=\b(?:Dr|Mr|Ms)\. )[A-Z][a-z]+(?: [A-Z]\.(?= [A-Z]))?(?: [A-Z][a-z]+)?"
            r"|(?<=\bMrs\. )[A-Z][a-z]+(?: [A-Z][a-z]+)?"
        ),
    ),
    (
        PERSON,
        re.compile(
            r"(?<=\bDr )[A-Z][a-z]+|(?<=\bDoctor )[A-Z][a-z]+|(?<=\bM[rs] )[A-Z][a-z]+"
            r"|(?<=\bMrs )[A-Z][a-z]+|(?<=\bMiss )[A-Z][a-z]+"
        ),
    ),
    (
        Entity.DATE,
        re.compile(
            rf"\b{_MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?)?,? (?:of )?\d{{4}}\b|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b"
        ),
    ),
    (Entity.DATE, re.compile(r"\b\d{1,2}[/-]\d{1,2}[/-]\d{2,4}\b|\b(?:19|20)\d\d\b")),
    (Entity.DATE, re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b")),
    (ANY, re.compile(rf"\b{_MONTH}\b|\b\d{{1,2}}/\d{{1,4}}\b")),
    (
        Entity.AGE,
        re.compile(
            r"\b\d{1,3}(?=[- ](?:years?|y(?:r|rs)?|months?|weeks?|days?)[- ]?(?:old|of age)\b)"
            r"|\b\d{1,3}(?= ?(?:y/o|yo|y\.o)\b)"
        ),
    ),
    (Entity.AGE, re.compile(r"(?<=\bage )\d{1,3}\b|(?<=\baged )\d{1,3}\b|(?<=\bage of )\d{1,3}\b")),
    (Entity.TIME, re.compile(r"\b\d{1,2}:\d{2}(?: ?[ap]\.?m\b\.?)?|\b\d{1,2} ?[ap]\.m\.", re.IGNORECASE)),
    (ANY, re.compile(r"\b(?:\d{2}s|[A-Z][a-z]+ (?:Hospital|Clinic|Center|County|University|Street|Avenue|Road))\b")),
    (
        ANY,
        re.compile(
            r"\b(?:retired|works? (?:as|at|for|in)|working as|worked (?:as|at|for|in)|employed as)(?: \w+){1,4}",
            re.IGNORECASE,
        ),
    ),
)


def own_marks(text: str) -> list[Mark]:
    """What plainly is an identifier in prose without gold, and what may be one; sorted, disjoint."""
    marks: list[Mark] = []
    for target, pattern in _OWN:
        for match in pattern.finditer(text):
            if not _overlaps(match.span(), marks):
                marks.append(Mark(*match.span(), target))
    return sorted(marks)


def renamed(sample: Sample, namesake: Callable[[str], str]) -> Sample:
    """``sample`` with each word of its people's names given to ``namesake``."""
    edits = []
    for mark in sample.marks:
        if mark.target in NAMES:
            for match in _WORD.finditer(sample.text, mark.start, mark.end):
                new = namesake(match.group())
                if new != match.group():
                    edits.append(Edit(*match.span(), like(match.group(), new)))
    return edited(sample, edits)


def replaced(sample: Sample, other_place: Callable[[str], str]) -> Sample:
    """``sample`` with each whole place given to ``other_place``."""
    edits = []
    for mark in sample.marks:
        value = sample.text[mark.start : mark.end]
        if mark.target in (PLACE, coarse(Category.LOCATION)) and (new := other_place(value)) != value:
            edits.append(Edit(mark.start, mark.end, like(value, new)))
    return edited(sample, edits)


def _tight(sample: Sample) -> Sample:
    """Without the spaces that the corpus puts between words and punctuation."""
    return edited(sample, (Edit(*match.span(), "") for match in _LOOSE.finditer(sample.text)))


def _sample(row: dict[str, object], targets: dict[str, str], source: str) -> Sample:
    spans = row.get("spans", [])
    assert isinstance(spans, list)
    marks = sorted(Mark(span["start"], span["end"], targets[span["label"]]) for span in spans)
    return Sample(str(row["text"]), tuple(marks), source, str(row.get("template_id", row["id"])))


def _overlaps(span: tuple[int, int], marks: Iterable[Mark]) -> bool:
    return any(mark.start < span[1] and mark.end > span[0] for mark in marks)
