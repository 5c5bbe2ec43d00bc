"""The pattern detector: every rule that can fire over every note."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import re2

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import SettingsError
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.patterns import (
    contacts,
    dates,
    identifiers,
    names,
    organizations,
    places,
)
from deid_tasks.engine.detect.patterns.other_scripts import names_in_other_scripts
from deid_tasks.engine.detect.patterns.overlaps import strongest_candidates
from deid_tasks.engine.detect.patterns.prefilter import Prefilter, compile_trigger
from deid_tasks.engine.detect.patterns.rule import Candidate, CandidateReader, Rule, Strength
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.ascii import fold_to_ascii

RULES: tuple[Rule, ...] = (
    *dates.RULES,
    *contacts.RULES,
    *identifiers.RULES,
    *places.RULES,
    *names.RULES,
    *organizations.RULES,
)
"""The rules of all rooms. Rules of one subject are neighbours, so that their triggers share an automaton."""

FORM_TABLES = (*dates.FORM_TABLES, *identifiers.FORM_TABLES, *names.FORM_TABLES, *places.FORM_TABLES)
"""The tables of forms of all rooms, whose examples are tests."""


class PatternDetector:
    """Finds identifiers by their form and by the words around them; linear in the length of a note."""

    name = "patterns"

    def __init__(
        self, identifiers: Mapping[Entity, Sequence[str]] | None = None, reference_year: int | None = None
    ) -> None:
        """Compile the rules.

        Args:
            identifiers: the institution's own formats, RE2 by entity; where an expression has groups, the first is the
                span.
            reference_year: the year the notes were written in, if known: a bare year more than two years later is not a
                date.

        Raises:
            SettingsError: an expression is not valid RE2; the message names its entity and position.
        """
        self._reference_year = reference_year
        triggers = [rule.trigger for rule in RULES]
        self._scanners: list[tuple[Any, CandidateReader]] = [
            (compile_trigger(rule.trigger), rule.read) for rule in RULES
        ]
        self._names = [rule.name for rule in RULES]
        for entity, expressions in (identifiers or {}).items():
            for position, expression in enumerate(expressions):
                scanner = _compile_setting(entity, position, expression)
                self._scanners.append((scanner, _format_reader(scanner, entity)))
                triggers.append(fold_to_ascii(expression))
                self._names.append(f"detect.patterns.identifiers.{entity}[{position}]")
        self._prefilter = Prefilter(triggers)

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Return the identifiers of each document, sorted and disjoint."""
        encoded = [document.plain_bytes for document in documents]
        found: list[list[Candidate]] = [[] for _ in documents]
        for number, indices in self._prefilter.fires(encoded):
            scanner, read = self._scanners[number]
            for index in indices:
                plain, candidates = documents[index].plain, found[index]
                for match in scanner.finditer(encoded[index]):
                    candidates.extend(read(plain, *match.span()))
        for document, candidates in zip(documents, found, strict=True):
            candidates.extend(names_in_other_scripts(document.text, document.plain))
        if self._reference_year is not None:
            last_year = self._reference_year + 2
            found = [
                [candidate for candidate in candidates if not _is_year_after(last_year, document.plain, candidate)]
                for document, candidates in zip(documents, found, strict=True)
            ]
        return [
            [Span(one.start, one.end, one.entity, self.name) for one in strongest_candidates(candidates)]
            for candidates in found
        ]

    def rule_matches(self, document: Document) -> list[tuple[int, int, str]]:
        """Return what each rule takes for an identifier in a document: start, end, and the rule's name.

        Also where a stronger rule wins, so that ``detect`` returns other words or none.
        """
        found = []
        for number, _ in self._prefilter.fires([document.plain_bytes]):
            scanner, read = self._scanners[number]
            for match in scanner.finditer(document.plain_bytes):
                found += [(one.start, one.end, self._names[number]) for one in read(document.plain, *match.span())]
        return sorted(found)


def _is_year_after(last_year: int, text: str, candidate: Candidate) -> bool:
    value = text[candidate.start : candidate.end]
    return candidate.entity is Entity.DATE and len(value) == 4 and value.isdigit() and int(value) > last_year


def _compile_setting(entity: Entity, position: int, expression: str) -> Any:
    try:
        return compile_trigger(fold_to_ascii(expression), captures=True)
    except re2.error as error:
        setting = f"detect.patterns.identifiers.{entity}[{position}]"
        raise SettingsError(f"{setting}: not a valid RE2 expression: {error}") from None


def _format_reader(scanner: Any, entity: Entity) -> CandidateReader:
    """Return the reader of an institution's own format."""
    group = 1 if scanner.groups else 0

    def read(text: str, start: int, end: int) -> Iterator[Candidate]:
        if group:
            match = scanner.search(text[start:end].encode("ascii"))
            low, high = match.span(group) if match else (-1, -1)
            start, end = (start + low, start + high) if low >= 0 else (start, end)
        if end > start:
            yield Candidate(start, end, entity, Strength.LABELLED)

    return read
