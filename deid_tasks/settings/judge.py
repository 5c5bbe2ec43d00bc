"""Settings of the judge: a large language model that keeps or redacts spans which the models are uncertain of."""

from pydantic import Field, model_validator

from deid_tasks.core.errors import SettingsError
from deid_tasks.settings.endpoints import AnswerCacheSettings, EndpointSettings
from deid_tasks.settings.secrets import Secrets
from deid_tasks.settings.section import Name


class JudgeCacheSettings(AnswerCacheSettings):
    """A file that remembers the judge's decisions."""

    key_secret: Name | None = Field(
        default=None,
        description="Name of the secret that holds the key (base64), for an institution's engine; `key_variable` is"
        " read if not given.",
    )

    def find_key(self, secrets: Secrets | None = None) -> bytes:
        """Return the key.

        Args:
            secrets: an institution's, where the key is one of them.

        Raises:
            SettingsError: It is missing or short, or secrets cannot be read here.
        """
        if self.key_secret is None:
            return self.key()
        return _readable(secrets, "cache.key_secret").key(self.key_secret)


class JudgeSettings(EndpointSettings):
    """An LLM that keeps or redacts uncertain spans; it sees their sentences, with everything else masked."""

    prompt: str = Field(default="judge-1", description="Name of the prompt, a folder of deid_tasks/endpoints/prompts.")
    min_score: float = Field(
        default=0.05, ge=0, le=1, description="A span below this score is redacted unasked, as without a judge."
    )
    max_score: float = Field(default=0.9, ge=0, le=1, description="A span of this score or above is redacted unasked.")
    max_sentence_characters: int = Field(
        default=600, ge=50, description="A longer sentence is cut around the span before it is sent."
    )
    timeout_seconds: float = Field(default=60.0, gt=0, description="Longest wait for a part of an answer.")
    attempts: int = Field(default=3, ge=1, le=20, description="How often one request is sent at most.")
    concurrency: int = Field(default=4, ge=1, le=256, description="Questions at once, of each process.")
    max_failures_in_a_row: int = Field(
        default=10,
        ge=1,
        description="A span without a usable answer is redacted. After so many of them in a row the shard fails, and"
        " is tried again.",
    )
    api_key_secret: Name | None = Field(
        default=None,
        description="Name of the secret that holds the API key, for an institution's engine; `api_key_variable` is read"
        " if not given.",
    )
    cache: JudgeCacheSettings | None = Field(
        default=None,
        description="Remembers decisions across runs; without it each process remembers its own.",
    )

    def find_api_key(self, secrets: Secrets | None = None) -> str:
        """Return the API key; empty if none is set.

        Args:
            secrets: an institution's, where the key is one of them.

        Raises:
            SettingsError: The secret or the environment variable is not set, or secrets cannot be read here.
        """
        if self.api_key_secret is None:
            return self.api_key()
        return _readable(secrets, "api_key_secret").text(self.api_key_secret)

    @model_validator(mode="after")
    def _check_band(self) -> "JudgeSettings":
        if self.min_score >= self.max_score:
            raise ValueError("min_score: must be below max_score")
        return self


def _readable(secrets: Secrets | None, setting: str) -> Secrets:
    if secrets is None:
        variable = setting.replace("_secret", "_variable")
        raise SettingsError(
            f"judge.{setting} names a secret of an institution, and none can be read here; name an environment variable"
            f" in judge.{variable} in its place"
        )
    return secrets
