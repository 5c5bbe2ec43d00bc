"""The neural pass over the sentences of notes: each distinct sentence is read once, and a cached one not at all."""

from collections import Counter
from collections.abc import Sequence

from deid_tasks.core.span import Span
from deid_tasks.engine.detect.inclusion import InclusionList
from deid_tasks.engine.detect.reader import Answer, Reader, TextSpan
from deid_tasks.engine.detect.sentence_cache import SentenceCache
from deid_tasks.engine.text import Document

INCLUDED = ":included"
"""Ends the name of a detector that reads the sentences of the inclusion list."""


class SentenceDetector:
    """A detector that gives distinct sentences to a reader, behind the inclusion list and the cache.

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

        Args:
            reader: the model or cascade that reads sentences.
            inclusion: sentences without PHI, which are not read.
            cache: answers of earlier calls.
            reads_included: read the sentences of the inclusion list and no others, to measure what the list leaves out.
        """
        self.reader, self.inclusion, self.cache = reader, inclusion, cache
        self._reads_included = reads_included
        self.name = f"{reader.name}{INCLUDED}" if reads_included else reader.name
        self.counts: Counter[str] = Counter()
        """Counts since the detector was built: ``sentences``; of these ``distinct`` ones in their batch; of these
        ``included``, ``cached`` and ``read``; and ``included_sentences``, repeats included."""

    def included(self) -> "SentenceDetector":
        """Return the detector of the sentences that this one leaves out."""
        return SentenceDetector(self.reader, self.inclusion, self.cache, reads_included=True)

    def uncached(self) -> "SentenceDetector":
        """Return the same detector without a cache."""
        return SentenceDetector(self.reader, self.inclusion, reads_included=self._reads_included)

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Return the spans of each document, sorted and disjoint."""
        sentences = [[(a, document.text[a:b]) for a, b in document.sentences] for document in documents]
        occurrences = Counter(text for one in sentences for _, text in one)
        found = self._find(occurrences)
        return [
            [
                Span(start + span.start, start + span.end, span.entity, self.name, span.score)
                for start, text in one
                for span in found[text]
            ]
            for one in sentences
        ]

    def _find(self, occurrences: "Counter[str]") -> dict[str, Sequence[TextSpan]]:
        """Return the spans of each distinct sentence."""
        included = {text for text in occurrences if text in self.inclusion} if self.inclusion is not None else set()
        found: dict[str, Sequence[TextSpan]] = dict.fromkeys(occurrences, ())
        wanted = list(included) if self._reads_included else [text for text in occurrences if text not in included]
        unread = self._look_up(wanted, found)
        if unread:
            answers = self.reader.read(unread)
            found.update((text, answer.spans) for text, answer in zip(unread, answers, strict=True))
            if self.cache is not None:
                self.cache.put(unread, answers)
        self.counts.update(
            sentences=occurrences.total(),
            distinct=len(occurrences),
            included=len(included),
            included_sentences=sum(occurrences[text] for text in included),
            cached=len(wanted) - len(unread),
            read=len(unread),
        )
        return found

    def _look_up(self, wanted: list[str], found: dict[str, Sequence[TextSpan]]) -> list[str]:
        """Add the cached answers to ``found``, and return the sentences that have none."""
        if self.cache is None or not wanted:
            return wanted
        unread: list[str] = []
        outdated: dict[str, Answer] = {}
        for text, known in zip(wanted, self.cache.get(wanted), strict=True):
            if known is None:
                unread.append(text)
            elif known.is_current:
                found[text] = known.answer.spans
            else:
                outdated[text] = known.answer
        if outdated:
            chosen = self._choose_again(self.cache, outdated)
            found.update((text, answer.spans) for text, answer in chosen.items())
            unread.extend(text for text in outdated if text not in chosen)
        return unread

    def _choose_again(self, cache: SentenceCache, outdated: dict[str, Answer]) -> dict[str, Answer]:
        """Return, and cache, the answers that today's rules choose without reading a text again."""
        again = self.reader.choose_again(list(outdated), list(outdated.values()))
        chosen = {text: answer for text, answer in zip(outdated, again, strict=True) if answer is not None}
        cache.put(list(chosen), list(chosen.values()))
        return chosen
