"""The call from a task into the engine: settings and secrets found at run time, no patient data in what fails."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from airflow.sdk.exceptions import AirflowException

from deid_tasks.core.errors import DeidError
from deid_tasks.settings import InstitutionSettings, Secrets
from wiring.institutions import settings_of
from wiring.secrets import airflow_secrets

CONTRACT = Path(__file__).resolve().parents[2] / "dbt" / "models" / "staging" / "models.yml"
"""What dbt says of every column of the staging models."""


@contextmanager
def engine(institution: str) -> Iterator[tuple[ModuleType, InstitutionSettings, Secrets]]:
    """The module ``deid_tasks.platform.runs``, imported when a task needs it, and the first two arguments of its functions.

    What goes wrong inside the block leaves it without the exceptions that caused it. Our own errors hold no patient data;
    any other exception may quote the row it stumbled over, so only its type and place are passed on.
    """
    try:
        from deid_tasks.platform import runs

        yield runs, settings_of(institution), airflow_secrets()
    except (DeidError, AirflowException, ImportError) as error:
        raise error from None
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise DeidError(
            f"{type(error).__name__} at {place.filename}:{place.lineno} in {place.name}; "
            "its text is withheld, since it may quote a note"
        ) from None
