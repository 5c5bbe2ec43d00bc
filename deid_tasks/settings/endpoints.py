"""Where text of notes may go: addresses of services, what allows and what forbids another host, and their keys."""

import ipaddress
import os
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from deid_tasks.core.errors import SettingsError
from deid_tasks.settings.section import Section

FORBID_REMOTE_VARIABLE = "PALIMPSEST_FORBID_REMOTE_ENDPOINTS"
"""Environment variable of a deployment. While it is set, no settings allow an endpoint on another host."""
_NOT_FORBIDDEN = frozenset({"", "0", "false", "no", "off"})
_MIN_KEY_BYTES = 32


class EndpointSettings(Section):
    """A server that speaks ``/chat/completions``, and one of its models."""

    base_url: str = Field(
        default="http://127.0.0.1:8000/v1",
        description="Address of the API without /chat/completions: vLLM, llama.cpp's server, Ollama, or a hosted one.",
    )
    model: str = Field(min_length=1, description="Name of the model, as the server knows it.")
    api_key_variable: str = Field(
        default="", description="Environment variable that holds the API key; no key is sent if empty."
    )
    allow_remote: bool = Field(
        default=False,
        description="Whether text of notes may go to another host, which then needs https. The environment variable"
        f" {FORBID_REMOTE_VARIABLE} forbids it for all settings of a deployment.",
    )
    temperature: float | None = Field(
        default=0.0, ge=0, le=2, description="0 as in the published protocols; null for models that take none."
    )
    seed: int | None = Field(default=None, description="Sent where the server supports it.")
    max_output_tokens: int = Field(default=4_096, ge=1, description="Longest answer to one request.")
    output_limit: Literal["max_tokens", "max_completion_tokens"] = Field(
        default="max_tokens", description="What the server calls that limit; OpenAI's newer models take the second."
    )
    constraint: Literal["auto", "schema", "object", "none"] = Field(
        default="auto",
        description="How the server is made to answer in JSON: by schema, as any object, or by the prompt alone."
        " `auto` tries them in this order until the server accepts one.",
    )
    is_streaming: bool = Field(default=False, description="Whether answers are read as server-sent events.")
    timeout_seconds: float = Field(default=120.0, gt=0, description="Longest wait for a part of an answer.")
    attempts: int = Field(default=5, ge=1, le=20, description="How often one request is sent at most.")
    max_wait_seconds: float = Field(
        default=60.0, ge=0, description="Longest wait between two attempts, also where Retry-After asks for more."
    )
    concurrency: int = Field(default=4, ge=1, le=256, description="Requests at once.")
    dollars_per_million_input: float | None = Field(default=None, ge=0, description="Price of tokens sent.")
    dollars_per_million_cached: float | None = Field(
        default=None, ge=0, description="Price of tokens that the server had cached; as tokens sent if not given."
    )
    dollars_per_million_output: float | None = Field(default=None, ge=0, description="Price of tokens received.")

    @model_validator(mode="after")
    def _check_address(self) -> "EndpointSettings":
        try:
            check_endpoint(self.base_url, "base_url", allow_remote=self.allow_remote)
        except SettingsError as error:
            # As a ValueError, so that pydantic names the section and the reader of the file its line.
            raise ValueError(str(error)) from None
        return self

    def api_key(self) -> str:
        """Return the API key; empty if none is set.

        Raises:
            SettingsError: The environment variable is not set.
        """
        return secret_of(self.api_key_variable, "api_key_variable") if self.api_key_variable else ""


class AnswerCacheSettings(Section):
    """A file that remembers answers, so that no question is asked twice."""

    file: Path = Field(
        description="SQLite file on a local disk; it holds offsets, labels, decisions and counts under keyed hashes,"
        " and no text."
    )
    key_variable: str = Field(
        default="DEID_LLM_CACHE_KEY", description="Environment variable that holds the key, of 32 bytes or more."
    )

    def key(self) -> bytes:
        """Return the key; raises ``SettingsError`` if it is missing or short."""
        key = secret_of(self.key_variable, "cache.key_variable").encode()
        if len(key) < _MIN_KEY_BYTES:
            raise SettingsError(f"cache.key_variable: {self.key_variable} is shorter than {_MIN_KEY_BYTES} bytes")
        return key


def secret_of(variable: str, setting: str) -> str:
    """Return what an environment variable holds; raises ``SettingsError`` if it is not set."""
    value = os.environ.get(variable, "")
    if not value:
        raise SettingsError(f"{setting}: the environment variable {variable} is not set")
    return value


def is_loopback(url: str) -> bool:
    """Whether an address is of this host."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_remote_is_permitted(subject: str) -> None:
    """Refuse another host where the deployment forbids all of them, whatever the settings allow.

    Args:
        subject: The settings key and the host, for the message.

    Raises:
        SettingsError: The environment forbids it. A value that is not understood forbids it too.
    """
    if os.environ.get(FORBID_REMOTE_VARIABLE, "").strip().lower() not in _NOT_FORBIDDEN:
        raise SettingsError(
            f"{subject} is not this host, and {FORBID_REMOTE_VARIABLE} forbids other hosts in this deployment;"
            " no setting overrides it"
        )


def check_endpoint(url: str, setting: str, *, allow_remote: bool) -> None:
    """Refuse an address that is none, or that text of notes must not go to.

    Args:
        url: The address.
        setting: Its settings key, for the message.
        allow_remote: Whether hosts other than this one are allowed.

    Raises:
        SettingsError: The address is refused.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise SettingsError(f"{setting}: needs an address that begins with http:// or https://")
    if is_loopback(url):
        return
    check_remote_is_permitted(f"{setting}: {parts.hostname}")
    if not allow_remote:
        raise SettingsError(
            f"{setting}: {parts.hostname} is not this host, and text of notes would leave it;"
            " allow_remote: true allows that"
        )
    if parts.scheme != "https":
        raise SettingsError(f"{setting}: {parts.hostname} is another host; text of notes goes there by https:// alone")
