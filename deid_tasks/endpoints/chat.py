"""One question to a chat model: the request, the answer as a whole or as a stream, and what it cost."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from deid_tasks.endpoints.answers import AnswerError
from deid_tasks.endpoints.prompt_files import Message
from deid_tasks.endpoints.rest import EndpointError, RestClient
from deid_tasks.settings import EndpointSettings

_CONSTRAINTS = ("schema", "object", "none")
"""From the strictest on."""
_REFUSED_CONSTRAINT = frozenset({400, 404, 415, 422, 501})
"""Statuses of servers that do not know a response format."""
_MILLION = 1_000_000


class TruncatedAnswerError(AnswerError):
    """The model reached the longest answer that it may write."""


@dataclass(slots=True)
class TokenUsage:
    """What some requests used."""

    requests: int = 0
    tokens_in: int = 0
    tokens_cached: int = 0
    """Of ``tokens_in``, those that the server had cached."""
    tokens_out: int = 0
    is_counted: bool = True
    """Whether the server counted the tokens of every request."""

    def add(self, usage: Mapping[str, Any] | None) -> None:
        """Add the ``usage`` of one answer."""
        self.requests += 1
        counts = usage or {}
        tokens_in, tokens_out = counts.get("prompt_tokens"), counts.get("completion_tokens")
        if not isinstance(tokens_in, int) or not isinstance(tokens_out, int):
            self.is_counted = False
            return
        details = counts.get("prompt_tokens_details") or {}
        cached = details.get("cached_tokens") if isinstance(details, dict) else 0
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out
        self.tokens_cached += cached if isinstance(cached, int) else 0

    def merge(self, other: "TokenUsage") -> None:
        """Add what other requests used."""
        self.requests += other.requests
        self.tokens_in += other.tokens_in
        self.tokens_cached += other.tokens_cached
        self.tokens_out += other.tokens_out
        self.is_counted = self.is_counted and other.is_counted

    def dollars(self, settings: EndpointSettings) -> float | None:
        """Return the price; ``None`` if tokens or prices are not known."""
        price_in, price_out = settings.dollars_per_million_input, settings.dollars_per_million_output
        if not self.is_counted or price_in is None or price_out is None:
            return None
        price_cached = settings.dollars_per_million_cached
        price_cached = price_in if price_cached is None else price_cached
        fresh = self.tokens_in - self.tokens_cached
        return (fresh * price_in + self.tokens_cached * price_cached + self.tokens_out * price_out) / _MILLION


@dataclass(frozen=True, slots=True)
class _Completion:
    text: str
    is_truncated: bool
    usage: Mapping[str, Any] | None


class ChatClient:
    """Asks one model of one endpoint, from any number of threads."""

    def __init__(self, settings: EndpointSettings, api_key: str | None = None) -> None:
        """Open no connection yet.

        Args:
            settings: the endpoint and the model.
            api_key: the API key, none if empty; where ``None``, it is read from the settings' environment variable.

        Raises:
            SettingsError: The API key is missing.
        """
        key = settings.api_key() if api_key is None else api_key
        self._settings = settings
        self._rest = RestClient(
            settings.base_url,
            {"Authorization": f"Bearer {key}"} if key else {},
            timeout_seconds=settings.timeout_seconds,
            attempts=settings.attempts,
            max_wait_seconds=settings.max_wait_seconds,
            connections=settings.concurrency,
        )
        self._constraint: str = "schema" if settings.constraint == "auto" else settings.constraint
        self.address = self._rest.address
        """Scheme, host and port, without what may be secret."""

    def ask(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, usage: TokenUsage) -> str:
        """Return the text of the model's answer.

        Args:
            messages: The conversation.
            schema: JSON Schema of the answer; ``None`` for free text.
            usage: The request is added to it, also if the answer is of no use.

        Raises:
            EndpointError: The server did not answer, or refused.
            TruncatedAnswerError: The answer is cut off.
            AnswerError: The answer has no text.
        """
        completion = self._complete(messages, schema)
        usage.add(completion.usage)
        if completion.is_truncated:
            raise TruncatedAnswerError("the answer is cut off")
        if not completion.text.strip():
            raise AnswerError("the model answered with no text")
        return completion.text

    def _complete(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> _Completion:
        read = _read_stream if self._settings.is_streaming else _read_whole
        while True:
            constraint = self._constraint if schema else "none"
            try:
                return self._rest.post("chat/completions", self._body(messages, schema, constraint), read)
            except EndpointError as error:
                is_refused = error.status in _REFUSED_CONSTRAINT and constraint != "none"
                if not is_refused or self._settings.constraint != "auto":
                    raise
                # Another thread may have gone further by now.
                following = _CONSTRAINTS[_CONSTRAINTS.index(constraint) + 1]
                if self._constraint == constraint:
                    self._constraint = following

    def _body(self, messages: Sequence[Message], schema: Mapping[str, Any] | None, constraint: str) -> dict[str, Any]:
        settings = self._settings
        body: dict[str, Any] = {
            "model": settings.model,
            "messages": list(messages),
            settings.output_limit: settings.max_output_tokens,
        }
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if settings.seed is not None:
            body["seed"] = settings.seed
        if settings.is_streaming:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        if constraint == "schema":
            named = {"name": "answer", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif constraint == "object":
            body["response_format"] = {"type": "json_object"}
        return body


def _read_whole(response: httpx.Response) -> _Completion:
    response.read()
    record = _object(response.text)
    choice = _first_choice(record)
    if choice is None:
        raise AnswerError("the server's answer has no choice")
    message = choice.get("message")
    text = message.get("content") if isinstance(message, dict) else None
    usage = record.get("usage")
    is_truncated = choice.get("finish_reason") == "length"
    return _Completion(text if isinstance(text, str) else "", is_truncated, usage)


def _read_stream(response: httpx.Response) -> _Completion:
    """Read server-sent events; a stream that ends without a finish reason was cut off on its way."""
    parts: list[str] = []
    finish_reason: str | None = None
    usage: Mapping[str, Any] | None = None
    for line in response.iter_lines():
        data = line.removeprefix("data:").strip()
        if not line.startswith("data:") or data == "[DONE]":
            continue
        event = _object(data)
        usage = event.get("usage") or usage
        choice = _first_choice(event)
        if choice is None:
            continue
        delta = choice.get("delta")
        content = delta.get("content") if isinstance(delta, dict) else None
        parts.append(content if isinstance(content, str) else "")
        finish_reason = choice.get("finish_reason") or finish_reason
    if finish_reason is None:
        raise httpx.RemoteProtocolError("the stream ended before the answer did")
    is_truncated = finish_reason == "length"
    return _Completion("".join(parts), is_truncated, usage)


def _first_choice(record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    choices = record.get("choices")
    return choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None


def _object(text: str) -> dict[str, Any]:
    try:
        record = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        record = None
    if not isinstance(record, dict):
        # Outside the handler: the parser's error holds the whole text.
        raise AnswerError("the server's answer is not a JSON object")
    return record
