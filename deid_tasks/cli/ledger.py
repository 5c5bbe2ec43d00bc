"""``deid ledger`` and ``deid retract``: what was published of the notes, and taking notes back."""

from typing import Annotated, Any

import typer

from deid_tasks.cli.audit import print_request
from deid_tasks.cli.identity import operating_system_identity, person_at_the_desk
from deid_tasks.cli.options import INSTITUTIONS_FOLDER, Institution, Institutions, settings_and_secrets
from deid_tasks.cli.output import CsvFile, JsonFile, Output
from deid_tasks.core.errors import InputError
from deid_tasks.core.figure_table import COUNT, Column, FigureTable

_COLUMNS = (
    Column("note_day", "day"),
    Column("note_type", "note type"),
    Column("source", "source", COUNT),
    Column("published", "published", COUNT),
    Column("quarantined", "quarantined", COUNT),
    Column("excluded", "excluded", COUNT),
    Column("in_table", "in table", COUNT),
    Column("pending", "pending", COUNT),
)


def print_ledger(
    institution: Institution,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    differences: Annotated[  # noqa: FBT002
        bool, typer.Option("--differences", help="Only days and types where table and ledger differ or a change waits.")
    ] = False,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print source, ledger and published table by day and note type, as they were last reconciled.

    Exit status 1 where the table does not hold what the ledger says, or a change is overdue.
    """
    from deid_tasks.platform.runs import ledger_counts

    counts = ledger_counts(*settings_and_secrets(institution, institutions))
    rows = [
        {column.key: getattr(count, column.key) for column in _COLUMNS} | {"note_day": count.note_day.isoformat()}
        for count in counts
        if not differences or not count.is_reconciled or count.pending
    ]
    output = Output(json_file, csv_file)
    output.table(FigureTable(f"notes of {institution}", _COLUMNS, rows))
    output.files(rows, rows)
    if not all(count.is_reconciled for count in counts):
        raise typer.Exit(1)


def retract_notes(
    institution: Institution,
    reason: Annotated[str, typer.Option(help="Why, without names or numbers: consent_withdrawn, legal_hold, …")] = "",
    patient: Annotated[list[str] | None, typer.Option(help="Id of a patient; may be given several times.")] = None,
    note: Annotated[list[str] | None, typer.Option(help="Id of a note; may be given several times.")] = None,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    now: Annotated[  # noqa: FBT002
        bool,
        typer.Option("--now", help="Remove rows, former snapshots and files at once, not in the next changes run."),
    ] = False,
    request: Annotated[  # noqa: FBT002
        bool, typer.Option("--request", help="Only make a request, which another person must approve.")
    ] = False,
    approved: Annotated[
        str, typer.Option(help="Id of your request that another person approved; it says what is retracted, and why.")
    ] = "",
    end: Annotated[  # noqa: FBT002
        bool, typer.Option("--end", help="End an exclusion that this command made: publish the notes again.")
    ] = False,
) -> None:
    """Take patients or notes out of the published table, and keep them out.

    The next changes run removes their rows and their originals in the vault; within publish.retract_hours the former
    snapshots and files that hold them are deleted. Samples and gold sets are not changed. Where approvals.two_people
    has `retraction`, another person must approve a request first.
    """
    from deid_tasks.platform import runs

    settings, secrets = settings_and_secrets(institution, institutions)
    # Alone somebody may exclude a note in a container too: what must leave the table never waits for a login.
    person = person_at_the_desk() if request or approved or end else operating_system_identity()
    if approved and (patient or note or reason or request):
        raise InputError("--approved takes patients, notes and reason from the request: give none, nor --request")
    if end and now:
        raise InputError("--now removes rows at once; the next changes run publishes what --end brings back")
    named: Any = {"patient_ids": patient or (), "note_ids": note or (), "reason": reason, "requested_by": person}
    if request:
        made = runs.request_retraction(settings, secrets, **named, act="readmission" if end else "retraction")
        command = "deid retract --end" if end else "deid retract"
        print_request(institution, made.request_id, command, made.expires_at)
        return
    if end:
        back = (
            runs.readmit_as_approved(settings, secrets, approved, person)
            if approved
            else runs.readmit(settings, secrets, **named)
        )
        print(f"{back['notes']} notes of the ledger are excluded no longer by these requests")
        print(f"changes__{institution} publishes them in its next run, unless another exclusion holds")
        return
    if approved:
        asked = runs.retract_as_approved(settings, secrets, approved, person)
    else:
        asked = runs.retract(settings, secrets, **named)
    print(f"{asked['notes']} notes of the ledger are excluded from now on")
    if not now:
        print(f"changes__{institution} removes them in its next run")
        return
    done = runs.retract_at_once(settings, secrets)
    print(f"{done['removed']} rows removed, {done['files']} files deleted")
    if done["held"]:
        print(f"{done['held']} other notes stay, which the warehouse lacks: changes__{institution} asks a person")
