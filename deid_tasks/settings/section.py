"""What every section of the settings is made of."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,40}$")]
"""A name that is also a SQL schema prefix, a DAG id suffix and a path segment."""


class Section(BaseModel):
    """Refuses keys that it does not know, and never changes once it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True)
