"""``deid audit …``: verify the audit log, show and export it; see and answer requests for approval."""

import datetime
import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from deid_tasks.cli.identity import person_at_the_desk
from deid_tasks.cli.jsonl import open_target
from deid_tasks.cli.keys import write_key_files
from deid_tasks.cli.options import INSTITUTIONS_FOLDER, Institution, Institutions, settings_and_secrets
from deid_tasks.cli.output import CsvFile, JsonFile, Output, warn
from deid_tasks.core.errors import ApprovalError, InputError
from deid_tasks.core.figure_table import COUNT, Column, FigureTable

audit = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="The audit log: verify, show and export it; requests that a second person approves.",
)

_ROWS = (
    Column("seq", "row", COUNT),
    Column("occurred_at", "time (UTC)"),
    Column("event", "event"),
    Column("role", "role"),
    Column("actor", "who"),
    Column("subject", "subject"),
)
_REQUESTS = (
    Column("request", "request"),
    Column("for", "for"),
    Column("state", "state"),
    Column("requested_by", "by"),
    Column("notes", "notes", COUNT),
    Column("patients", "patients", COUNT),
    Column("expires_at", "expires (UTC)"),
    Column("reason", "reason"),
)
Request = Annotated[str, typer.Argument(help="Id of the request, as `deid audit requests` lists it.")]


@audit.command("keys")
def make_audit_keys(
    folder: Annotated[
        Path, typer.Argument(help="Where to write audit_signing_key.pem and audit_verification_key.pem.")
    ] = Path(),
) -> None:
    """Generate the audit key: the private half signs the log's rows, the public half verifies them."""
    from deid_tasks.evidence.gate import new_key_pair

    signing, verification = new_key_pair()
    write_key_files({folder / "audit_signing_key.pem": signing, folder / "audit_verification_key.pem": verification})


@audit.command("verify")
def verify_log(institution: Institution, institutions: Institutions = INSTITUTIONS_FOLDER) -> None:
    """Check the whole audit log: chain, signatures, the heads outside the database, and the rows that it names.

    Each line names a row and what is wrong with it. Exit status 1 where anything is.
    """
    from deid_tasks.platform.runs import verify_audit_log

    verdict = verify_audit_log(*settings_and_secrets(institution, institutions))
    for finding in verdict.findings:
        print(finding)
    for limit in verdict.limits:
        print(f"note: {limit}")
    outcome = f"{len(verdict.findings)} findings" if verdict.findings else "unchanged"
    print(f"audit log of {institution}: {outcome}; {verdict.rows} rows, {verdict.signed} signed, {verdict.heads} heads")
    if verdict.findings:
        raise typer.Exit(1)


@audit.command("accept-unsigned")
def accept_rows(
    rows: Annotated[str, typer.Argument(help="Numbers of the rows that `deid audit verify` reports: 7, or 7-9.")],
    institution: Institution,
    institutions: Institutions = INSTITUTIONS_FOLDER,
) -> None:
    """Accept rows that lack a signature, with a signed row that names them; you need the audit key.

    Find out first where they come from, with `deid audit export --since`: an upgrade of a former release wrote
    `log_opened` and what it took over without the key. Rows of another origin may be forged.
    """
    from deid_tasks.platform.runs import accept_unsigned_rows

    match = re.fullmatch(r"(\d+)(?:-(\d+))?", rows)
    if match is None:
        raise InputError(f"{rows}: neither the number of a row nor a range such as 7-9")
    first, last = int(match[1]), int(match[2] or match[1])
    settings, secrets = settings_and_secrets(institution, institutions)
    person = person_at_the_desk()
    accepted = accept_unsigned_rows(settings, secrets, first, last, person)
    shown = [asdict(row) | {"occurred_at": str(row.occurred_at)[:19], "subject": row.subject[:26]} for row in accepted]
    Output().table(FigureTable(f"accepted by {person.name}", _ROWS, shown))


@audit.command("export")
def export_log(
    institution: Institution,
    since: Annotated[
        str, typer.Option(help="Number of the first row, or a date or time (ISO 8601, UTC): 2026-11-01.")
    ] = "1",
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL to write; - is standard output.")] = Path("-"),
    institutions: Institutions = INSTITUTIONS_FOLDER,
) -> None:
    """Write the rows of the audit log as JSON lines, the oldest first, for a SIEM."""
    from deid_tasks.platform.runs import export_audit_log

    first = _first(since)
    with open_target(output) as target:
        for row in export_audit_log(*settings_and_secrets(institution, institutions), first):
            target.write(json.dumps(row, sort_keys=True) + "\n")


