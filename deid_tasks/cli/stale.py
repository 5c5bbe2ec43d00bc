"""``deid stale``: published notes that are older than the engine in use."""

from typing import Annotated

import typer

from deid_tasks.cli.options import INSTITUTIONS_FOLDER, Institution, Institutions, settings_and_secrets
from deid_tasks.cli.output import CsvFile, JsonFile, Output
from deid_tasks.core.figure_table import COUNT, Column, FigureTable

_COLUMNS = (Column("fingerprint", "published with engine"), Column("cause", "cause"), Column("notes", "notes", COUNT))


def print_stale(
    institution: Institution,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    first_day: Annotated[str | None, typer.Option(help="First day of notes, as 2024-03-05.")] = None,
    last_day: Annotated[str | None, typer.Option(help="Last day of notes.")] = None,
    note_type: Annotated[list[str] | None, typer.Option(help="Type of notes; may be given several times.")] = None,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print how many published notes are older than the engine in use, and why they may come out differently.

    Texts are searched for changed dictionary terms; no model runs and nothing is changed. Notes that cannot come out
    differently are counted as carried: the next run of restate__X declares them valid.
    """
    from pydantic import ValidationError

    from deid_tasks.core.errors import InputError
    from deid_tasks.platform.runs import stale_notes
    from deid_tasks.settings import RestatementRequest

    given = {"first_day": first_day, "last_day": last_day, "note_types": tuple(note_type or ())}
    try:
        request = RestatementRequest.model_validate(given)
    except ValidationError as error:
        raise InputError(
            f"--first-day and --last-day: {error.errors()[0]['msg']}; write days in order, as 2024-03-05"
        ) from None
    rows = [dict(row) for row in stale_notes(*settings_and_secrets(institution, institutions), request)]
    output = Output(json_file, csv_file)
    output.table(FigureTable(f"notes of {institution} older than the engine in use", _COLUMNS, rows))
    if not rows:
        output.line("Every published note is of the engine in use.")
    output.files(rows, rows)
