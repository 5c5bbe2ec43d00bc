"""``deid dbt``: dbt on one institution, with a layout that ships or one of its own."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from deid_tasks.cli.options import INSTITUTIONS_FOLDER, DbtProject, Institution, Institutions, dbt_project
from deid_tasks.core.errors import InputError
from deid_tasks.core.yaml_text import parse_yaml


def run_dbt(
    context: typer.Context,
    institution: Institution,
    variables: Annotated[
        str, typer.Option("--vars", help="Further variables of dbt, as YAML: '{harvest_notes: 5000}'.")
    ] = "{}",
    project: DbtProject = Path("dbt"),
    institutions: Institutions = INSTITUTIONS_FOLDER,
) -> None:
    """Run dbt with the layout of an institution: `deid dbt build --institution cedar --select staging`.

    An option that this command does not have is passed on to dbt. The warehouse is that of PALIMPSEST_DBT_HOST,
    _PORT, _USER, _PASSWORD and _DBNAME. What dbt shows of rows goes to the terminal alone; its target folder is deleted
    at the end, unless --target-path names another one.
    """
    from deid_tasks.platform.layouts import link_project, note_state_variables, own_layout
    from deid_tasks.settings import load_institution

    settings = load_institution(institutions / f"{institution}.yaml")
    try:
        given = parse_yaml(variables) or {}
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise InputError(f"--vars is not a mapping in YAML: {variables}")
    project = dbt_project(project).absolute()
    own = own_layout(project, institutions, settings.warehouse.layout)
    words = list(context.args)
    # dbt reads --vars behind its command alone. Options may stand before it (--quiet build), or alone (--version).
    if any(not word.startswith("-") for word in words):
        values = settings.dbt_variables | note_state_variables(own) | given
        words += ["--vars", json.dumps(values, default=str)]
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "dbt")
        tree.mkdir()
        link_project(project, tree, own)
        defaults = {
            "DBT_PROJECT_DIR": str(tree),
            "DBT_PROFILES_DIR": str(project),
            "DBT_TARGET_PATH": str(Path(folder, "target")),
            "DBT_LOG_PATH": str(Path(folder, "logs")),
        }
        command = [sys.executable, "-m", "dbt.cli.main", *words]
        done = subprocess.run(command, env=os.environ | defaults, check=False)  # noqa: S603 (the caller's own words)
    raise typer.Exit(done.returncode)
