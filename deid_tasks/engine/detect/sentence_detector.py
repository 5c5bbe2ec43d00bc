"""The neural pass: every distinct sentence is read once, and those known already not at all."""

from collections import Counter
from collections.abc import Sequence

from deid_tasks.core.span import Span
from deid_tasks.engine.detect.inclusion import InclusionList
from deid_tasks.engine.detect.reader import Reader, TextSpan
from deid_tasks.engine.detect.sentence_cache import SentenceCache
from deid_tasks.engine.text import Document

INCLUDED = ":included"
"""Ends the name of a detector that reads what the inclusion list leaves out."""


class SentenceDetector:
    """A reader as a detector, with the inclusion list and the cache in front of it.

    A note gets the same spans with the cache and without it, whatever batch it comes in.
    """

    def __init__(
        self,
        reader: Reader,
        inclusion: InclusionList | None = None,
        cache: SentenceCache | None = None,
        *,
        reads_included: bool = False,
    ) -> None:
        """Put ``inclusion`` and ``cache`` in front of ``reader``.

        With ``reads_included`` it reads the sentences of the inclusion list and no others: what the list keeps from the reader.
        """
        self.reader, self.inclusion, self.cache = reader, inclusion, cache
        self._reads_included = reads_included
        self.name = f"{reader.name}{INCLUDED}" if reads_included else reader.name
        self.counts: Counter[str] = Counter()
        """Since the detector was built: ``sentences``, ``distinct`` ones by batch, of these ``included``, ``cached`` and ``read``;
        ``included_sentences`` with repeats."""

    def included(self) -> "SentenceDetector":
        """The detector of what this one leaves out."""
        return SentenceDetector(self.reader, self.inclusion, self.cache, reads_included=True)

    def uncached(self) -> "SentenceDetector":
        """The same detector, which reads every sentence anew."""
        return SentenceDetector(self.reader, self.inclusion, reads_included=self._reads_included)

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """The spans of each document, in order and disjoint."""
        cut = [[(a, document.text[a:b]) for a, b in document.sentences] for document in documents]
        times = Counter(text for sentences in cut for _, text in sentences)
        found = self._find(times)
        return [
            [
                Span(a + one.start, a + one.end, one.entity, self.name, one.score)
                for a, text in sentences
                for one in found[text]
            ]
            for sentences in cut
        ]

    def _find(self, times: "Counter[str]") -> dict[str, Sequence[TextSpan]]:
        included = {text for text in times if text in self.inclusion} if self.inclusion is not None else set()
        found: dict[str, Sequence[TextSpan]] = dict.fromkeys(times, ())
        wanted = list(included) if self._reads_included else [text for text in times if text not in included]
        unread = wanted
        if self.cache is not None and wanted:
            unread = []
            for text, known in zip(wanted, self.cache.get(wanted), strict=True):
                if known is None:
                    unread.append(text)
                else:
                    found[text] = known
        if unread:
            answers = self.reader.read(unread)
            found.update(zip(unread, answers, strict=True))
            if self.cache is not None:
                self.cache.put(unread, answers)
        self.counts.update(
            sentences=times.total(),
            distinct=len(times),
            included=len(included),
            included_sentences=sum(times[text] for text in included),
            cached=len(wanted) - len(unread),
            read=len(unread),
        )
        return found
