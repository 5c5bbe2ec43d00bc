"""Folders and files of the annotators: one person's task list, its manifest, and the folder ``done``."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from deid_tasks.core.errors import InputError
from deid_tasks.evidence.annotation.formats import FORMATS
from deid_tasks.platform.workspace import whole_file, work_dir
from deid_tasks.settings import InstitutionSettings


@dataclass(frozen=True, slots=True)
class TaskManifest:
    """What one person's task list was written as; it lies beside the list."""

    format: str
    preannotated_by: str
    notes: int


def person_dir(settings: InstitutionSettings, sample_version: str, person: str) -> Path:
    """One person's folder for one sample, with its folder ``done``."""
    folder = work_dir(settings)
    # One by one: the mode is only that of the last folder made.
    for name in ("annotation", sample_version, person):
        folder /= name
        folder.mkdir(mode=0o700, exist_ok=True)
    (folder / "done").mkdir(mode=0o700, exist_ok=True)
    return folder


def task_file(settings: InstitutionSettings, folder: Path, name: str) -> Path:
    """Where a task list of the institution's format lies: a file, or a folder where the format is one of many files."""
    return folder / f"{name}{FORMATS[settings.annotation.format].suffix}"


def read_manifest(folder: Path) -> TaskManifest | None:
    """Return the manifest of a person's folder, or ``None`` when no task list was written; raises ``InputError``."""
    try:
        return TaskManifest(**json.loads((folder / "export.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (json.JSONDecodeError, TypeError):
        raise InputError(
            f"{folder / 'export.json'}: damaged; it says how the task list beside it was written"
        ) from None


def write_manifest(folder: Path, manifest: TaskManifest) -> None:
    """Write the manifest of a person's folder."""
    with whole_file(folder / "export.json") as partial:
        partial.write_text(json.dumps(asdict(manifest)) + "\n", encoding="utf-8")
