"""The base class of every section of the settings."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, model_validator

from deid_tasks.settings.renamed import Renamed

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,40}$")]
"""A name that is also a SQL schema prefix, a DAG id suffix and a path segment."""


class Section(BaseModel):
    """A section that refuses unknown keys and never changes after it was read."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    renamed: ClassVar[Renamed | None] = None
    """Old spellings of its keys and values, which are still accepted."""

    @model_validator(mode="before")
    @classmethod
    def _accept_old_spellings(cls, given: Any, info: ValidationInfo) -> Any:
        if cls.renamed is None or not isinstance(given, Mapping):
            return given
        file = info.context.get("file") if isinstance(info.context, Mapping) else None
        return cls.renamed.apply(given, file)
