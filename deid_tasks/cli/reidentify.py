"""``deid reidentify``: the originals of published notes, for whoever has the key that opens the vault."""

import getpass
import json
import socket
from pathlib import Path
from typing import Annotated

import typer

from deid_tasks.cli.jsonl import open_target


def reidentify(
    notes: Annotated[
        list[str], typer.Argument(help="note_key of published notes; real note ids with the surrogate key.")
    ],
    institution: Annotated[str, typer.Option(help="Whose notes.")],
    reason: Annotated[str, typer.Option(help="Why; it is kept with your name, the time and the notes.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="JSONL to write; - is standard output.")] = Path("-"),
    institutions: Annotated[Path, typer.Option(help="Folder of the institutions' YAML files.")] = Path(
        "dags/institutions"
    ),
) -> None:
    """Bring the exact original text of published notes back: one line a note, {id, note_key, patient_id, text}.

    Needs the key that opens the vault, which nobody who publishes has. The request is written down before anything is opened; all
    notes are given back, or none and one line says why.
    """
    from deid_tasks.platform.runs import reidentify_notes
    from deid_tasks.settings import Secrets, load_institution

    settings = load_institution(institutions / f"{institution}.yaml")
    asked_by = f"{getpass.getuser()}@{socket.gethostname()}"
    originals = reidentify_notes(settings, Secrets(), notes, reason, asked_by)
    with open_target(output) as target:
        for one in originals:
            record = {"id": one.note_id, "note_key": one.note_key, "patient_id": one.patient_id, "text": one.text}
            target.write(json.dumps(record, ensure_ascii=False) + "\n")
