"""``deid reidentify``: the original texts of published notes, for a person with the key that opens the vault."""

import json
from pathlib import Path
from typing import Annotated

import typer

from deid_tasks.cli.audit import print_request
from deid_tasks.cli.identity import person_at_the_desk
from deid_tasks.cli.jsonl import open_target
from deid_tasks.cli.options import INSTITUTIONS_FOLDER, Institution, Institutions, settings_and_secrets
from deid_tasks.core.errors import InputError
from deid_tasks.core.files import PRIVATE_FILE


def write_originals(
    institution: Institution,
    notes: Annotated[
        list[str] | None,
        typer.Argument(help="note_key of published notes; with the surrogate key, real note ids too."),
    ] = None,
    reason: Annotated[str, typer.Option(help="Why; it is recorded with your login name, the time and the notes.")] = "",
    output: Annotated[
        Path, typer.Option("-o", "--output", help="JSONL to write, readable by you alone; - is standard output.")
    ] = Path("-"),
    request: Annotated[  # noqa: FBT002
        bool, typer.Option("--request", help="Only make a request, which another person must approve.")
    ] = False,
    approved: Annotated[
        str, typer.Option(help="Id of your request that another person approved; notes and reason are those of it.")
    ] = "",
    institutions: Institutions = INSTITUTIONS_FOLDER,
) -> None:
    """Write the original text of published notes: one line per note, {id, note_key, patient_id, text}.

    It needs the key that opens the vault, which publishing does not have. The request is recorded before anything is
    opened. Either all notes are written, or none and one line names the reason. More notes than
    approvals.reidentify_max_notes within 24 hours need a request that another person has approved; it is used once.
    """
    from deid_tasks.platform import runs

    settings, secrets = settings_and_secrets(institution, institutions)
    person = person_at_the_desk()
    if approved and (notes or reason or request):
        raise InputError("--approved takes notes and reason from the request: give neither, nor --request")
    if request:
        made = runs.request_reidentification(settings, secrets, notes or [], reason, person)
        print_request(institution, made.request_id, "deid reidentify", made.expires_at)
        return
    if approved:
        originals = runs.reidentify_as_approved(settings, secrets, approved, person)
    else:
        originals = runs.reidentify_notes(settings, secrets, notes or [], reason, person)
    with open_target(output, file_mode=PRIVATE_FILE) as target:
        for one in originals:
            record = {"id": one.note_id, "note_key": one.note_key, "patient_id": one.patient_id, "text": one.text}
            target.write(json.dumps(record, ensure_ascii=False) + "\n")
