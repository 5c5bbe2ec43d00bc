"""Where an institution's tasks run: executor, queue, pod template and pool."""

from pydantic import Field

from deid_tasks.settings.section import Name, Section


class TaskPlacement(Section):
    """Where one kind of an institution's tasks runs."""

    executor: str | None = Field(
        default=None,
        min_length=1,
        description="Executor of these tasks, by its name or alias in Airflow's `core.executor`; Airflow's first one"
        " if not given.",
    )
    queue: str = Field(
        default="default", min_length=1, description="Celery queue of these tasks; other executors do not read it."
    )
    pod_template: str | None = Field(
        default=None,
        min_length=1,
        description="Pod template of these tasks on the Kubernetes executor: a file that the scheduler reads, such as"
        " /etc/palimpsest/pods/gpu.yaml. The executor's own one if not given.",
    )


class EnginePlacement(TaskPlacement):
    """Where the tasks run that find identifiers, score or train, and how many of them at once."""

    pool: Name | None = Field(
        default=None,
        description="Airflow pool of the tasks that run the engine; `<institution>_notes` if not given. Institutions"
        " that share a GPU may name the same one.",
    )
    pool_slots: int = Field(
        default=4,
        ge=1,
        description="Slots of that pool: tasks that run the engine at once. `deid pools` writes the pools.",
    )
