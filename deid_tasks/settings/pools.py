"""The Airflow pools of the institutions: each has its own, so that no backfill takes another hospital's workers."""

from collections.abc import Iterable, Iterator
from typing import NotRequired, TypedDict

from deid_tasks.core.errors import SettingsError
from deid_tasks.settings.institution import InstitutionSettings


class AirflowPool(TypedDict):
    """One pool as ``airflow pools import`` reads it."""

    slots: int
    description: str
    team_name: NotRequired[str]
    """The Airflow team that alone may use it."""


def airflow_pools(institutions: Iterable[InstitutionSettings]) -> dict[str, AirflowPool]:
    """Return the pools that the institutions' tasks name, by name.

    Raises:
        SettingsError: two institutions share a pool and give it different numbers of slots, or are of different teams.
    """
    found: dict[str, AirflowPool] = {}
    users: dict[str, str] = {}
    for one in institutions:
        for name, slots, kind, key in _own_pools(one):
            if name in found and found[name]["slots"] != slots:
                raise SettingsError(
                    f"pool {name!r} has {found[name]['slots']} slots in the settings of {users[name]} and {slots} in"
                    f" those of {one.institution}: give {key} one value, or the pools different names"
                )
            if name in found and found[name].get("team_name") != one.team:
                raise SettingsError(
                    f"pool {name!r} is shared by {users[name]} and {one.institution}, of different teams: give"
                    " each a pool of its own"
                )
            titles = f"{users[name]}, {one.institution}" if name in users else one.institution
            users[name] = titles
            found[name] = AirflowPool(slots=slots, description=f"{titles}: {kind}")
            if one.team:
                found[name]["team_name"] = one.team
    return found


def _own_pools(one: InstitutionSettings) -> Iterator[tuple[str, int, str, str]]:
    """Yield name, slots, description and settings key of an institution's pools."""
    yield one.pool, one.task_slots, "tasks that do not run the engine", "task_slots"
    yield one.engine_pool, one.notes.pool_slots, "tasks that run the engine", "notes.pool_slots"
