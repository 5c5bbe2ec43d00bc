"""What hangs on a model's doubt: whether a text would end up marked otherwise, if the words that the model doubts were identifiers."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from deid_tasks.core.span import Span
from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.detect.reader import TextSpan
from deid_tasks.engine.lexicon import Lexicon, default_lexicon
from deid_tasks.engine.resolve import settle_all
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.settings import MergeSettings, RecoverSettings


@dataclass(frozen=True)
class Stakes:
    """Compares what two answers for a text come to, once patterns, merging and recovery have had their say.

    Patterns and medical terms are those that come with the package, never an institution's: a model is asked by the text alone, and what
    is kept of its answers holds for every institution's dictionaries.
    """

    merge: MergeSettings
    recover: RecoverSettings
    patterns: PatternDetector | None
    lexicon: Lexicon = field(default_factory=default_lexicon)

    def differ(
        self, name: str, texts: Sequence[str], one: Sequence[Sequence[TextSpan]], other: Sequence[Sequence[TextSpan]]
    ) -> list[bool]:
        """Of each text, whether other words are marked with the answer ``one`` of the detector ``name`` than with ``other``."""
        documents = [Document("", text) for text in texts]
        rules = self.patterns.detect(documents) if self.patterns else [[] for _ in texts]
        marked = []
        for answers in (one, other):
            found = [
                {"patterns": known, name: [Span(f.start, f.end, f.entity, name, f.score) for f in answer]}
                for known, answer in zip(rules, answers, strict=True)
            ]
            marked.append([detection.spans for detection in settle_all(documents, found, self)])
        return [
            mark_words(words, first).keys() != mark_words(words, second).keys()
            for words, first, second in zip(map(split_words, texts), *marked, strict=True)
        ]
