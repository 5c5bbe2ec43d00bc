"""``deid layout new`` and ``deid institution new``: files to fill in for another hospital."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from deid_tasks.cli.options import INSTITUTIONS_FOLDER, DbtProject, Institutions, dbt_project
from deid_tasks.core.errors import InputError
from deid_tasks.core.yaml_text import parse_yaml

layout = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help="dbt layouts.")
institution = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help="Institutions' settings files."
)

_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
_NOTE_STATE = "stg_note_state"
"""The model that a layout may leave out: without one, its notes are read."""


@layout.callback()
def _layout_group() -> None:
    """Write the files of a new dbt layout."""


@institution.callback()
def _institution_group() -> None:
    """Write the settings file of a new institution."""


@layout.command("new")
def write_layout(
    name: Annotated[str, typer.Argument(help="Name of the layout: lower-case letters, digits and underscores.")],
    project: DbtProject = Path("dbt"),
    institutions: Institutions = INSTITUTIONS_FOLDER,
    note_state: Annotated[  # noqa: FBT002
        bool,
        typer.Option("--note-state", help="Also write a model of the notes without their texts, for a faster reading."),
    ] = False,
) -> None:
    """Write the staging models of a layout of your own, with their YAML, into layouts/NAME of the institutions' folder.

    Nothing of the platform's own files changes. Each model has the columns of the canonical contract as typed NULLs
    and returns no row. dbt builds it at once, and you replace the models one by one. The model of --note-state reads
    the layout's own notes until you replace it.
    """
    from deid_tasks.platform.layouts import OWN_LAYOUTS, STAGING

    _check_name(name)
    shipped, folder = dbt_project(project) / STAGING, institutions / OWN_LAYOUTS / name
    if (shipped / name).exists():
        raise InputError(f"a layout named {name!r} ships with the platform ({shipped / name}); choose another name")
    if folder.exists():
        raise InputError(f"{folder} exists already; choose another name or move the folder away")
    try:
        contract = parse_yaml((shipped / "models.yml").read_text(encoding="utf-8"))["models"]
    except (OSError, ValueError, TypeError, KeyError):
        raise InputError(f"{shipped / 'models.yml'}: cannot be read, or is not the contract of staging") from None
    if not note_state:
        contract = [model for model in contract if model["name"] != _NOTE_STATE]
    folder.mkdir(parents=True)
    for model in contract:
        table = model["name"].removeprefix("stg_")
        # Without rows it would say that every note was deleted.
        select = _select_notes(name, model) if model["name"] == _NOTE_STATE else _select(model)
        (folder / f"stg_{name}__{table}.sql").write_text(select, encoding="utf-8")
    (folder / "models.yml").write_text("\n".join(_models(name, contract)), encoding="utf-8")
    (folder / "sources.yml").write_text(_SOURCES.format(name=name), encoding="utf-8")
    (folder / "README.md").write_text(_README.format(name=name, count=len(contract)), encoding="utf-8")
    print(f"{folder}: {len(contract)} staging models; read {folder / 'README.md'}")


@institution.command("new")
def write_institution(
    name: Annotated[str, typer.Argument(help="Name of the institution: lower-case letters, digits and underscores.")],
    layout_name: Annotated[str, typer.Option("--layout", help="dbt layout of its warehouse.")] = "omop",
    institutions: Institutions = INSTITUTIONS_FOLDER,
) -> None:
    """Write an institution's settings file with every required key, and a comment on each."""
    from deid_tasks.settings import InstitutionSettings, json_schema

    _check_name(name)
    file = institutions / f"{name}.yaml"
    if file.exists() or file.with_suffix(".yml").exists():
        raise InputError(f"{file} exists already; choose another name or move the file away")
    values = {
        "institution": name,
        "title": name.replace("_", " ").title(),
        "work_dir": f"${{PALIMPSEST_WORK_DIR:-/var/lib/palimpsest}}/{name}",
        "warehouse.connection": f"{name}_ehr",
        "warehouse.layout": layout_name,
        "notes.start_date": "2024-01-01",
        "obfuscate.key": f"{name}_surrogate_key",
        "publish.bucket": "palimpsest-published",
        "publish.object_store": "object_store",
        "publish.catalog": "iceberg_catalog",
    }
    lines = ["# yaml-language-server: $schema=./schema.json", *_required(InstitutionSettings, values)]
    schema = institutions / "schema.json"
    try:
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        if not schema.exists():
            schema.write_text(json.dumps(json_schema(), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file}: cannot be written: {error.strerror}") from None
    print(f"{file}: check each value; docs/reference/settings.md lists the optional keys")


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r} is not a name: use a lower-case letter, then letters, digits and underscores, at most 31"
        )


