"""No DAG here: one Airflow import error that names every broken institution file and its keys, while the others go on."""

from deid_tasks.core.errors import SettingsError
from wiring.institutions import read_folder

_problems = read_folder()[1]
if _problems:
    raise SettingsError("institutions that lack DAGs: " + " | ".join(_problems))
