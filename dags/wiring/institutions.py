"""The institutions that get DAGs: one YAML file each in ``PALIMPSEST_INSTITUTIONS``, or else in ``dags/institutions``.

An invalid file hides only its own institution.
"""

import os
from functools import cache
from pathlib import Path

from deid_tasks.settings import InstitutionSettings, load_institution, read_institutions

FOLDER = Path(os.environ.get("PALIMPSEST_INSTITUTIONS") or Path(__file__).resolve().parent.parent / "institutions")


@cache
def read_folder(folder: Path = FOLDER) -> tuple[tuple[InstitutionSettings, ...], tuple[str, ...]]:
    """Return the institutions whose files are valid, by name, and one sentence for each invalid file."""
    usable, problems = read_institutions(folder)
    return tuple(usable), tuple(problems)


def usable_institutions() -> tuple[InstitutionSettings, ...]:
    """Return every institution that gets DAGs."""
    return read_folder()[0]


def settings_of(institution: str) -> InstitutionSettings:
    """Return an institution's settings as they are now; tasks call this when they run. Raises ``SettingsError``."""
    return load_institution(FOLDER / f"{institution}.yaml")