def _select(model: dict[str, Any]) -> str:
    columns = [f"    null::{column['data_type']} as {column['name']}" for column in model["columns"]]
    return (
        f"-- {model.get('description', '').strip()} Replace this select; keep the columns and their types.\n"
        "select\n" + ",\n".join(columns) + "\nwhere false\n"
    )


def _select_notes(name: str, model: dict[str, Any]) -> str:
    columns = [f"    {column['name']}" for column in model["columns"]]
    return (
        f"-- {model.get('description', '').strip()} Replace this select by one that reads no text\n"
        "-- and looks no version up.\n"
        "select\n" + ",\n".join(columns) + f"\nfrom {{{{ ref('stg_{name}__note') }}}}\n"
    )


def _models(name: str, contract: list[dict[str, Any]]) -> Iterator[str]:
    yield from ("version: 2", "", "models:")
    for model in contract:
        table = model["name"].removeprefix("stg_")
        yield f"  - name: stg_{name}__{table}"
        yield f"    description: Adapter of {model['name']} for the layout {name}."
        yield "    columns:"
        for column in model["columns"]:
            yield f"      - name: {column['name']}"
            yield f"        data_type: {column['data_type']}"
            yield f"        config: {{meta: {{phi: {column['config']['meta']['phi']}}}}}"
        yield ""


def _required(model: Any, values: dict[str, str], prefix: str = "") -> Iterator[str]:
    """Yield the keys of ``values``, in their order, as YAML with the descriptions of a settings model as comments."""
    # A dict keeps the first position of each key.
    inside = (path.removeprefix(prefix) for path in values if path.startswith(prefix))
    for key in dict.fromkeys(path.partition(".")[0] for path in inside):
        field, path = model.model_fields[key], f"{prefix}{key}"
        indent = "  " * prefix.count(".")
        if hasattr(field.annotation, "model_fields"):
            yield from ("", f"{indent}{key}:", *_required(field.annotation, values, f"{path}."))
        else:
            if field.description:
                yield f"{indent}# {field.description}"
            yield f"{indent}{key}: {values[path]}"


_SOURCES = """version: 2

# The raw tables that the models of this folder read. Uncomment and complete; each column needs phi: none, quasi or
# direct.
sources: []
#  - name: {name}
#    schema: "{{{{ var('institution') }}}}_ehr"
#    tables:
#      - name: note
#        columns:
#          - name: note_text
#            config: {{meta: {{phi: direct}}}}
"""
_README = """# The layout {name}

Each of the {count} models returns the columns of the canonical model of the same name, from the raw tables of your EHR.
They are empty at first and build at once; replace them one by one.

1. `sources.yml`: name the raw tables and columns that you read.
2. `stg_{name}__note.sql`, `…__patient.sql`, `…__patient_name.sql` and `…__patient_identifier.sql` matter most.
3. A model that your EHR has no data for may stay empty, except `stg_{name}__note_state.sql` where there is one: it
   holds every note of `stg_{name}__note.sql`.
4. Pass the text of a note on as it is: no trimming and no cleaning.

What each column means, and the tests of the canonical models: `models/staging/models.yml` of the platform's dbt
project. Examples: `omop` and `clarity` beside it. Build them: `deid dbt build --institution NAME --select staging`.
"""
