"""No DAG here: one Airflow import error that names every institution that lacks DAGs and why, while the others go on."""

from deid_tasks.errors import SettingsError
from wiring.dbt import missing_manifest
from wiring.institutions import read_folder

_usable, _problems = read_folder()
_all = [*_problems, *filter(None, map(missing_manifest, _usable))]
if _all:
    raise SettingsError("institutions that lack DAGs: " + " | ".join(_all))
