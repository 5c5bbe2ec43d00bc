"""No DAG: raises one Airflow import error that names each invalid institution file and its keys; the others run.

Airflow reads a file only if it contains the words "airflow" and "dag", which this one has in this text alone.
"""

from deid_tasks.core.errors import SettingsError
from wiring.institutions import read_folder

_problems = read_folder()[1]
if _problems:
    raise SettingsError("institutions without DAGs, because their files are invalid: " + " | ".join(_problems))
