"""``deid pools``: the Airflow pools of the institutions."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from deid_tasks.cli.jsonl import open_target
from deid_tasks.cli.options import INSTITUTIONS_FOLDER, Institutions


def write_pools(
    institutions: Institutions = INSTITUTIONS_FOLDER,
    output: Annotated[Path, typer.Option("-o", "--output", help="File to write; - is standard output.")] = Path("-"),
) -> None:
    """Write the institutions' Airflow pools, as `airflow pools import` reads them.

    Airflow never starts a task whose pool is missing: run this after an institution was added or its slots changed.
    Institutions of different teams may share no pool, bucket or folder of working files.

    Exit status 1: the file of an institution is not valid, and the pools of the others were written.
    """
    from deid_tasks.settings import airflow_pools, check_stores_of_teams, read_institutions

    usable, problems = read_institutions(institutions)
    check_stores_of_teams(usable)
    with open_target(output) as target:
        target.write(json.dumps(airflow_pools(usable), indent=2) + "\n")
    for problem in problems:
        print(f"deid: {problem}", file=sys.stderr)
    if problems:
        raise typer.Exit(1)
