"""Sentences whose words are known and whose identifiers are not: ``Electronically signed by: [PROVIDER:W, W W] on [DATE:N/N/N]``.

The rules are harvested from the ensemble's own output and verified by a person (Murugadoss et al. 2021, "Autogenerating templates
using statistical NER models"). All of them are one automaton over words, walked once a sentence, however many there are.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.text import Document

LETTERS, DIGITS, WORD = "W", "N", "A"
"""What stands in a syntax template in the place of a detected word: letters only, digits only, or both."""
_CLASS = "\0"
_TOKEN = re.compile(r"[^\W_]+|[^\s\w]|_")
Place = tuple[int, int, Entity]
"""First word, last word (exclusive), entity."""


def class_of(word: str) -> str:
    """``W`` for letters only, ``N`` for digits only, ``A`` for both."""
    return LETTERS if word.isalpha() else DIGITS if word.isdecimal() else WORD


def tokens_of(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """``(token, start, end)`` of a sentence's words and marks; a blank before the token says that white space is before it.

    Any white space is the same, so that a line break inside a sentence changes nothing.
    """
    previous = start
    for match in _TOKEN.finditer(text, start, end):
        low, high = match.span()
        yield (" " if low > previous else "") + text[low:high], low, high
        previous = high


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence with its identifiers taken out. ``repr`` shows their entities only: a sentence may name a place."""

    tokens: tuple[str, ...] = field(repr=False)
    """Words and marks, with a blank in front where white space is; the classes ``\\0W``, ``\\0N``, ``\\0A`` where identifiers stood."""
    places: tuple[Place, ...]

    @classmethod
    def of(cls, text: str, start: int, end: int, spans: Sequence[Span]) -> "Template | None":
        """The template of one sentence; ``None`` where a span cuts a word, or leaves the sentence.

        ``spans`` are those that touch the sentence, sorted and disjoint.
        """
        tokens = list(tokens_of(text, start, end))
        written = [token for token, _, _ in tokens]
        places: list[Place] = []
        index = 0
        for span in spans:
            while index < len(tokens) and tokens[index][2] <= span.start:
                index += 1
            first = index
            while index < len(tokens) and tokens[index][2] <= span.end:
                index += 1
            if index == first or tokens[first][1] != span.start or tokens[index - 1][2] != span.end:
                return None
            places.append((first, index, span.entity))
            for place in range(first, index):
                word = written[place].removeprefix(" ")
                if word.isalnum():
                    gap = " " if written[place].startswith(" ") else ""
                    written[place] = f"{gap}{_CLASS}{class_of(word)}"
        return cls(tuple(written), tuple(places))

    @property
    def syntax(self) -> tuple[str, ...]:
        """The syntax template: what sentences must share to be instances of one rule."""
        return self.tokens

    @property
    def labels(self) -> tuple[str, ...]:
        """The NER template: the IOB2 label of each word and mark."""
        found = ["O"] * len(self.tokens)
        for first, last, entity in self.places:
            found[first:last] = [f"B-{entity}"] + [f"I-{entity}"] * (last - first - 1)
        return tuple(found)

    @property
    def literal_words(self) -> int:
        """How many words of two letters or more stand in it as they are."""
        words = (token.removeprefix(" ") for token in self.tokens)
        return sum(len(word) > 1 and word.isalpha() for word in words)

    @property
    def has_letters(self) -> bool:
        """Whether any letters may stand somewhere in it."""
        return any(token.removeprefix(" ") in (_CLASS + LETTERS, _CLASS + WORD) for token in self.tokens)

    def shown(self) -> str:
        """The rule as a person reads it."""
        begin = {first: entity for first, _, entity in self.places}
        ends = {last for _, last, _ in self.places}
        text = ""
        for index, token in enumerate(self.tokens):
            gap = " " if token.startswith(" ") else ""
            text += "]" if index in ends else ""
            text += gap + (f"[{begin[index]}:" if index in begin else "") + token.removeprefix(" ").removeprefix(_CLASS)
        return text + ("]" if len(self.tokens) in ends else "")

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {"tokens": list(self.tokens), "places": [[first, last, str(e)] for first, last, e in self.places]}

    @classmethod
    def of_document(cls, document: dict[str, Any]) -> "Template":
        """What ``document`` wrote."""
        places = tuple((int(first), int(last), Entity(entity)) for first, last, entity in document["places"])
        return cls(tuple(document["tokens"]), places)


def version_of(templates: Iterable[Template]) -> str:
    """Hash of the rules, whatever their order."""
    lines = sorted(json.dumps(template.document(), sort_keys=True) for template in templates)
    return sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


class _Node:
    __slots__ = ("children", "rule")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.rule: Template | None = None


class TemplateDetector:
    """Finds the identifiers of sentences that follow a rule from their first to their last word.

    Where a sentence follows several, the one with more words of its own counts. Linear in the length of a note: a sentence is left at
    the first word with which no rule goes on.
    """

    name = "templates"

    def __init__(self, templates: Iterable[Template]) -> None:
        self._root = _Node()
        for template in templates:
            node = self._root
            for token in template.tokens:
                node = node.children.setdefault(token, _Node())
            node.rule = template

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """The spans of each document, sorted and disjoint."""
        return [
            [span for start, end in document.sentences for span in self.read(document.text, start, end)]
            for document in documents
        ]

    def read(self, text: str, start: int, end: int) -> list[Span]:
        """The spans of one sentence."""
        rule, offsets = self._walk(text, start, end)
        if rule is None:
            return []
        return [Span(offsets[first][0], offsets[last - 1][1], entity, self.name) for first, last, entity in rule.places]

    def rule_of(self, text: str, start: int, end: int) -> Template | None:
        """The rule that one sentence follows."""
        return self._walk(text, start, end)[0]

    def _walk(self, text: str, start: int, end: int) -> tuple[Template | None, list[tuple[int, int]]]:
        states = [self._root]
        offsets: list[tuple[int, int]] = []
        for token, low, high in tokens_of(text, start, end):
            keys = [token]
            word = token.removeprefix(" ")
            if word.isalnum():
                gap, kind = token[: len(token) - len(word)], class_of(word)
                keys += [f"{gap}{_CLASS}{one}" for one in dict.fromkeys((kind, WORD))]
            # What stands as it is comes first, so the first rule at the end is the one with more words of its own.
            states = [node for state in states for key in keys if (node := state.children.get(key))]
            if not states:
                return None, offsets
            offsets.append((low, high))
        return next((state.rule for state in states if state.rule), None), offsets
