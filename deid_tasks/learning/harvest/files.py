"""Candidates as files for a person: a table of sentences and one of templates. Each row has a decision to confirm or
change.
"""

import csv
import datetime
import json
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import InputError
from deid_tasks.core.files import atomic_open, atomic_path, make_folder
from deid_tasks.engine.detect.templates import Template

INCLUDE, EXCLUDE = "include", "exclude"
_SENTENCES, _TEMPLATES, _RULES, _SUMMARY = "sentences.csv", "templates.csv", "templates.json", "harvest.json"
_NAME = re.compile(r"\d{8}T\d{6}Z")
_SENTENCE_COLUMNS = ("decision", "patients", "times", "list", "found", "sentence", "id")
_TEMPLATE_COLUMNS = ("decision", "patients", "times", "new_times", "new_words", "template", "id")


@dataclass(frozen=True, slots=True)
class SentenceCandidate:
    """A sentence that occurs in the notes of many patients."""

    sentence: str = field(repr=False)
    patients: int
    times: int
    medical: bool
    """Whether it came in as one that names a disease or a drug."""
    found: tuple[str, ...] = ()
    """Entities that the ensemble finds in it."""


@dataclass(frozen=True, slots=True)
class TemplateCandidate:
    """A template, and the evidence for it."""

    template: Template
    patients: int
    times: int
    new_times: int = 0
    """Sentences in which it marks words that the ensemble did not."""
    new_words: tuple[str, ...] = field(default=(), repr=False)
    is_safe: bool = True
    """Whether it is proposed as included."""


@dataclass(frozen=True)
class Decided:
    """The sentences and templates that a person decided to include."""

    harvest: str
    sentences: tuple[str, ...] = field(repr=False)
    templates: tuple[Template, ...] = field(repr=False)
    offered: tuple[int, int] = (0, 0)
    """Sentences and templates in the files."""


@dataclass(frozen=True)
class Candidates:
    """The candidates of one harvest."""

    sentences: Sequence[SentenceCandidate] = field(repr=False)
    templates: Sequence[TemplateCandidate] = field(repr=False)
    figures: dict[str, Any] = field(default_factory=dict)

    def write(self, folder: Path, harvested_at: datetime.datetime) -> str:
        """Write the tables to a folder of their own under ``folder`` and return its name. Files are for their owner
        alone.

        A sentence in which nothing was found starts as included, any other as excluded.
        """
        name = harvested_at.astimezone(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
        with atomic_path(make_folder(folder) / name) as room:
            room.mkdir()
            self._write_tables(room)
        return name

    def _write_tables(self, room: Path) -> None:
        with (room / _SENTENCES).open("w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(_SENTENCE_COLUMNS)
            for one in self.sentences:
                rows.writerow(
                    (
                        EXCLUDE if one.found else INCLUDE,
                        one.patients,
                        one.times,
                        "medical" if one.medical else "common",
                        " ".join(one.found),
                        one.sentence,
                        _id(one.sentence),
                    )
                )
        with (room / _TEMPLATES).open("w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(_TEMPLATE_COLUMNS)
            for rule in self.templates:
                decision = INCLUDE if rule.is_safe else EXCLUDE
                shown, words = rule.template.shown(), " | ".join(rule.new_words)
                rows.writerow(
                    (decision, rule.patients, rule.times, rule.new_times, words, shown, _id_of(rule.template))
                )
        rules = {_id_of(rule.template): rule.template.document() for rule in self.templates}
        (room / _RULES).write_text(json.dumps(rules), encoding="utf-8", errors="surrogatepass")
        (room / _SUMMARY).write_text(json.dumps(self.figures, indent=1), encoding="utf-8")


def newest_harvest(folder: Path, names: Iterable[str]) -> str:
    """Return the newest of the harvests among ``names`` of ``folder``; raises ``InputError`` where there is none."""
    harvests = [name for name in names if _NAME.fullmatch(name)]
    if not harvests:
        raise InputError(f"{folder} holds no harvest: run it first")
    return max(harvests)


def exclude(folder: Path, name: str, sentences: Container[str]) -> int:
    """Change the decision on these sentences of a harvest to ``exclude``; returns how many were included before."""
    path = folder / name / _SENTENCES
    rows = [row for _, row in _rows(path, _SENTENCE_COLUMNS)]
    changed = 0
    for row in rows:
        if row["decision"] == INCLUDE and row["sentence"] in sentences:
            row["decision"] = EXCLUDE
            changed += 1
    with atomic_open(path, errors="surrogatepass") as file:
        table = csv.DictWriter(file, _SENTENCE_COLUMNS)
        table.writeheader()
        table.writerows(rows)
    return changed


def read_decided(folder: Path, name: str) -> Decided:
    """Return the tables of the harvest ``name`` as they are now.

    Raises ``InputError``, which names file and line, for a row whose decision is neither ``include`` nor ``exclude``,
    or whose text was changed: what is approved must be what was harvested.
    """
    room = folder / name
    sentences = [row["sentence"] for row in _included(room / _SENTENCES, _SENTENCE_COLUMNS, "sentence")]
    try:
        rules = json.loads((room / _RULES).read_text(encoding="utf-8", errors="surrogatepass"))
    except (OSError, ValueError, RecursionError):
        raise InputError(f"{room / _RULES} is missing or no JSON") from None
    templates = []
    for row in _included(room / _TEMPLATES, _TEMPLATE_COLUMNS, ""):
        template = _template_of(rules, row["id"])
        if template is None or _id_of(template) != row["id"]:
            raise InputError(f"{room / _TEMPLATES}: a template is not in {_RULES}: its id was changed")
        templates.append(template)
    offered = sum(1 for _ in _rows(room / _SENTENCES, _SENTENCE_COLUMNS)), len(rules)
    return Decided(name, tuple(sentences), tuple(templates), offered)


def _template_of(rules: Any, template_id: str) -> Template | None:
    """Return a harvested template; ``None`` where the file has none of this id, or it was changed."""
    try:
        return Template.of_document(rules[template_id])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None


def _included(path: Path, columns: tuple[str, ...], text: str) -> Iterator[dict[str, str]]:
    for number, row in _rows(path, columns):
        decision = row["decision"].strip().lower()
        if decision not in (INCLUDE, EXCLUDE):
            raise InputError(f"{path}:{number}: the decision must be {INCLUDE} or {EXCLUDE}")
        if text and _id(row[text]) != row["id"]:
            raise InputError(
                f"{path}:{number}: the {text} is not the one that was harvested; only decisions may be changed"
            )
        if decision == INCLUDE:
            yield row


def _rows(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8", errors="surrogatepass", newline="") as file:
            reader = csv.DictReader(file)
            if set(reader.fieldnames or ()) != set(columns):
                raise InputError(f"{path}: the columns must be {', '.join(columns)}")
            for number, row in enumerate(reader, start=2):
                if None in row or None in row.values():
                    raise InputError(f"{path}: row {number} has not as many cells as there are columns")
                yield number, row
    except (OSError, UnicodeDecodeError, csv.Error):
        raise InputError(f"{path} is missing or cannot be read as CSV") from None


def _id(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _id_of(template: Template) -> str:
    return _id(json.dumps(template.document(), sort_keys=True))
