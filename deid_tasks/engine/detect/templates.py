"""Templates: sentences whose words are known and whose identifiers vary.

An example is ``Electronically signed by: [PROVIDER:W, W W] on [DATE:N/N/N]``.

The templates are harvested from the engine's own output and approved by a person (Murugadoss et al. 2021,
"Autogenerating templates using statistical NER models"). All of them form one automaton over words, which is walked
once a sentence, however many there are.
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
"""Word classes, which replace the words of identifiers in a template: letters only, digits only, or both."""
_CLASS = "\0"
"""Marks a word class among a template's tokens."""
_TOKEN = re.compile(r"[^\W_]+|[^\s\w]|_")
TokenSpan = tuple[int, int, Entity]
"""First token, last token (exclusive), entity."""


def class_of(word: str) -> str:
    """Return the class of a word: ``W`` for letters only, ``N`` for digits only, ``A`` for both."""
    return LETTERS if word.isalpha() else DIGITS if word.isdecimal() else WORD


def tokens_of(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Yield ``(token, start, end)`` of the words and marks of ``text[start:end]``.

    A token begins with a blank if there is white space before it. All white space is equal, so that a line break inside
    a sentence changes nothing.
    """
    previous = start
    for match in _TOKEN.finditer(text, start, end):
        low, high = match.span()
        yield (" " if low > previous else "") + text[low:high], low, high
        previous = high


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence with the words of its identifiers replaced by classes; the ``repr`` shows no word."""

    tokens: tuple[str, ...] = field(repr=False)
    """Words and marks, with a blank in front where there is white space; the classes ``\\0W``, ``\\0N``, ``\\0A`` in
    identifiers."""
    identifiers: tuple[TokenSpan, ...]
    """Which tokens are identifiers, and of which entity; sorted and disjoint."""

    @classmethod
    def of(cls, text: str, start: int, end: int, spans: Sequence[Span]) -> "Template | None":
        """Return the template of the sentence ``text[start:end]``.

        Args:
            text: the note.
            start: start of the sentence.
            end: end of the sentence, exclusive.
            spans: the spans that touch the sentence, sorted and disjoint.

        Returns:
            ``None`` where a span cuts a word or leaves the sentence.
        """
        tokens = list(tokens_of(text, start, end))
        written = [token for token, _, _ in tokens]
        identifiers: list[TokenSpan] = []
        index = 0
        for span in spans:
            while index < len(tokens) and tokens[index][2] <= span.start:
                index += 1
            first = index
            while index < len(tokens) and tokens[index][2] <= span.end:
                index += 1
            if index == first or tokens[first][1] != span.start or tokens[index - 1][2] != span.end:
                return None
            identifiers.append((first, index, span.entity))
            written[first:index] = [_as_class(token) for token in written[first:index]]
        return cls(tuple(written), tuple(identifiers))

    @property
    def syntax(self) -> tuple[str, ...]:
        """The syntax template: what all sentences of one template have in common."""
        return self.tokens

    @property
    def labels(self) -> tuple[str, ...]:
        """The NER template: the IOB2 label of each word and mark."""
        found = ["O"] * len(self.tokens)
        for first, last, entity in self.identifiers:
            found[first:last] = [f"B-{entity}"] + [f"I-{entity}"] * (last - first - 1)
        return tuple(found)

    @property
    def literal_words(self) -> int:
        """How many of its words have two letters or more and are not a class."""
        words = (token.removeprefix(" ") for token in self.tokens)
        return sum(len(word) > 1 and word.isalpha() for word in words)

    @property
    def has_letters(self) -> bool:
        """Whether one of its identifiers may hold any letters."""
        return any(token.removeprefix(" ") in (_CLASS + LETTERS, _CLASS + WORD) for token in self.tokens)

    def shown(self) -> str:
        """Return the template as people read it."""
        begin = {first: entity for first, _, entity in self.identifiers}
        ends = {last for _, last, _ in self.identifiers}
        text = ""
        for index, token in enumerate(self.tokens):
            gap = " " if token.startswith(" ") else ""
            text += "]" if index in ends else ""
            text += gap + (f"[{begin[index]}:" if index in begin else "") + token.removeprefix(" ").removeprefix(_CLASS)
        return text + ("]" if len(self.tokens) in ends else "")

    def document(self) -> dict[str, Any]:
        """Return the template as a JSON object."""
        # The file format's key is "places"; approved templates on disk use it.
        return {"tokens": list(self.tokens), "places": [[first, last, str(e)] for first, last, e in self.identifiers]}

    @classmethod
    def of_document(cls, document: dict[str, Any]) -> "Template":
        """Return the template that ``document`` wrote."""
        identifiers = tuple((int(first), int(last), Entity(entity)) for first, last, entity in document["places"])
        return cls(tuple(document["tokens"]), identifiers)


def _as_class(token: str) -> str:
    """Return the token with its word replaced by the word's class; a mark stays as it is."""
    word = token.removeprefix(" ")
    return f"{token[: len(token) - len(word)]}{_CLASS}{class_of(word)}" if word.isalnum() else token


def version_of(templates: Iterable[Template]) -> str:
    """Return a hash of the templates, which does not depend on their order."""
    lines = sorted(json.dumps(template.document(), sort_keys=True) for template in templates)
    return sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


class _Node:
    """A state of the automaton: the states that follow by token, and the template that ends here."""

    __slots__ = ("children", "template")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.template: Template | None = None


class TemplateDetector:
    """Finds the identifiers of sentences that match a template from their first to their last word.

    Where a sentence matches several templates, the one with more literal words wins. The cost is linear in the length
    of a note: a sentence is left at the first word that no template continues with.
    """

    name = "templates"

    def __init__(self, templates: Iterable[Template]) -> None:
        self._root = _Node()
        for template in templates:
            node = self._root
            for token in template.tokens:
                node = node.children.setdefault(token, _Node())
            node.template = template

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Return the spans of each document, sorted and disjoint."""
        return [
            [span for start, end in document.sentences for span in self.read(document.text, start, end)]
            for document in documents
        ]

    def read(self, text: str, start: int, end: int) -> list[Span]:
        """Return the spans of the sentence ``text[start:end]``."""
        template, offsets = self._walk(text, start, end)
        if template is None:
            return []
        return [
            Span(offsets[first][0], offsets[last - 1][1], entity, self.name)
            for first, last, entity in template.identifiers
        ]

    def template_of(self, text: str, start: int, end: int) -> Template | None:
        """Return the template that the sentence ``text[start:end]`` matches."""
        return self._walk(text, start, end)[0]

    def _walk(self, text: str, start: int, end: int) -> tuple[Template | None, list[tuple[int, int]]]:
        """Return the template of a sentence, and the offsets of its tokens."""
        states = [self._root]
        offsets: list[tuple[int, int]] = []
        for token, low, high in tokens_of(text, start, end):
            keys = [token]
            word = token.removeprefix(" ")
            if word.isalnum():
                gap, kind = token[: len(token) - len(word)], class_of(word)
                keys += [f"{gap}{_CLASS}{one}" for one in dict.fromkeys((kind, WORD))]
            # The literal word is tried first, so the first template at the end is the one with more literal words.
            states = [node for state in states for key in keys if (node := state.children.get(key))]
            if not states:
                return None, offsets
            offsets.append((low, high))
        return next((state.template for state in states if state.template), None), offsets
