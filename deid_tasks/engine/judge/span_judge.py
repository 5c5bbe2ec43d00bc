"""An LLM as the judge of uncertain spans, behind an endpoint that speaks OpenAI's chat completions.

Only the sentence of such a span leaves, and everything else that was found in it is masked: the endpoint never sees a
whole note. A span that no usable answer came for is redacted. The engine and ``benchmarks.detection.judge`` use this.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b

from deid_tasks.core.errors import SettingsError
from deid_tasks.core.span import Span
from deid_tasks.endpoints.answer_cache import KeyedAnswerCache
from deid_tasks.endpoints.answers import AnswerError, read_decision
from deid_tasks.endpoints.chat import ChatClient, TokenUsage
from deid_tasks.endpoints.prompt_files import load_prompt
from deid_tasks.endpoints.rest import EndpointError, sendable_text
from deid_tasks.engine.failures import WithheldTexts
from deid_tasks.engine.judge.decisions import JudgeDecision, JudgedSpan, UncertainNote
from deid_tasks.engine.judge.masking import NoteMask
from deid_tasks.settings import JudgeSettings, Secrets
from deid_tasks.settings.endpoints import check_endpoint

_MAX_REMEMBERED = 200_000
"""Decisions that a process remembers, about 100 bytes each."""


@dataclass(frozen=True, slots=True)
class _Answer:
    decision: JudgeDecision
    is_cached: bool = False
    usage: TokenUsage | None = None
    reason: str = ""
    """Why it failed."""


class SpanJudge:
    """Decides about the uncertain spans of any number of notes.

    One question is asked once: a decision about a sentence holds for every note that the same sentence stands in, as
    long as the process lives, or as long as the cache's file does. It depends on the sentence alone, and so not on the
    order of notes.
    """

    def __init__(self, settings: JudgeSettings, secrets: Secrets | None = None) -> None:
        """Load the prompt; no file is opened, no secret read and no request sent before the first question.

        Args:
            settings: the endpoint, the model and the band.
            secrets: an institution's, where the settings name keys among them.

        Raises:
            SettingsError: The prompt does not exist or judges nothing, or the endpoint is forbidden.
        """
        # Settings may have been made elsewhere, as on the driver of a cluster.
        check_endpoint(settings.base_url, "judge.base_url", allow_remote=settings.allow_remote)
        self._settings, self._secrets = settings, secrets
        self._prompt = load_prompt(settings.prompt)
        if self._prompt.form != "decision":
            raise SettingsError(f"prompt: {settings.prompt} finds spans; a judge needs a prompt that decides about one")
        decisive = (
            settings.model,
            settings.temperature,
            settings.seed,
            settings.max_output_tokens,
            settings.constraint,
        )
        self.version = blake2b(f"{decisive}\0{self._prompt.digest}".encode(), digest_size=16).hexdigest()
        """Hash of what decides an answer: other answers of the cache are not used."""
        self.usage = TokenUsage()
        """Of all requests that were sent."""
        self._known = _Remembered()
        self._lock = threading.Lock()
        self._chat: ChatClient | None = None
        self._cache: KeyedAnswerCache | None = None
        self._failures_in_a_row = 0

    def __repr__(self) -> str:
        return f"SpanJudge({self._settings.model})"

    def __reduce__(self) -> tuple[type["SpanJudge"], tuple[JudgeSettings]]:
        # Connections, locks and secrets stay in their process.
        return SpanJudge, (self._settings,)

    @property
    def band(self) -> tuple[float, float]:
        """The scores of uncertain spans: from the first on, and below the second."""
        return self._settings.min_score, self._settings.max_score

    def decide(self, notes: Sequence[UncertainNote]) -> list[tuple[JudgedSpan, ...]]:
        """Return the decisions about the uncertain spans of each note, in the order given.

        Raises:
            EndpointError: ``max_failures_in_a_row`` spans in a row have no usable answer.
            SettingsError: A secret or an environment variable that holds a key is not set.
            StorageError: The cache's file cannot be used.
        """
        with WithheldTexts():
            asked = [list(self._questions(note)) for note in notes]
            answers = self._answers(list(dict.fromkeys(question for one in asked for _, question in one)))
            return [tuple(_judged(span, question, answers) for span, question in one) for one in asked]

    def _questions(self, note: UncertainNote) -> Iterator[tuple[Span, str]]:
        if not note.uncertain:
            return
        text = sendable_text(note.text)
        mask = NoteMask(text, note.sentences, note.found, self._settings.max_sentence_characters)
        for span in note.uncertain:
            yield span, mask.question(span)

    def _answers(self, questions: Sequence[str]) -> dict[str, _Answer]:
        """Return the answer to each question; the questions differ from each other."""
        answers = {question: known for question in questions if (known := self._lookup(question)) is not None}
        unknown = [question for question in questions if question not in answers]
        if not unknown:
            return answers
        chat = self._client()
        with ThreadPoolExecutor(self._settings.concurrency) as pool:
            futures = [pool.submit(self._ask, chat, question) for question in unknown]
            try:
                # In the order of the questions, so that what counts as in a row does not depend on the threads.
                for question, future in zip(unknown, futures, strict=True):
                    answers[question] = future.result()
                    self._count(answers[question], chat)
            except BaseException:
                for future in futures:
                    future.cancel()
                raise
        return answers

    def _client(self) -> ChatClient:
        with self._lock:
            if self._chat is None:
                self._chat = ChatClient(self._settings, self._settings.find_api_key(self._secrets))
            return self._chat

    def _lookup(self, question: str) -> _Answer | None:
        known = self._known.get(question)
        if known is None and (cache := self._opened_cache()) is not None:
            known = cache.get(question)
            if known is not None:
                self._known.put(question, is_redacted=bool(known))
        return None if known is None else _Answer(_decision(is_redacted=bool(known)), is_cached=True)

    def _opened_cache(self) -> KeyedAnswerCache | None:
        chosen = self._settings.cache
        if chosen is None:
            return None
        with self._lock:
            if self._cache is None:
                self._cache = KeyedAnswerCache(chosen.file, chosen.find_key(self._secrets), self.version)
            return self._cache

    def _ask(self, chat: ChatClient, question: str) -> _Answer:
        usage = TokenUsage()
        try:
            answer = chat.ask(self._prompt.messages(question), self._prompt.schema(), usage)
            is_redacted = read_decision(answer)
        except (EndpointError, AnswerError) as error:
            return _Answer(JudgeDecision.FAILED, usage=usage, reason=str(error))
        self._known.put(question, is_redacted=is_redacted)
        if (cache := self._opened_cache()) is not None:
            cache.put(question, is_redacted)
        return _Answer(_decision(is_redacted=is_redacted), usage=usage)

    def _count(self, answer: _Answer, chat: ChatClient) -> None:
        """Count tokens and failures in a row, and raise where these are too many."""
        with self._lock:
            if answer.usage:
                self.usage.merge(answer.usage)
            self._failures_in_a_row = self._failures_in_a_row + 1 if answer.reason else 0
            count = self._failures_in_a_row
            if count < self._settings.max_failures_in_a_row:
                return
            # Who tries again asks again.
            self._failures_in_a_row = 0
        raise EndpointError(
            f"judge: {count} questions in a row have no usable answer from {chat.address}, the last one because:"
            f" {answer.reason}; see judge.base_url and judge.model, or take the section judge out of the settings"
        )


class _Remembered:
    """Decisions under hashes of their questions, with a key of this process; the oldest are forgotten."""

    def __init__(self) -> None:
        self._key, self._lock = os.urandom(32), threading.Lock()
        self._decisions: dict[bytes, bool] = {}

    def get(self, question: str) -> bool | None:
        return self._decisions.get(self._digest(question))

    def put(self, question: str, *, is_redacted: bool) -> None:
        with self._lock:
            if len(self._decisions) >= _MAX_REMEMBERED:
                del self._decisions[next(iter(self._decisions))]
            self._decisions[self._digest(question)] = is_redacted

    def _digest(self, question: str) -> bytes:
        return blake2b(question.encode("utf-8", "surrogatepass"), key=self._key, digest_size=16).digest()


def _decision(*, is_redacted: bool) -> JudgeDecision:
    return JudgeDecision.REDACTED if is_redacted else JudgeDecision.KEPT


def _judged(span: Span, question: str, answers: dict[str, _Answer]) -> JudgedSpan:
    """Return the decision about a span; a question of several spans is paid for once, by the first."""
    answer = answers[question]
    usage = answer.usage
    if usage is None:
        return JudgedSpan(span, answer.decision, is_cached=answer.is_cached)
    answers[question] = _Answer(answer.decision, is_cached=answer.decision is not JudgeDecision.FAILED)
    tokens = (usage.tokens_in, usage.tokens_out) if usage.is_counted else (None, None)
    return JudgedSpan(span, answer.decision, is_cached=False, tokens_in=tokens[0], tokens_out=tokens[1])
