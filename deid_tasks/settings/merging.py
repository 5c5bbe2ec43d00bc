"""Settings of merging: how the spans of all detectors become one list."""

from typing import ClassVar

from pydantic import Field, field_validator

from deid_tasks.core.detectors import DETECTORS, SEPARATOR, DetectorName
from deid_tasks.core.entities import Category, Entity
from deid_tasks.settings.renamed import Renamed
from deid_tasks.settings.section import Section

_ENTITIES = frozenset(str(name) for name in (*Entity, *Category))


class PropagationSettings(Section):
    """Whether a name that was found once is also marked at its other mentions in the note, and its initials too."""

    enabled: bool = True
    min_score: float = Field(
        default=0.9,
        ge=0,
        le=1,
        description="Lowest score of a span whose words are propagated; rules and dictionaries score 1.",
    )
    min_letters: int = Field(default=4, ge=2, description="Shorter words of a name are not propagated.")


class MergeSettings(Section):
    """Which detector wins where spans overlap and disagree, and how many models must agree."""

    renamed: ClassVar[Renamed | None] = Renamed("merge", {"models": "category_priority"})

    priority: tuple[str, ...] = Field(
        default=tuple(str(name) for name in DETECTORS),
        description="Detectors, strongest first. `patterns:SSN` ranks one entity or category of a detector by itself.",
    )
    category_priority: tuple[Category, ...] = Field(
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
        description="Which category wins where models disagree about the same words; strongest first.",
    )
    votes: int = Field(default=1, ge=1, description="How many of several models must mark a word.")
    votes_by_entity: dict[Entity, int] = Field(default={}, description="The same for single entities.")
    propagation: PropagationSettings = PropagationSettings()

    @field_validator("priority")
    @classmethod
    def _are_known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for entry in value:
            detector, _, part = entry.partition(SEPARATOR)
            if detector not in set(DetectorName) or (part and part not in _ENTITIES):
                raise ValueError(
                    f"priority: {entry!r} is neither a detector ({', '.join(DETECTORS)}) nor an entity of one"
                )
        if len(set(value)) != len(value):
            raise ValueError("priority names an entry twice")
        return value

    @field_validator("votes_by_entity")
    @classmethod
    def _are_votes(cls, value: dict[Entity, int]) -> dict[Entity, int]:
        for entity, votes in value.items():
            if votes < 1:
                raise ValueError(f"votes_by_entity: {entity} must need at least 1 vote, not {votes}")
        return value
