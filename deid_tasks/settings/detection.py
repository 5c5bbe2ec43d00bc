"""Settings of detection: which detectors run, the institution's own rules, and the sentence cache."""

from typing import Literal

from pydantic import Field, field_validator, model_validator

from deid_tasks.core.detectors import RUN_ORDER, DetectorName
from deid_tasks.core.entities import Entity
from deid_tasks.settings.expressions import check_expression
from deid_tasks.settings.section import Section
from deid_tasks.settings.transformers import SecondStageSettings, SentenceFilterSettings, TransformerSettings


class PatternSettings(Section):
    """Identifier formats of this institution, beside the universal ones."""

    identifiers: dict[Entity, tuple[str, ...]] = Field(
        default_factory=dict, description="RE2 regular expressions by entity, e.g. MRN: ['RH\\d{7}']."
    )

    @field_validator("identifiers")
    @classmethod
    def _compiles(cls, value: dict[Entity, tuple[str, ...]]) -> dict[Entity, tuple[str, ...]]:
        for entity, expressions in value.items():
            for expression in expressions:
                try:
                    check_expression(expression, is_bounded=True)
                except ValueError as error:
                    raise ValueError(f"{entity}: {error}") from None
        return value


class ContextRule(Section):
    """One rule of the institution: a pattern, and what must or must not stand around it."""

    name: str = Field(min_length=1, max_length=80, description="For people; unique among the rules.")
    entity: Entity = Field(description="Entity of the spans that the rule finds.")
    pattern: str = Field(
        description="RE2; if it has a group, the first group is the span. Repeats must be bounded: {1,40} instead of +."
    )
    prefix: str | None = Field(default=None, description="RE2 that must match in the window before the span.")
    suffix: str | None = Field(default=None, description="RE2 that must match in the window after the span.")
    exclude: str | None = Field(
        default=None, description="RE2 that must match neither in the span nor in the window on either side."
    )
    window: int = Field(default=40, ge=1, le=400, description="Size of the window on either side, in `unit`.")
    unit: Literal["characters", "words"] = Field(default="characters", description="Unit of `window`.")
    across_lines: bool = Field(default=False, description="Whether the window may cross a line break.")

    @field_validator("pattern")
    @classmethod
    def _is_bounded(cls, value: str) -> str:
        check_expression(value, is_bounded=True)
        return value

    @field_validator("prefix", "suffix", "exclude")
    @classmethod
    def _is_expression(cls, value: str | None) -> str | None:
        if value is not None:
            check_expression(value)
        return value


class ContextSettings(Section):
    """The institution's own context rules."""

    rules: tuple[ContextRule, ...] = Field(default=(), max_length=500)

    @field_validator("rules")
    @classmethod
    def _differ(cls, value: tuple[ContextRule, ...]) -> tuple[ContextRule, ...]:
        names = [rule.name for rule in value]
        for position, name in enumerate(names):
            if name in names[:position]:
                raise ValueError(f"rules {names.index(name)} and {position} are both named {name!r}")
        return value


class CacheSettings(Section):
    """The cache of the models' answers for sentences, kept across runs."""

    enabled: bool = True
    max_megabytes: int = Field(
        default=1_024,
        ge=1,
        description="Size of the cache on one worker host; a megabyte holds about 20,000 sentences.",
    )
    folder: str | None = Field(
        default=None,
        description="A folder on a local disk of the worker; by default `cache` in work_dir,"
        " which must then not be a network share.",
    )


class DetectSettings(Section):
    """Which detectors run."""

    detectors: tuple[DetectorName, ...] = Field(
        default=tuple(RUN_ORDER), description="Detectors to run; their order does not matter."
    )
    inclusion: bool = Field(
        default=True, description="Whether the models skip the sentences of the approved inclusion list."
    )
    cache: CacheSettings = CacheSettings()
    patterns: PatternSettings = PatternSettings()
    context: ContextSettings = ContextSettings()
    target_recall: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="With it, each evaluation chooses `outside_bias` of all models by itself: the most precise value"
        " that has this word recall on the first gold set of `gate.designs`. The certificate names it.",
    )
    transformers: tuple[TransformerSettings, ...] = (
        TransformerSettings(sentence_filter=SentenceFilterSettings(), second_stage=SecondStageSettings()),
    )

    @model_validator(mode="after")
    def _no_repeats(self) -> "DetectSettings":
        if not self.detectors or len(set(self.detectors)) != len(self.detectors):
            raise ValueError("detectors must name at least one detector, and each at most once")
        labels = [model.label for model in self.transformers]
        if len(set(labels)) != len(labels):
            raise ValueError("transformers: two models have the same name; give each a `name` of its own")
        return self


class RecoverSettings(Section):
    """Which of the marked words are recovered: medical terms, and what is probably not an identifier."""

    enabled: bool = Field(default=True, description="Whether anything is recovered.")
    min_confidence: float | None = Field(
        default=0.1,
        ge=0,
        lt=1,
        description="What a model alone found stays marked from this probability of being an identifier on, and from"
        " twice that on where it is initials, an age, a room or another number; a lower value finds more and marks more"
        " by mistake. 0 recovers medical terms only. `null` also leaves the models' own scores as they are.",
    )

    def without_confidence(self) -> "RecoverSettings":
        """Return the settings by which only medical terms are recovered, and scores stay as they are."""
        return self.model_copy(update={"min_confidence": None})
