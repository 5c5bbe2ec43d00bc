"""Requests to services over HTTP: repeated with back-off where that can help, and without text in any error.

A body of a request or of an answer holds text of notes. No exception of this module quotes one, and none keeps the
exception that it was raised for.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
import tenacity

from deid_tasks.core.errors import DeidError
from deid_tasks.settings.endpoints import check_remote_is_permitted, is_loopback

T = TypeVar("T")

_PASSING_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
"""Statuses after which the same request may succeed; 529 is sent by servers under load."""
_MIN_WAIT_SECONDS = 0.5


class EndpointError(DeidError):
    """A service did not answer, or answered with an error; the text names host, status and attempts."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class _TryAgainError(Exception):
    """A failure that may pass; ``wait_seconds`` is what the server asked for."""

    def __init__(self, reason: str, status: int | None = None, wait_seconds: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.status, self.wait_seconds = reason, status, wait_seconds


class RestClient:
    """Posts JSON to one service, from any number of threads."""

    def __init__(
        self,
        base_url: str,
        headers: Mapping[str, str],
        *,
        timeout_seconds: float = 120.0,
        attempts: int = 5,
        max_wait_seconds: float = 60.0,
        connections: int = 8,
    ) -> None:
        """Open no connection yet.

        Args:
            base_url: The address that paths are appended to.
            headers: Sent with each request, credentials among them.
            timeout_seconds: Of a connection, and between two parts of an answer.
            attempts: How often a request is sent at most.
            max_wait_seconds: The longest wait between two attempts, also where the server asks for a longer one.
            connections: Open at once.

        Raises:
            SettingsError: The address is of another host, and the deployment forbids these.
        """
        parts = urlsplit(base_url)
        self.host = parts.hostname or ""
        self.address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        is_here = is_loopback(base_url)
        if not is_here:
            check_remote_is_permitted(self.host)
        self._attempts, self._max_wait_seconds = attempts, max_wait_seconds
        self._back_off = tenacity.wait_random_exponential(multiplier=_MIN_WAIT_SECONDS, max=max_wait_seconds)
        self._client = httpx.Client(
            base_url=base_url.rstrip("/") + "/",
            headers=dict(headers),
            timeout=timeout_seconds,
            limits=httpx.Limits(max_connections=connections),
            # A proxy of the environment must not see what stays on this host.
            trust_env=not is_here,
        )

    def __repr__(self) -> str:
        return f"RestClient({self.host})"

    def post(
        self,
        path: str,
        body: Mapping[str, Any],
        read: Callable[[httpx.Response], T],
        query: Mapping[str, str] | None = None,
    ) -> T:
        """Send one request, repeat it while its failure may pass, and return what ``read`` makes of the answer.

        Args:
            path: Below the base address.
            body: Sent as JSON.
            read: Reads an answer of status 200, whose body has not been read yet.
            query: Parameters of the address.

        Raises:
            EndpointError: The service cannot be reached, or refuses the request.
        """
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(_TryAgainError),
            stop=tenacity.stop_after_attempt(self._attempts),
            wait=self._wait_seconds,
            reraise=True,
        )
        try:
            answer: T = retrying(self._send, path, body, read, query)
        except _TryAgainError as error:
            failed = f"{self.host}: {error.reason}, {self._attempts} attempts"
            status = error.status
        else:
            return answer
        raise EndpointError(failed, status)

    def _send(
        self, path: str, body: Mapping[str, Any], read: Callable[[httpx.Response], T], query: Mapping[str, str] | None
    ) -> T:
        try:
            with self._client.stream("POST", path, json=body, params=query) as response:
                if response.status_code == httpx.codes.OK:
                    return read(response)
                status = response.status_code
                wait_seconds = seconds_of(response.headers.get("retry-after", ""))
        except httpx.RequestError as error:
            raise _TryAgainError(type(error).__name__) from None
        if status in _PASSING_STATUS:
            raise _TryAgainError(f"status {status}", status, wait_seconds)
        raise EndpointError(f"{self.host}: status {status}", status)

    def _wait_seconds(self, state: tenacity.RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.wait_seconds if isinstance(error, _TryAgainError) else None
        return self._back_off(state) if asked is None else min(asked, self._max_wait_seconds)


def sendable_text(text: str) -> str:
    """Return the text with ``?`` in the place of each lone surrogate, which UTF-8 cannot encode; lengths are equal."""
    return text.encode("utf-8", "replace").decode("utf-8")


def seconds_of(retry_after: str) -> float | None:
    """Return the seconds that a Retry-After header asks for, which holds seconds or a date; ``None`` if neither."""
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
