"""Settings of the warehouse: which connection each kind of task uses, and how the raw tables are read."""

from typing import Literal, get_args

from pydantic import Field

from deid_tasks.settings.section import Name, Section

DatabaseTask = Literal[
    "source", "land", "build", "engine", "evidence", "publish", "page", "reidentify", "audit", "owner"
]
"""Kinds of tasks with a database role of their own: ``<institution>_<task>``."""
DATABASE_TASKS: tuple[DatabaseTask, ...] = get_args(DatabaseTask)


class WarehouseSettings(Section):
    """Where the EHR notes are, and how their layout is read."""

    connection: Name = Field(description="Name of the secret that holds the PostgreSQL URI of the EHR warehouse.")
    connections: dict[DatabaseTask, Name] = Field(
        default_factory=dict,
        description="Names of the secrets that hold the URIs of single kinds of tasks, each with a role that may do no"
        " more than its tasks need (`deid roles`); `connection` for those that are not named.",
    )
    layout: Name = Field(description="dbt staging adapter that reads the raw tables: omop, clarity, or your own.")
    max_source_age_hours: int | None = Field(
        default=None,
        ge=1,
        description="Notes are not read where the raw tables were last loaded longer ago; null: never checked.",
    )

    def connection_of(self, task: DatabaseTask) -> str:
        """Return the name of the secret that holds the URI of one kind of tasks."""
        return self.connections.get(task, self.connection)
