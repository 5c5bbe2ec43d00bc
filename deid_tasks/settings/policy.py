"""Settings of the policy: what is an identifier, by entity and form, and what becomes of it."""

import warnings
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from deid_tasks.core.entities import GROUP_ENTITIES, Entity, Group
from deid_tasks.core.errors import SettingsError
from deid_tasks.core.forms import FORMS, IdentifierForm, forms_of
from deid_tasks.core.policies import EXPERT, PRESETS, FormAction, PolicyName
from deid_tasks.settings.rewriting import Mode, SurrogateSettings
from deid_tasks.settings.section import Section

_HIPAA_MAX_AGE = 89


class PolicyWarning(UserWarning):
    """Settings leave in the text what the policy that they name replaces out of caution."""


class PolicySettings(Section):
    """What is an identifier, by entity and form."""

    preset: PolicyName = Field(
        default=EXPERT,
        description="The rule to follow. It decides by form, such as a year alone; expert decides by group and keep.",
    )
    forms: dict[IdentifierForm, FormAction] = Field(
        default_factory=dict,
        description="Departures from the preset: what becomes of a form. Identifiers that the rule itself lists"
        " cannot be kept.",
    )
    group: Group = Field(
        default=Group.C,
        description="For preset expert. A: HIPAA Safe Harbor; B: A + providers; C: B + facilities, state, country.",
    )
    keep: tuple[Entity, ...] = Field(
        default=(Entity.TIME,),
        description="For preset expert: entities that stay in the text; they are detected, and scores count them.",
    )
    max_kept_age_years: int = Field(default=_HIPAA_MAX_AGE, ge=0, le=120, description="Ages up to this stay.")
    age_form: Literal["plus", "readable", "or_older"] = Field(
        default="plus",
        description="Higher ages: '89+-year-old' (plus), 'over-89-year-old' (readable) or '90+-year-old' (or_older).",
    )
    age_groups: tuple[int, ...] = Field(
        default=(),
        description="First years of age groups, e.g. [0, 5, 13, 20, 40, 60, 80]; ages move within their group,"
        " by patient. Without groups ages stay.",
    )
    kept_zip_digits: Literal[0, 3] = Field(
        default=0,
        description="3 retains the first three digits of a ZIP (000 for areas of 20,000 people or fewer),"
        " and moves places within that area.",
    )
    as_of_year: int = Field(
        default=2026,
        ge=1900,
        le=2200,
        description="The year in which the age of people is judged by their birth year; a note's own year if later."
        " The year of release, or earlier to judge by the note alone.",
    )
    titles: Literal["found", "in", "out"] = Field(
        default="found",
        description="Whether spans of names hold titles (Dr.) in output and scores. Surrogates do not depend on it.",
    )
    age_units: Literal["found", "in", "out"] = Field(
        default="found", description="Whether spans of ages hold their unit (-year-old) in output and scores."
    )

    @model_validator(mode="before")
    @classmethod
    def _take_defaults_of_preset(cls, given: Any) -> Any:
        if not isinstance(given, Mapping) or (preset := PRESETS.get(given.get("preset", EXPERT))) is None:
            return given
        return {**preset.settings, **given}

    @field_validator("age_groups")
    @classmethod
    def _ascending(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if list(value) != sorted(set(value)) or any(not 0 <= year <= 120 for year in value):
            raise ValueError("age_groups must be different years from 0 to 120 in order")
        return value

    @model_validator(mode="after")
    def _is_one_policy(self) -> "PolicySettings":
        if self.preset == EXPERT:
            return self
        if self.group is not Group.C or self.keep:
            raise ValueError(f"group and keep are for preset expert; depart from {self.preset} with forms")
        if self.preset == "safe-harbor" and self.max_kept_age_years > _HIPAA_MAX_AGE:
            raise ValueError("safe-harbor allows no max_kept_age_years above 89 (45 CFR 164.514(b)(2)(i)(C))")
        return self

    @property
    def name(self) -> str:
        """What certificates and tables call the policy: its preset, and whether the settings depart from it."""
        rules = PRESETS[self.preset].rules
        departs = any(form not in rules or rules[form].action != action for form, action in self.forms.items())
        return f"{self.preset} with changes" if departs else self.preset

    def form_action(self, form: IdentifierForm) -> FormAction:
        """Return what becomes of a form; by entity where neither the preset nor ``forms`` names it."""
        if form in self.forms:
            return self.forms[form]
        if (rule := PRESETS[self.preset].rules.get(form)) is not None:
            return rule.action
        return "surrogate" if FORMS[form].entity in self.replaced_entities else "keep"

    def paragraph(self, form: IdentifierForm) -> str:
        """Return why a form is kept or replaced: a paragraph of the preset, or the key of the settings."""
        if form in self.forms:
            return "policy.forms"
        if (rule := PRESETS[self.preset].rules.get(form)) is not None:
            return rule.paragraph
        entity = FORMS[form].entity
        return "policy.keep" if entity in self.keep else f"policy.group {self.group}"

    def decision(self, form: IdentifierForm) -> str:
        """Return what becomes of a form, and why, as one text."""
        return f"{self.form_action(form)} ({self.paragraph(form)})"

    @property
    def has_forms(self) -> bool:
        """Whether the form of a span decides, and not its entity alone."""
        return self.preset != EXPERT or bool(self.forms)

    @property
    def is_for_scores(self) -> bool:
        """Whether the preset is what a corpus marks: text is scored by it, and never rewritten under it."""
        return PRESETS[self.preset].is_for_scores

    @property
    def keeps_dates(self) -> bool:
        """Whether dates stay in the text by their form; the patient's dates then move nowhere."""
        return self.has_forms and self.form_action(IdentifierForm.FULL_DATE) == "keep"

    @property
    def replaced_entities(self) -> frozenset[Entity]:
        """The entities of which at least one form does not stay, as far as ``group`` and ``keep`` allow."""
        return GROUP_ENTITIES[self.group] - frozenset(self.keep)

    def keeps(self, entity: Entity) -> bool:
        """Whether every form of ``entity`` stays in the text."""
        return all(self.form_action(form) == "keep" for form in forms_of(entity))


def named_policy(name: str) -> PolicySettings:
    """Return the settings of a policy by its name alone.

    Raises:
        SettingsError: there is no such policy.
    """
    if name not in PRESETS:
        raise SettingsError(f"policy {name!r} is not known; there are {', '.join(PRESETS)}")
    return PolicySettings.model_validate({"preset": name})


def check_policy(policy: PolicySettings, surrogates: SurrogateSettings) -> None:
    """Check that forms and modes contradict the policy nowhere; warn of forms that it replaces out of caution.

    Raises:
        ValueError: ``policy.forms`` leaves an identifier that the preset's rule lists; a mode transforms an entity that
            the policy retains, or that its group does not transform; or a setting of surrogates leaves what the preset
            replaces.
    """
    _check_forms(policy)
    named = [("modes", surrogates.modes)]
    named += [(f"note_types.{name}.modes", changed.modes) for name, changed in surrogates.note_types.items()]
    for where, modes in named:
        for entity, mode in modes.items():
            _check_mode(policy, entity, mode, where)
    if policy.kept_zip_digits and any(modes.get(Entity.CITY) == "list" for _, modes in named):
        raise ValueError("policy.kept_zip_digits keeps places in their area, and a CITY from a list would lie in any")
    if (
        policy.form_action(IdentifierForm.WEEKDAY) != "keep"
        and surrogates.weekdays == "kept"
        and policy.preset != EXPERT
    ):
        raise ValueError(f"obfuscate.weekdays: kept, but {policy.preset} replaces weekdays")
    if (
        policy.form_action(IdentifierForm.HOLIDAY) != "keep"
        and surrogates.holidays == "kept"
        and policy.preset != EXPERT
    ):
        raise ValueError(f"obfuscate.holidays: kept, but {policy.preset} replaces holidays")


def _check_forms(policy: PolicySettings) -> None:
    preset = PRESETS[policy.preset]
    kept = [form for form, action in policy.forms.items() if action == "keep" and form in preset.rules]
    if forbidden := [form for form in kept if preset.forbids_keeping(form)]:
        named = ", ".join(f"{form} ({preset.rules[form].paragraph})" for form in forbidden)
        raise ValueError(
            f"policy.forms: keep would leave identifiers that {policy.preset} lists: {named}; leave them out of"
            " policy.forms, or name another preset"
        )
    cautious = [form for form in kept if preset.rules[form].action != "keep" and not preset.is_for_scores]
    if cautious:
        named = ", ".join(f"{form} ({preset.rules[form].paragraph})" for form in cautious)
        warnings.warn(
            f"policy.forms leaves in the text what {policy.preset} replaces: {named}; certificates say {policy.name!r}",
            PolicyWarning,
            stacklevel=2,
        )


def _check_mode(policy: PolicySettings, entity: Entity, mode: Mode, where: str) -> None:
    if policy.preset != EXPERT and policy.keeps(entity) != (mode == "keep"):
        does = "keeps" if policy.keeps(entity) else "replaces"
        raise ValueError(f"obfuscate.{where}: {entity} is {mode}, but {policy.preset} {does} it; see policy.forms")
    if entity in policy.keep and mode != "keep":
        raise ValueError(f"obfuscate.{where}: {entity} is {mode}, but policy.keep keeps it")
    if entity not in GROUP_ENTITIES[policy.group] and mode != "keep":
        raise ValueError(f"obfuscate.{where}: {entity} is {mode}, but group {policy.group} does not transform it")
