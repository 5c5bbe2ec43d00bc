"""The settings of an engine: everything that decides which spans are marked and what replaces them."""

from pydantic import Field, model_validator

from deid_tasks.core.detectors import PUBLIC_DETECTORS
from deid_tasks.settings.detection import DetectSettings, RecoverSettings
from deid_tasks.settings.merging import MergeSettings
from deid_tasks.settings.rewriting import PolicySettings, SecondSearchSettings, SurrogateSettings, check_policy
from deid_tasks.settings.section import Section


class NoteLimits(Section):
    """Which notes are refused."""

    max_characters: int = Field(default=10_000_000, ge=1, description="A longer note is quarantined.")


class EngineSettings(Section):
    """The settings of an engine that belongs to no institution; an institution's settings extend them."""

    notes: NoteLimits = NoteLimits()
    detect: DetectSettings = DetectSettings()
    merge: MergeSettings = MergeSettings()
    recover: RecoverSettings = RecoverSettings()
    policy: PolicySettings = PolicySettings()
    obfuscate: SurrogateSettings = SurrogateSettings()
    second_search: SecondSearchSettings = SecondSearchSettings()

    @model_validator(mode="after")
    def _policy_and_modes_agree(self) -> "EngineSettings":
        check_policy(self.policy, self.obfuscate)
        return self

    @classmethod
    def public(cls) -> "EngineSettings":
        """Return the settings of the public engine: the detectors that need nothing of an institution."""
        return cls(detect=DetectSettings(detectors=PUBLIC_DETECTORS))
