"""Layouts of warehouses: those that ship in the dbt project, and a hospital's own beside its settings.

An own layout is a folder of staging models in ``layouts`` of the institutions' folder, outside of the product's files,
so that an upgrade never meets it. dbt reads models below its project alone: with an absolute path in ``model-paths`` it
writes compiled SQL over the models, and with ``..`` beside its target folder. So a run that needs an own layout gets a
project whose folder ``models`` is links to both.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deid_tasks.core.errors import SettingsError

OWN_LAYOUTS = "layouts"
"""Folder of own layouts, in the institutions' folder."""
STAGING = Path("models", "staging")
"""Folder of the shipped layouts, in the dbt project."""


def own_layout(project: Path, institutions: Path, layout: str) -> Path | None:
    """Return the folder of a hospital's own layout; ``None`` if the layout ships.

    Args:
        project: the dbt project.
        institutions: the folder of the institutions' YAML files.
        layout: ``warehouse.layout`` of an institution.

    Raises:
        SettingsError: there is no such layout, or an own one has the name of a shipped one.
    """
    shipped, own = project / STAGING / layout, institutions / OWN_LAYOUTS / layout
    if own.is_dir() and shipped.is_dir():
        raise SettingsError(
            f"{own}: a layout named {layout!r} ships with the platform; rename this folder, its models"
            " (stg_<name>__…) and warehouse.layout"
        )
    if own.is_dir():
        return own
    if not shipped.is_dir():
        raise SettingsError(
            f"warehouse.layout: there is no layout {layout!r}: neither {own} nor {shipped} is a folder"
            " (`deid layout new` writes one)"
        )
    return None


def link_project(project: Path, target: Path, own: Path | None) -> None:
    """Fill the empty folder ``target`` with links to a dbt project, and to the models of an own layout if given.

    ``target`` and ``logs`` of the project are left out: dbt writes its own below ``target``.
    """
    for child in project.iterdir():
        if child.name not in {"target", "logs"}:
            (target / child.name).symlink_to(child.absolute())
    if own is not None:
        link_models(project, target, own)


def link_models(project: Path, target: Path, own: Path) -> None:
    """Replace the link ``models`` in ``target`` by a folder of links to the project's models and an own layout's."""
    (target / "models").unlink()
    for source, below in ((project / "models", target / "models"), (own, target / STAGING / own.name)):
        for file in _files(source):
            link = below / file.relative_to(source)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(file.absolute())


def note_state_variables(own: Path | None) -> dict[str, Any]:
    """Return the variable that tells dbt of an own layout's model of the notes without their texts, if it has one."""
    if own is None or not any(file.name == f"stg_{own.name}__note_state.sql" for file in _files(own)):
        return {}
    return {"layouts_with_note_state": [own.name]}


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, without what is hidden, such as the versions of a volume of Kubernetes."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts):
            yield file