@audit.command("restored")
def accept_restored_log(institution: Institution, institutions: Institutions = INSTITUTIONS_FOLDER) -> None:
    """Accept that the log lost rows because the warehouse was restored from a backup, so that runs publish again.

    Enter the exclusions first that were requested since the backup: docs/how-to/back-up-and-restore.md. The log names
    you and the lost heads. Exit status 2 where the log has every row whose head is stored.
    """
    from deid_tasks.platform.runs import accept_restore

    settings, secrets = settings_and_secrets(institution, institutions)
    lost = accept_restore(settings, secrets, person_at_the_desk())
    print(f"accepted that {lost['rows']} rows are lost, {lost['first']} to {lost['last']}; runs publish again")


@audit.command("show")
def show_log(
    institution: Institution,
    rows: Annotated[int, typer.Option("--rows", min=1, help="How many of the newest rows.")] = 20,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print the newest rows of the audit log. They are not verified."""
    from deid_tasks.platform.runs import exported_rows

    found = exported_rows(*settings_and_secrets(institution, institutions), rows)
    shown = [row | {"occurred_at": str(row["occurred_at"])[:19], "subject": str(row["subject"])[:26]} for row in found]
    output = Output(json_file, csv_file)
    output.table(FigureTable(f"audit log of {institution}", _ROWS, shown))
    output.files(found, found)


@audit.command("requests")
def list_requests(
    institution: Institution,
    request: Annotated[str | None, typer.Argument(help="One request: also print what it asks for.")] = None,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print the requests for another person's approval, and their states."""
    from deid_tasks.platform.runs import read_request_states

    found = read_request_states(*settings_and_secrets(institution, institutions))
    if request is not None:
        found = [one for one in found if one.request.request_id == request]
        if not found:
            raise ApprovalError(f"there is no request {request!r}; `deid audit requests` lists them")
    rows = [
        {
            "request": one.request.request_id,
            "for": one.request.act,
            "state": one.state,
            "requested_by": one.request.requested_by,
            "notes": len(one.request.note_keys) + len(one.request.note_ids),
            "patients": len(one.request.patient_ids),
            "expires_at": one.request.expires_at.astimezone(datetime.UTC).isoformat()[:16],
            "reason": one.request.reason,
        }
        for one in found
    ]
    output = Output(json_file, csv_file)
    output.table(FigureTable(f"requests of {institution}", _REQUESTS, rows))
    output.files(rows, rows)
    if request is not None:
        asked = found[0].request
        for kind, ids in (("note_key", asked.note_keys), ("patient", asked.patient_ids), ("note", asked.note_ids)):
            for one_id in ids:
                output.line(f"{kind} {one_id}")


@audit.command("approve")
def approve_request(
    request: Request, institution: Institution, institutions: Institutions = INSTITUTIONS_FOLDER
) -> None:
    """Approve another person's request; look at it first with `deid audit requests REQUEST`.

    You are who the operating system says; in a container of the platform nobody is told apart, so it refuses. Exit
    status 2 where you made the request yourself.
    """
    _decide(request, institution, institutions, "approved")


@audit.command("reject")
def reject_request(
    request: Request, institution: Institution, institutions: Institutions = INSTITUTIONS_FOLDER
) -> None:
    """Reject a request; its maker may reject it too."""
    _decide(request, institution, institutions, "rejected")


def _decide(request: str, institution: str, institutions: Path, decision: Literal["approved", "rejected"]) -> None:
    from deid_tasks.platform.runs import decide_request

    settings, secrets = settings_and_secrets(institution, institutions)
    done = decide_request(settings, secrets, request, decision, person_at_the_desk())
    print(f"{done['for']} {done['request']}: {decision} by {done['decided_by']}")


def print_request(institution: str, request_id: str, command: str, expires_at: datetime.datetime) -> None:
    """Print what must happen to a new request: another person approves it, and its maker carries it out."""
    print(request_id)
    warn(
        f"another person must run `deid audit approve {request_id} --institution {institution}`; then run"
        f" `{command} --approved {request_id} --institution {institution}` before"
        f" {expires_at.astimezone(datetime.UTC):%Y-%m-%d %H:%M} UTC"
    )


def _first(since: str) -> int | datetime.datetime:
    if since.isdecimal():
        return int(since)
    try:
        moment = datetime.datetime.fromisoformat(since)
    except ValueError:
        raise InputError(f"--since {since}: neither the number of a row nor a date such as 2026-11-01") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
