"""Settings of an LLM that finds identifiers: the endpoint, the prompt, and what a failure means."""

from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError, model_validator

from deid_tasks.core.errors import SettingsError
from deid_tasks.settings import AnswerCacheSettings, EndpointSettings

MAX_SHOTS = 10


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
            raise ValueError("overlap_characters: must be at most half of window_characters")
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
