"""Deliveries: the files that a manifest names, checked before the first row is read."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deid_tasks.core.errors import InputError
from deid_tasks.platform.landing.location import FileState, LandingLocation
from deid_tasks.settings import LandedTableSettings, LandingSettings

_MAX_MANIFEST_BYTES = 16 << 20


class ManifestEntry(BaseModel):
    """What a manifest says of one file."""

    model_config = ConfigDict(frozen=True)

    file: str = Field(min_length=1)
    rows: int = Field(ge=0)
    sha256: Annotated[str, Field(pattern=r"^[0-9a-fA-F]{64}$")]


class Manifest(BaseModel):
    """What belongs together. Deliveries are loaded in the order of their names."""

    model_config = ConfigDict(frozen=True)

    delivery: str = Field(pattern=r"^[\w.:+\-]{1,100}$")
    files: tuple[ManifestEntry, ...] = Field(min_length=1)


class DeliveredFile(NamedTuple):
    """One file of a delivery."""

    delivery: str
    path: str
    """Below the location's root."""
    sha256: str
    rows: int
    table: LandedTableSettings


class Delivery(NamedTuple):
    """The files that a manifest names."""

    name: str
    manifest: str
    """Path of the manifest."""
    files: tuple[DeliveredFile, ...]

    def by_table(self) -> dict[str, list[DeliveredFile]]:
        """Return the files of each table, in the order of the manifest."""
        tables: dict[str, list[DeliveredFile]] = {}
        for file in self.files:
            tables.setdefault(file.table.table, []).append(file)
        return tables


def read_deliveries(location: LandingLocation, settings: LandingSettings, names: list[str]) -> list[Delivery]:
    """Return the deliveries of a location, in the order of their names.

    Args:
        location: Where they lie.
        settings: The contract.
        names: The paths of all files of the location.

    Raises:
        InputError: a manifest cannot be read, names a file that no table of the contract takes, or two manifests are
            of one delivery.
    """
    found: dict[str, Delivery] = {}
    for path in location.manifests(names):
        delivery = _read_manifest(location, settings, path)
        if delivery.name in found:
            raise InputError(
                f"{path}: delivery {delivery.name!r} has another manifest, {found[delivery.name].manifest}; give each"
                " delivery a name of its own"
            )
        found[delivery.name] = delivery
    return [found[name] for name in sorted(found)]


def unlisted_files(deliveries: Iterable[Delivery], settings: LandingSettings, names: list[str]) -> list[str]:
    """Return the files that the contract takes and no manifest names: those of a delivery that is not finished."""
    listed = {file.path for delivery in deliveries for file in delivery.files}
    return [name for name in names if name not in listed and _tables_of(settings, name)]


def check_files(location: LandingLocation, files: Iterable[DeliveredFile]) -> dict[str, FileState]:
    """Check that each file is there and has the checksum that its manifest says; return the state of each.

    Raises:
        InputError: a file is missing or differs.
    """
    states = {}
    for file in files:
        state = location.state(file.path)
        if state is None:
            raise InputError(
                f"{file.path}: the manifest of delivery {file.delivery!r} names this file, and it is missing; the"
                " manifest must be written last, when all files are there"
            )
        if location.sha256(file.path) != file.sha256:
            raise InputError(
                f"{file.path}: its SHA-256 is not the one in the manifest of delivery {file.delivery!r}; the file is"
                " not complete or was changed: deliver it again"
            )
        states[file.path] = state
    return states


def check_unchanged(location: LandingLocation, file: DeliveredFile, states: Mapping[str, FileState]) -> None:
    """Raise ``InputError`` where the file changed since ``check_files`` returned its state."""
    if location.state(file.path) != states[file.path]:
        raise InputError(f"{file.path}: it changed while it was read; deliver it again under a new name")


def _read_manifest(location: LandingLocation, settings: LandingSettings, path: str) -> Delivery:
    content = location.content(path, _MAX_MANIFEST_BYTES)
    try:
        manifest = Manifest.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "file"
        raise InputError(
            f"{path}: not a manifest ({where}: {first['type']}); it is JSON with `delivery` and `files`, each with"
            " `file`, `rows` and `sha256`, and appears whole"
        ) from None
    folder = PurePosixPath(path).parent
    files: list[DeliveredFile] = []
    for entry in manifest.files:
        relative = PurePosixPath(entry.file)
        if relative.is_absolute() or ".." in relative.parts:
            raise InputError(f"{path}: files[{len(files)}].file must be below the manifest's folder")
        name = str(folder / relative)
        files.append(
            DeliveredFile(manifest.delivery, name, entry.sha256.lower(), entry.rows, _table_of(settings, name))
        )
    if len({file.path for file in files}) < len(files):
        raise InputError(f"{path}: a file is named twice")
    return Delivery(manifest.delivery, path, tuple(files))


def _table_of(settings: LandingSettings, path: str) -> LandedTableSettings:
    tables = _tables_of(settings, path)
    if len(tables) != 1:
        found = ", ".join(one.table for one in tables) or "none"
        raise InputError(f"{path}: exactly one entry of landing.tables must match the file's name; it matches {found}")
    return tables[0]


def _tables_of(settings: LandingSettings, path: str) -> list[LandedTableSettings]:
    name = path.rpartition("/")[2]
    return [one for one in settings.tables if fnmatchcase(name, one.files)]
