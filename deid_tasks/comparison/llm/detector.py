"""An LLM that finds identifiers in notes, as a system of a comparison.

The protocols followed: Murugadoss et al. 2024 (zero-shot and one-shot, temperature 0, JSON by entity type, failed
documents counted) and Kuo et al. 2025 (up to 10 shots, a rewritten note, Levenshtein distance for text that the model
invented or dropped). Unlike the first, a failed note is not left out of the evaluation: it counts as missed, or as
redacted in whole, by setting.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from deid_tasks.comparison.llm.quotes import align_quotes, disjoint
from deid_tasks.comparison.llm.settings import DetectorSettings
from deid_tasks.comparison.llm.windows import text_windows
from deid_tasks.comparison.protocol import SystemAnswer, SystemNote, SystemSpan
from deid_tasks.comparison.redacted_text import align_redacted
from deid_tasks.core.errors import SettingsError
from deid_tasks.endpoints.answer_cache import KeyedAnswerCache
from deid_tasks.endpoints.answers import AnswerError, read_entities, read_rewritten
from deid_tasks.endpoints.chat import ChatClient, TokenUsage, TruncatedAnswerError
from deid_tasks.endpoints.prompt_files import REDACTED, load_prompt
from deid_tasks.endpoints.rest import EndpointError, sendable_text

_MIN_WINDOW_CHARACTERS = 200
"""A shorter part is not divided again when an answer is cut off."""
_TAG = re.compile(r"\[\s*(?:REDACTED|redacted|Redacted)[^\]\n]{0,40}\]")
_NOT_IN_VERSION = frozenset(
    {
        *("base_url", "api_key_variable", "allow_remote", "is_streaming", "timeout_seconds", "attempts"),
        *("max_wait_seconds", "concurrency", "cache", "on_failure"),
        *("dollars_per_million_input", "dollars_per_million_cached", "dollars_per_million_output"),
    }
)
"""Settings that decide no answer."""


@dataclass(slots=True)
class _Reading:
    """What was found in one note so far."""

    spans: list[SystemSpan] = field(default_factory=list)
    usage: TokenUsage = field(default_factory=TokenUsage)
    counts: Counter[str] = field(default_factory=Counter)


class LlmDetector:
    """An LLM behind an endpoint, as ``protocol.System``."""

    name = "llm"

    def __init__(self, settings: DetectorSettings) -> None:
        """Load the prompt and open the cache; no request is sent yet.

        Raises:
            SettingsError: The prompt does not exist or finds nothing, or a key is missing.
        """
        self._settings = settings
        self._prompt = load_prompt(settings.prompt)
        if self._prompt.form == "decision":
            raise SettingsError(f"prompt: {settings.prompt} judges spans; a detector needs a prompt that finds them")
        self._chat = ChatClient(settings)
        digest = _digest_of(settings, self._prompt.digest)
        self.version = f"{settings.model} {settings.prompt} {settings.shots}-shot {digest[:12]}"
        self.window = settings.concurrency
        cache = settings.cache
        self._cache = KeyedAnswerCache(cache.file, cache.key(), digest) if cache else None

    def find(self, note: SystemNote) -> SystemAnswer:
        """Return the identifiers of one note, with tokens, dollars and these counts as details:

        ``requests``, ``tokens_cached``; ``unaligned_quotes``, ``similar_quotes``, ``unknown_labels`` and
        ``malformed_values`` of JSON answers; ``edit_distance`` and ``lost_tags`` of rewritten notes; ``divided`` for
        answers that were cut off and asked for again in two parts; ``failed`` for a note that was redacted in whole;
        ``from_cache`` for an answer of an earlier run, whose tokens and dollars are those of that run.
        """
        if self._cache and (known := self._cache.get(note.text)):
            return _answer_of(note.id, known)
        reading = _Reading()
        error: str | None = None
        text = sendable_text(note.text)
        try:
            for start, end in text_windows(text, self._settings.window_characters, self._settings.overlap_characters):
                self._read(text, start, end, reading)
        except (EndpointError, AnswerError) as failure:
            error = type(failure).__name__
        if error is None:
            record = self._record(reading, disjoint(reading.spans))
            if self._cache:
                self._cache.put(note.text, record)
            return _answer_of(note.id, record, is_cached=False)
        if self._settings.on_failure == "redact":
            reading.counts["failed"] += 1
            redacted = (SystemSpan(0, len(note.text), REDACTED),)
            return _answer_of(note.id, self._record(reading, redacted), is_cached=False)
        return _answer_of(note.id, self._record(reading, ()), error, is_cached=False)

    def _read(self, text: str, start: int, end: int, reading: _Reading) -> None:
        """Add what the model finds in one part of a note; a part whose answer is cut off is divided."""
        part = text[start:end]
        if not part.strip():
            return
        messages = self._prompt.messages(part, self._settings.shots)
        try:
            answer = self._chat.ask(messages, self._prompt.schema(), reading.usage)
        except TruncatedAnswerError:
            if len(part) < 2 * _MIN_WINDOW_CHARACTERS:
                raise
            reading.counts["divided"] += 1
            half = len(part) * 2 // 3
            overlap = min(self._settings.overlap_characters, half // 4)
            for first, last in text_windows(part, half, overlap):
                self._read(text, start + first, start + last, reading)
            return
        found = self._read_rewritten(part, answer, reading) if self._prompt.form == "rewrite" else None
        spans = self._read_quotes(part, answer, reading) if found is None else found
        reading.spans += [SystemSpan(one.start + start, one.end + start, one.label) for one in spans]

    def _read_quotes(self, part: str, answer: str, reading: _Reading) -> tuple[SystemSpan, ...]:
        entities = read_entities(answer, self._prompt.labels)
        aligned = align_quotes(part, entities.quotes, self._settings.min_similarity)
        reading.counts["unaligned_quotes"] += aligned.unaligned
        reading.counts["similar_quotes"] += aligned.similar
        reading.counts["unknown_labels"] += entities.unknown_labels
        reading.counts["malformed_values"] += entities.malformed
        return aligned.spans

    def _read_rewritten(self, part: str, answer: str, reading: _Reading) -> tuple[SystemSpan, ...]:
        aligned = align_redacted(part, read_rewritten(answer), _TAG, lambda _: REDACTED)
        reading.counts["edit_distance"] += aligned.edit_distance
        reading.counts["lost_tags"] += aligned.lost_tags
        return tuple(SystemSpan(one.start, one.end, REDACTED) for one in aligned.tagged)

    def _record(self, reading: _Reading, spans: tuple[SystemSpan, ...]) -> dict[str, Any]:
        """Return an answer as JSON values without text."""
        usage = reading.usage
        details = {"requests": usage.requests, "tokens_cached": usage.tokens_cached, **reading.counts}
        return {
            "spans": [(span.start, span.end, span.label) for span in spans],
            "tokens_in": usage.tokens_in if usage.is_counted else None,
            "tokens_out": usage.tokens_out if usage.is_counted else None,
            "dollars": usage.dollars(self._settings),
            "details": details,
        }


def _answer_of(
    note_id: str, record: Mapping[str, Any], error: str | None = None, *, is_cached: bool = True
) -> SystemAnswer:
    details = {**record["details"], "from_cache": 1} if is_cached else record["details"]
    return SystemAnswer(
        note_id,
        tuple(SystemSpan(start, end, label) for start, end, label in record["spans"]),
        error=error,
        tokens_in=record["tokens_in"],
        tokens_out=record["tokens_out"],
        dollars=record["dollars"],
        details=details,
    )


def _digest_of(settings: DetectorSettings, prompt_digest: str) -> str:
    """Return a hash of everything that decides an answer, the model's weights excepted."""
    decisive = settings.model_dump_json(exclude=set(_NOT_IN_VERSION))
    return blake2b(f"{prompt_digest}\0{decisive}".encode(), digest_size=16).hexdigest()
