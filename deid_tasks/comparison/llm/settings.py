"""Settings of an LLM in a comparison: the endpoint, the prompt, and what a failure means."""

import os
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError, model_validator

from deid_tasks.comparison.rest import check_endpoint
from deid_tasks.core.errors import SettingsError
from deid_tasks.settings.section import Section

MAX_SHOTS = 10
MIN_KEY_BYTES = 32


class EndpointSettings(Section):
    """A server that speaks ``/chat/completions``, and one of its models."""

    base_url: str = Field(
        default="http://127.0.0.1:8000/v1",
        description="Address of the API without /chat/completions: vLLM, llama.cpp's server, Ollama, or a hosted one.",
    )
    model: str = Field(description="Name of the model, as the server knows it.")
    api_key_variable: str = Field(
        default="", description="Environment variable that holds the API key; no key is sent if empty."
    )
    allow_remote: bool = Field(
        default=False, description="Whether text of notes may go to another host, which then needs https."
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
    concurrency: int = Field(default=4, ge=1, le=256, description="Notes in work at once.")
    dollars_per_million_input: float | None = Field(default=None, ge=0, description="Price of tokens sent.")
    dollars_per_million_cached: float | None = Field(
        default=None, ge=0, description="Price of tokens that the server had cached; as tokens sent if not given."
    )
    dollars_per_million_output: float | None = Field(default=None, ge=0, description="Price of tokens received.")

    @model_validator(mode="after")
    def _check_address(self) -> "EndpointSettings":
        check_endpoint(self.base_url, "base_url", allow_remote=self.allow_remote)
        return self

    def api_key(self) -> str:
        """Return the API key; empty if none is set.

        Raises:
            SettingsError: The environment variable is not set.
        """
        return secret_of(self.api_key_variable, "api_key_variable") if self.api_key_variable else ""


class AnswerCacheSettings(Section):
    """A file that remembers answers, so that a comparison can be interrupted and resumed."""

    file: Path = Field(description="SQLite file; it holds offsets, labels and counts under keyed hashes, and no text.")
    key_variable: str = Field(
        default="DEID_LLM_CACHE_KEY", description="Environment variable that holds the key, of 32 bytes or more."
    )

    def key(self) -> bytes:
        """Return the key; raises ``SettingsError`` if it is missing or short."""
        key = secret_of(self.key_variable, "cache.key_variable").encode()
        if len(key) < MIN_KEY_BYTES:
            raise SettingsError(f"cache.key_variable: {self.key_variable} is shorter than {MIN_KEY_BYTES} bytes")
        return key


class DetectorSettings(EndpointSettings):
    """An LLM that finds identifiers."""

    prompt: str = Field(
        default="identifiers-1",
        description="`identifiers-1`: JSON of this platform's labels; `published-1`: JSON of the 15 labels of"
        " Murugadoss et al. 2024; `rewrite-1`: the note again, with identifiers replaced.",
    )
    shots: int = Field(default=0, ge=0, le=MAX_SHOTS, description="Examples in the prompt; published are 0, 1, 5, 10.")
    window_characters: int = Field(default=12_000, ge=200, description="Longest part of a note in one request.")
    overlap_characters: int = Field(default=300, ge=0, description="What two parts of a long note share.")
    min_similarity: float = Field(
        default=85.0,
        ge=50,
        le=100,
        description="Of a quote to the text that it is aligned with, if not there exactly.",
    )
    on_failure: Literal["miss", "redact"] = Field(
        default="miss",
        description="A note without a usable answer counts as missed in whole, or is redacted in whole.",
    )
    cache: AnswerCacheSettings | None = None

    @model_validator(mode="after")
    def _check_windows(self) -> "DetectorSettings":
        if self.overlap_characters * 2 > self.window_characters:
            raise SettingsError("overlap_characters: must be at most half of window_characters")
        return self


class JudgeSettings(EndpointSettings):
    """An LLM that keeps or redacts spans which other detectors propose."""

    prompt: str = Field(default="judge-1", description="Name of the prompt.")
    min_score: float = Field(default=0.05, ge=0, le=1, description="A span below this score is dropped unasked.")
    max_score: float = Field(default=0.9, ge=0, le=1, description="A span of this score or above is redacted unasked.")
    max_sentence_characters: int = Field(
        default=600, ge=50, description="A longer sentence is cut around the span before it is sent."
    )
    cache: AnswerCacheSettings | None = None

    @model_validator(mode="after")
    def _check_band(self) -> "JudgeSettings":
        if self.min_score >= self.max_score:
            raise SettingsError("min_score: must be below max_score")
        return self


def detector_settings(options: Any) -> DetectorSettings:
    """Return the settings in the options of a comparison: the settings themselves, or the path of a YAML file of them.

    Raises:
        SettingsError: A setting is missing, unknown or invalid; the text names it.
    """
    if "settings" in options:
        path = Path(options["settings"])
        try:
            options = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        except OSError as error:
            raise SettingsError(f"{path}: cannot be read: {error.strerror}") from None
        except yaml.YAMLError:
            raise SettingsError(f"{path}: is not valid YAML") from None
    try:
        return DetectorSettings.model_validate(options)
    except ValidationError as error:
        found = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        raise SettingsError(f"settings of the LLM: {found}") from None


def secret_of(variable: str, setting: str) -> str:
    """Return what an environment variable holds; raises ``SettingsError`` if it is not set."""
    value = os.environ.get(variable, "")
    if not value:
        raise SettingsError(f"{setting}: the environment variable {variable} is not set")
    return value
