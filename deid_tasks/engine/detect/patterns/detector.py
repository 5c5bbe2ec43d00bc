"""The pattern detector: every rule that can fire over every note."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import re2

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import SettingsError
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.patterns import (
    ages,
    calendar_words,
    contacts,
    dates,
    full_names,
    ids,
    initials,
    institutions,
    mentions,
    names,
    occupations,
    organizations,
    places,
    rosters,
    signatures,
    streets,
    times,
    towns,
)
from deid_tasks.engine.detect.patterns.prefilter import Prefilter, compile_trigger
from deid_tasks.engine.detect.patterns.rule import Found, Reader, Rule, Strength
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.ascii import fold_to_ascii

RULES: tuple[Rule, ...] = (
    *dates.RULES,
    *calendar_words.RULES,
    *times.RULES,
    *ages.RULES,
    *contacts.RULES,
    *ids.RULES,
    *streets.RULES,
    *places.RULES,
    *names.RULES,
    *signatures.RULES,
    *initials.RULES,
    *rosters.RULES,
    *mentions.RULES,
    *organizations.RULES,
    *institutions.RULES,
    *towns.RULES,
    *occupations.RULES,
    *full_names.RULES,
)
"""What the detector knows, by subject."""


class PatternDetector:
    """Finds identifiers by their form and by the words around them; linear in the length of a note."""

    name = "patterns"

    def __init__(
        self, identifiers: Mapping[Entity, Sequence[str]] | None = None, reference_year: int | None = None
    ) -> None:
        """Compile the rules.

        Args:
            identifiers: the institution's own formats, RE2 by entity; where an expression has groups, the first is the span.
            reference_year: the year the notes were written in, if known: years on their own more than two later are no dates.

        Raises:
            SettingsError: an expression is no RE2; the text names its entity and position.
        """
        self._reference_year = reference_year
        triggers = [rule.trigger for rule in RULES]
        self._scanners: list[tuple[Any, Reader]] = [(compile_trigger(rule.trigger), rule.read) for rule in RULES]
        for entity, expressions in (identifiers or {}).items():
            for position, expression in enumerate(expressions):
                try:
                    scanner = compile_trigger(fold_to_ascii(expression), captures=True)
                except re2.error as error:
                    raise SettingsError(
                        f"detect.patterns.identifiers.{entity}[{position}]: no RE2 expression: {error}"
                    ) from None
                self._scanners.append((scanner, _own_format(scanner, entity)))
                triggers.append(fold_to_ascii(expression))
        self._prefilter = Prefilter(triggers)

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """The identifiers of each document, sorted and disjoint."""
        encoded = [document.plain_bytes for document in documents]
        found: list[list[Found]] = [[] for _ in documents]
        for number, firing in self._prefilter.fires(encoded):
            scanner, read = self._scanners[number]
            for place in firing:
                plain, here = documents[place].plain, found[place]
                for match in scanner.finditer(encoded[place]):
                    here.extend(read(plain, *match.span()))
        if self._reference_year is not None:
            found = [
                [one for one in here if not self._is_future(document.plain, one)]
                for document, here in zip(documents, found, strict=True)
            ]
        return [[Span(one.start, one.end, one.entity, self.name) for one in settle(here)] for here in found]

    def _is_future(self, text: str, found: Found) -> bool:
        value = text[found.start : found.end]
        year = self._reference_year
        return (
            year is not None
            and found.entity is Entity.DATE
            and len(value) == 4
            and value.isdigit()
            and int(value) > year + 2
        )


def _own_format(scanner: Any, entity: Entity) -> Reader:
    group = 1 if scanner.groups else 0

    def read(text: str, start: int, end: int) -> Iterator[Found]:
        if group:
            match = scanner.search(text[start:end].encode("ascii"))
            low, high = match.span(group) if match else (-1, -1)
            start, end = (start + low, start + high) if low >= 0 else (start, end)
        if end > start:
            yield Found(start, end, entity, Strength.LABELLED)

    return read


def settle(found: Sequence[Found]) -> list[Found]:
    """Of overlapping finds the surer, then the longer, then the earlier; O(n log n)."""
    settled: list[Found] = []
    cluster: list[Found] = []
    reach = -1
    for one in sorted(found):
        if one.start >= reach and cluster:
            settled.extend(_settle_cluster(cluster))
            cluster = []
        cluster.append(one)
        reach = max(reach, one.end)
    settled.extend(_settle_cluster(cluster))
    return settled


def _settle_cluster(cluster: list[Found]) -> list[Found]:
    if len(cluster) < 2:
        return cluster
    origin = cluster[0].start
    taken = bytearray(max(one.end for one in cluster) - origin)
    kept = []
    for one in sorted(cluster, key=lambda one: (-one.strength, one.start - one.end, one.start, one.entity)):
        low, high = one.start - origin, one.end - origin
        if taken.find(1, low, high) < 0:
            taken[low:high] = b"\x01" * (high - low)
            kept.append(one)
    return sorted(kept)
