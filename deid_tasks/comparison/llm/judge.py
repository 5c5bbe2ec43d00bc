"""An LLM that decides about spans which other detectors propose and are uncertain of.

Only the sentence of such a span leaves, and everything else that was found in it is masked: the endpoint never sees a
whole note. A span that no usable answer came for is redacted. This is a function over text and spans, off unless it is
called; the engine does not call it.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import blake2b

from deid_tasks.comparison.llm.answer_cache import KeyedAnswerCache
from deid_tasks.comparison.llm.answers import AnswerError, read_decision
from deid_tasks.comparison.llm.chat import ChatClient, TokenUsage
from deid_tasks.comparison.llm.prompt_files import load_prompt
from deid_tasks.comparison.llm.settings import JudgeSettings
from deid_tasks.comparison.rest import EndpointError, sendable_text
from deid_tasks.core.errors import SettingsError
from deid_tasks.core.span import Span
from deid_tasks.engine.text.sentences import split_sentences


@dataclass(frozen=True, slots=True)
class JudgedSpans:
    """The spans to redact, sorted, and how they were decided."""

    spans: tuple[Span, ...]
    asked: int = 0
    """Spans that were asked about, answers of the cache included."""
    dropped: int = 0
    """Of these, spans that the model keeps in the text."""
    from_cache: int = 0
    failed: int = 0
    """Spans that are redacted because no usable answer came."""
    usage: TokenUsage = field(default_factory=TokenUsage)
    """Of the requests that were sent."""


@dataclass(frozen=True, slots=True)
class _Decision:
    is_redacted: bool
    is_cached: bool = False
    is_failed: bool = False
    usage: TokenUsage | None = None


class SpanJudge:
    """Decides about uncertain spans of any number of notes."""

    def __init__(self, settings: JudgeSettings) -> None:
        """Load the prompt and open the cache; no request is sent yet.

        Raises:
            SettingsError: The prompt does not exist or judges nothing, or a key is missing.
        """
        self._settings = settings
        self._prompt = load_prompt(settings.prompt)
        if self._prompt.form != "decision":
            raise SettingsError(f"prompt: {settings.prompt} finds spans; a judge needs a prompt that decides about one")
        self._chat = ChatClient(settings)
        decisive = f"{settings.model}\0{settings.temperature}\0{settings.seed}\0{self._prompt.digest}"
        self.version = blake2b(decisive.encode(), digest_size=16).hexdigest()
        cache = settings.cache
        self._cache = KeyedAnswerCache(cache.file, cache.key(), self.version) if cache else None

    def judge(self, text: str, proposals: Sequence[Span]) -> JudgedSpans:
        """Return the spans to redact.

        A proposal of ``max_score`` or above is redacted unasked, and one below ``min_score`` is dropped unasked.

        Args:
            text: The note.
            proposals: What detectors propose, with the scores of models; offsets in code points. Spans that are surely
                identifiers belong to them, for they are masked in the sentences that go out.
        """
        low, high = self._settings.min_score, self._settings.max_score
        certain = [span for span in proposals if span.score >= high]
        uncertain = [span for span in proposals if low <= span.score < high]
        if not uncertain:
            return JudgedSpans(tuple(sorted(certain)))
        text = sendable_text(text)
        sentences = split_sentences(text)
        questions = [
            masked_sentence(text, span, proposals, sentences, self._settings.max_sentence_characters)
            for span in uncertain
        ]
        with ThreadPoolExecutor(self._settings.concurrency) as pool:
            decisions = list(pool.map(self._decide, questions))
        redacted = [span for span, one in zip(uncertain, decisions, strict=True) if one.is_redacted]
        usage = TokenUsage()
        for one in decisions:
            if one.usage:
                usage.merge(one.usage)
        return JudgedSpans(
            tuple(sorted([*certain, *redacted])),
            asked=len(uncertain),
            dropped=len(uncertain) - len(redacted),
            from_cache=sum(one.is_cached for one in decisions),
            failed=sum(one.is_failed for one in decisions),
            usage=usage,
        )

    def _decide(self, question: str) -> _Decision:
        if self._cache and (known := self._cache.get(question)) is not None:
            return _Decision(bool(known), is_cached=True)
        usage = TokenUsage()
        try:
            answer = self._chat.ask(self._prompt.messages(question), self._prompt.schema(), usage)
            is_redacted = read_decision(answer)
        except (EndpointError, AnswerError):
            return _Decision(is_redacted=True, is_failed=True, usage=usage)
        if self._cache:
            self._cache.put(question, is_redacted)
        return _Decision(is_redacted, usage=usage)


def masked_sentence(
    text: str, asked: Span, found: Sequence[Span], sentences: Sequence[tuple[int, int]], max_characters: int
) -> str:
    """Return the sentence of a span, with the span as ``<<…>>`` and everything else that was found as ``[CATEGORY]``.

    Args:
        text: The note.
        asked: The span that is asked about; a sentence that it reaches beyond is extended to its end.
        found: All spans of the note, in any order.
        sentences: Bounds of the note's sentences.
        max_characters: A longer sentence is cut at both sides of the span, at word ends.
    """
    start = max((first for first, last in sentences if first <= asked.start < last), default=asked.start)
    end = min((last for first, last in sentences if first < asked.end <= last), default=asked.end)
    spare = max(0, max_characters - len(asked))
    if end - start > max_characters:
        start = _word_start(text, max(start, asked.start - spare // 2), asked.start)
        end = _word_end(text, asked.end, min(end, asked.end + spare // 2))
    parts, position = [], start
    for span in sorted(found, key=lambda one: (one.start, -one.end)):
        if span.end <= position or span.start >= end or span.start >= asked.start:
            continue
        parts += [text[position : max(position, span.start)], f"[{span.category}]"]
        position = min(span.end, asked.start)
    parts += [text[position : asked.start], f"<<{text[asked.start : asked.end]}>>"]
    position = asked.end
    for span in sorted(found, key=lambda one: (one.start, -one.end)):
        if span.end <= position or span.start >= end:
            continue
        parts += [text[position : max(position, span.start)], f"[{span.category}]"]
        position = max(position, min(span.end, end))
    return "".join([*parts, text[position:end]]).strip()


def _word_start(text: str, position: int, limit: int) -> int:
    """Return the first start of a word from ``position`` on, so that no word is cut."""
    while position < limit and position > 0 and not text[position - 1].isspace():
        position += 1
    return position


def _word_end(text: str, limit: int, position: int) -> int:
    while position > limit and position < len(text) and not text[position].isspace():
        position -= 1
    return position
