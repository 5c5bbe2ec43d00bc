"""``deid land``: nightly extracts into the raw tables."""

from typing import Annotated

import typer

from deid_tasks.cli.options import INSTITUTIONS_FOLDER, Institution, Institutions, settings_and_secrets
from deid_tasks.cli.output import CsvFile, JsonFile, Output
from deid_tasks.core.figure_table import COUNT, Column, FigureTable

_COLUMNS = (
    Column("delivery", "delivery"),
    Column("table", "table"),
    Column("files", "files", COUNT),
    Column("rows", "rows", COUNT),
    Column("quarantined", "quarantined", COUNT),
    Column("inserted", "inserted", COUNT),
    Column("updated", "updated", COUNT),
    Column("deleted", "deleted", COUNT),
)


def land(
    institution: Institution,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    dry_run: Annotated[  # noqa: FBT002
        bool, typer.Option("--dry-run", help="Read and check every new delivery, and change nothing.")
    ] = False,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Load nightly extracts (section landing of the settings) into the institution's raw tables.

    A delivery is loaded whole or not at all, and once. Run `deid tables upgrade` before the first time.
    """
    from deid_tasks.platform.runs import land_deliveries

    report = land_deliveries(*settings_and_secrets(institution, institutions), dry_run=dry_run)
    rows = [dict(row) for row in report["tables"]]
    output = Output(json_file, csv_file)
    output.table(FigureTable(f"deliveries of {institution}{' (dry run)' if dry_run else ''}", _COLUMNS, rows))
    if not rows:
        output.line("There is no new delivery.")
    if report["unlisted"]:
        output.line(f"{report['unlisted']} files are named by no manifest, and wait.")
    output.files(report, rows)
