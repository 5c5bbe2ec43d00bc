"""Settings of the step that makes one list of what all detectors found."""

from typing import Literal, get_args

from pydantic import Field, field_validator

from deid_tasks.core.entities import Category, Entity
from deid_tasks.settings.section import Section

DetectorName = Literal["patterns", "context", "lexicon", "patient", "templates", "transformer"]
DETECTORS: tuple[str, ...] = get_args(DetectorName)


class PropagationSettings(Section):
    """Whether a name that was found once is also found where else it stands in the note."""

    enabled: bool = True
    min_score: float = Field(
        default=0.9,
        ge=0,
        le=1,
        description="Score of a span whose words are looked for; rules and dictionaries give 1.",
    )
    min_letters: int = Field(default=4, ge=2, description="Shorter words of a name are not looked for.")


class MergeSettings(Section):
    """Who wins where spans of two detectors overlap and disagree, and how many models must agree."""

    priority: tuple[str, ...] = Field(
        default=("patient", "context", "patterns", "templates", "lexicon", "transformer"),
        description="Detectors, strongest first. `patterns:SSN` ranks one entity, or a category, of a detector by itself.",
    )
    models: tuple[Category, ...] = Field(
        default=(
            Category.NAME,
            Category.LOCATION,
            Category.AGE,
            Category.ORGANIZATION,
            Category.DATE,
            Category.CONTACT,
            Category.ID,
            Category.PROFESSION,
        ),
        description="Whose label stands where two models, or one model twice, disagree; strongest first.",
    )
    votes: int = Field(default=1, ge=1, description="How many of several models must mark a word.")
    votes_by_entity: dict[Entity, int] = Field(default={}, description="The same for single entities.")
    propagation: PropagationSettings = PropagationSettings()

    @field_validator("priority")
    @classmethod
    def _are_known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        known = {str(name) for name in (*Entity, *Category)}
        for entry in value:
            detector, _, part = entry.partition(":")
            if detector not in DETECTORS or (part and part not in known):
                raise ValueError(f"priority: {entry!r} is no detector ({', '.join(DETECTORS)}), and no entity of one")
        if len(set(value)) != len(value):
            raise ValueError("priority names something twice")
        return value

    @field_validator("votes_by_entity")
    @classmethod
    def _are_votes(cls, value: dict[Entity, int]) -> dict[Entity, int]:
        for entity, votes in value.items():
            if votes < 1:
                raise ValueError(f"votes_by_entity: {entity} asks for {votes} votes")
        return value
