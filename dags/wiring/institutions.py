"""Which institutions there are: a YAML file each in ``PALIMPSEST_INSTITUTIONS``, or else in ``dags/institutions``.

One broken file never hides another institution's DAGs.
"""

import os
from functools import cache
from pathlib import Path

from deid_tasks.core.errors import SettingsError
from deid_tasks.settings import InstitutionSettings, load_institution

FOLDER = Path(os.environ.get("PALIMPSEST_INSTITUTIONS") or Path(__file__).resolve().parent.parent / "institutions")


@cache
def read_folder(folder: Path = FOLDER) -> tuple[tuple[InstitutionSettings, ...], tuple[str, ...]]:
    """The institutions whose files are valid, by name, and one sentence for each file that is not."""
    usable, problems = [], []
    for path in sorted(folder.glob("*.y*ml")):
        try:
            usable.append(load_institution(path))
        except SettingsError as error:
            problems.append(" ".join(str(error).split()))
    return tuple(usable), tuple(problems)


def usable_institutions() -> tuple[InstitutionSettings, ...]:
    """Every institution that can have DAGs."""
    return read_folder()[0]


def settings_of(institution: str) -> InstitutionSettings:
    """The settings as they are now; a task calls this at run time. Raises ``SettingsError``."""
    return load_institution(FOLDER / f"{institution}.yaml")
