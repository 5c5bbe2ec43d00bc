"""The settings of an engine: everything that decides which spans are marked and what replaces them."""

from typing import Self

from pydantic import Field, model_validator

from deid_tasks.core.detectors import PUBLIC_DETECTORS
from deid_tasks.core.errors import SettingsError
from deid_tasks.settings.detection import DetectSettings, RecoverSettings
from deid_tasks.settings.judge import JudgeSettings
from deid_tasks.settings.merging import MergeSettings
from deid_tasks.settings.policy import PolicySettings, check_policy, named_policy
from deid_tasks.settings.rewriting import SecondSearchSettings, SurrogateSettings
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
    judge: JudgeSettings | None = Field(
        default=None,
        description="A large language model that keeps or redacts the spans which the models are uncertain of; nothing"
        " is asked, and nothing leaves the engine, if not given.",
    )
    policy: PolicySettings = PolicySettings()
    obfuscate: SurrogateSettings = SurrogateSettings()
    second_search: SecondSearchSettings = SecondSearchSettings()

    @model_validator(mode="after")
    def _policy_and_modes_agree(self) -> "EngineSettings":
        check_policy(self.policy, self.obfuscate)
        return self

    @classmethod
    def public(cls, policy: str | None = None) -> "EngineSettings":
        """Return the settings of the public engine: the detectors that need nothing of an institution.

        Args:
            policy: the name of a policy; ``expert`` if not given.

        Raises:
            SettingsError: there is no such policy.
        """
        return cls(detect=DetectSettings(detectors=PUBLIC_DETECTORS)).with_policy(policy)

    def with_outside_bias(self, bias: float) -> Self:
        """Return the same settings with ``outside_bias`` of every model, second stages too, set to ``bias``."""
        models = []
        for model in self.detect.transformers:
            second = model.second_stage and model.second_stage.model_copy(update={"outside_bias": bias})
            models.append(model.model_copy(update={"outside_bias": bias, "second_stage": second}))
        detect = self.detect.model_copy(update={"transformers": tuple(models)})
        return self.model_copy(update={"detect": detect})

    def with_policy(self, policy: str | None) -> Self:
        """Return the same settings under a policy of ``core.policies``; unchanged for ``None``.

        Raises:
            SettingsError: there is no such policy, or the section ``obfuscate`` contradicts it.
        """
        if policy is None:
            return self
        section = named_policy(policy)
        try:
            check_policy(section, self.obfuscate)
        except ValueError as error:
            raise SettingsError(f"policy {policy}: {error}") from None
        return self.model_copy(update={"policy": section})
