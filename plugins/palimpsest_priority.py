"""The priority of a task, which the scheduler computes for each run of it.

DAG files name the class, and the plugin registers it: Airflow reads only priority rules that a plugin has.
"""

from typing import TYPE_CHECKING

from airflow.task.priority_strategy import PriorityWeightStrategy

if TYPE_CHECKING:
    from airflow.models.taskinstance import TaskInstance

_BACKFILL = "backfill__"
_BACKFILL_DIVISOR = 10


class BackfillsLast(PriorityWeightStrategy):
    """A task's own priority weight; a tenth of it in a backfill, so that a backfill never delays a scheduled run."""

    def get_weight(self, ti: "TaskInstance") -> int:
        """Return the priority of a task in one run."""
        weight = int(getattr(ti.task, "priority_weight", 1))
        return max(1, weight // _BACKFILL_DIVISOR) if (ti.run_id or "").startswith(_BACKFILL) else weight
