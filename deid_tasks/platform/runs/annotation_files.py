"""Folders and files that annotators work in.

``<work_dir>/annotation/<sample version>/<pseudonym>`` holds one person's task list, its manifest ``export.json``, and
the folder ``done`` for the notes that the person has finished.
"""

import json
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from deid_tasks.core.errors import InputError
from deid_tasks.core.files import write_atomically
from deid_tasks.evidence.annotation.formats import FORMATS
from deid_tasks.platform.workspace import SharedFiles, work_dir
from deid_tasks.settings import InstitutionSettings, Secrets

SIMULATED_BY = "simulated by "
"""Begins ``preannotated_by`` where nobody annotated: the labels are an engine's own answers."""


@dataclass(frozen=True, slots=True)
class TaskManifest:
    """How one person's task list was written."""

    format: str
    preannotated_by: str
    """Fingerprint of the engine whose spans the list shows; empty where it shows none."""
    notes: int


def sample_dir(settings: InstitutionSettings, sample_version: str) -> Path:
    """Return the folder of one sample, which need not exist."""
    return Path(settings.local_work_dir) / "annotation" / sample_version


def checked_out_sample(
    settings: InstitutionSettings, secrets: Secrets, sample_version: str
) -> AbstractContextManager[Path]:
    """Return a block in which one sample's folder is as people left it, and after which its changes are shared."""
    return SharedFiles(settings, secrets).checked_out(sample_dir(settings, sample_version))


def sample_location(settings: InstitutionSettings, sample_version: str) -> str:
    """Return where people find one sample's files: a folder, or the address in the object store."""
    return f"{settings.work_dir.rstrip('/')}/annotation/{sample_version}"


def person_dir(settings: InstitutionSettings, sample_version: str, person: str) -> Path:
    """Return one person's folder for one sample, and make it and its folder ``done`` where they are missing."""
    folder = work_dir(settings)
    # Each folder is made by itself, because ``mkdir`` applies the mode to the last folder only.
    for name in ("annotation", sample_version, person):
        folder /= name
        folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "done").mkdir(mode=0o700, exist_ok=True)
    return folder


def task_file(settings: InstitutionSettings, folder: Path, name: str) -> Path:
    """Return the path of a task list: a file, or a folder where the institution's format has a file for each note."""
    return folder / f"{name}{FORMATS[settings.annotation.format].suffix}"


def read_manifest(folder: Path) -> TaskManifest | None:
    """Return the manifest of a person's folder; ``None`` where no task list was written.

    Raises:
        InputError: the manifest is damaged.
    """
    try:
        return TaskManifest(**json.loads((folder / "export.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, RecursionError):
        raise InputError(
            f"{folder / 'export.json'}: damaged; it says how the task list beside it was written:"
            " delete both files if no work on the list is finished, else restore them from a backup"
        ) from None


def write_manifest(folder: Path, manifest: TaskManifest) -> None:
    """Write the manifest of a person's folder."""
    write_atomically(folder / "export.json", json.dumps(asdict(manifest)) + "\n")
