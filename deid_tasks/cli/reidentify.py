"""``deid reidentify``: the original texts of published notes, for a person with the key that opens the vault."""

import getpass
import json
import socket
from pathlib import Path
from typing import Annotated

import typer

from deid_tasks.cli.jsonl import open_target
from deid_tasks.cli.options import INSTITUTIONS_FOLDER, Institution, Institutions, settings_and_secrets
from deid_tasks.core.files import PRIVATE_FILE


def write_originals(
    notes: Annotated[
        list[str], typer.Argument(help="note_key of published notes; with the surrogate key, real note ids too.")
    ],
    institution: Institution,
    reason: Annotated[str, typer.Option(help="Why; it is recorded with your name, the time and the notes.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="JSONL to write, readable by you alone; - is standard output.")
    ] = Path("-"),
    institutions: Institutions = INSTITUTIONS_FOLDER,
) -> None:
    """Write the original text of published notes: one line per note, {id, note_key, patient_id, text}.

    It needs the key that opens the vault, which publishing does not have. The request is recorded before anything is
    opened. Either all notes are written, or none and one line names the reason.
    """
    from deid_tasks.platform.runs import reidentify_notes

    settings, secrets = settings_and_secrets(institution, institutions)
    requested_by = f"{getpass.getuser()}@{socket.gethostname()}"
    originals = reidentify_notes(settings, secrets, notes, reason, requested_by)
    with open_target(output, file_mode=PRIVATE_FILE) as target:
        for one in originals:
            record = {"id": one.note_id, "note_key": one.note_key, "patient_id": one.patient_id, "text": one.text}
            target.write(json.dumps(record, ensure_ascii=False) + "\n")
