"""``deid explain``: why the words of one note are marked, or not."""

from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deid_tasks.cli.jsonl import Line, Problems, read_lines
from deid_tasks.cli.options import (
    INSTITUTIONS_FOLDER,
    Institutions,
    OptionalInstitution,
    PolicyOption,
    SettingsOption,
)
from deid_tasks.cli.output import JsonFile, Output
from deid_tasks.core.errors import InputError
from deid_tasks.core.figure_table import SCORE, Column, FigureTable
from deid_tasks.core.files import PRIVATE_FILE, write_atomically

if TYPE_CHECKING:
    from deid_tasks.engine.explanation import NoteExplanation

_SPANS = (
    Column("text", "text"),
    Column("entity", "entity"),
    Column("status", "status"),
    Column("reason", "why", is_wide=True),
    Column("score", "score", SCORE),
    Column("found_by", "found by"),
    Column("rules", "rules", is_wide=True),
    Column("models", "models", is_wide=True),
    Column("judge", "judge"),
    Column("terms", "dictionary terms", is_wide=True),
    Column("sources", "in dictionaries", is_wide=True),
    Column("form", "form"),
    Column("policy", "policy", is_wide=True),
    Column("mode", "how", is_wide=True),
    Column("surrogate", "becomes"),
)
_WORDS = (
    Column("text", "text"),
    Column("status", "status"),
    Column("models", "models"),
    Column("rules", "rules", is_wide=True),
    Column("terms", "dictionary terms"),
    Column("sources", "in dictionaries", is_wide=True),
)


def explain_one(
    notes: Annotated[Path, typer.Argument(help="A text file, a folder of .txt files, JSONL, or - for standard input.")],
    note: Annotated[str | None, typer.Option(help="Id of the note; the first one where it is not given.")] = None,
    word: Annotated[
        str | None, typer.Option(help="Also say everything about these words, wherever they stand in the note.")
    ] = None,
    institution: OptionalInstitution = None,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    html: Annotated[
        Path | None, typer.Option("--html", help="Also write a page with colours. It holds the text of the note.")
    ] = None,
    settings: SettingsOption = None,
    policy: PolicyOption = None,
    json_file: JsonFile = None,
    wide: Annotated[bool, typer.Option("--wide", help="Print all columns.")] = False,  # noqa: FBT002
) -> None:
    """Explain one note: what found each identifier, what the models say of it at each stage, which dictionary terms it
    is (with an institution, where they come from and since when), what merging, recovery and the judge made of it, its
    form, what the policy says of it
    and what replaces it; and which unmarked words came nearest.

    **What is printed is the text of the note**: read it where you may read the note.
    """
    from deid_tasks.cli.engines import PUBLIC_KEY, CommandEngine
    from deid_tasks.engine.explanation import explain_note
    from deid_tasks.settings import Secrets

    line = _chosen(read_lines(notes, Problems()), note, notes)
    needs_key = Secrets().find(PUBLIC_KEY) is not None
    engine = CommandEngine(institution, institutions, needs_key=needs_key, settings_file=settings, policy=policy)
    [batch] = engine.batches([line])
    explanation = explain_note(batch.notes.to_pylist()[0], batch.context, word)
    sources = engine.term_sources(explanation.phrases(), line.patient_id)
    explanation = replace(explanation, sources=tuple(sources))
    output = Output(json_file, is_wide=wide, file_mode=PRIVATE_FILE)
    output.table(FigureTable(f"note {line.note_id}: {explanation.outcome}", _SPANS, explanation.rows()))
    if explanation.nearest:
        output.table(FigureTable("not marked, and nearest to it", _WORDS, explanation.nearest_rows()))
    if word is not None:
        output.table(FigureTable(f"places of {word!r}", _WORDS, explanation.asked_rows()))
    if explanation.failure:
        output.line(f"{explanation.failure.error_class} at {explanation.failure.location}")
    document = {
        "note": line.note_id,
        "outcome": str(explanation.outcome),
        "lexicon": explanation.lexicon,
        "spans": explanation.rows(),
        "nearest": explanation.nearest_rows(),
        "asked": explanation.asked_rows(),
    }
    output.files(document, ())
    if html is not None:
        write_atomically(html, page(line.note_id, explanation))


def _chosen(lines: Iterator[Line], note: str | None, source: Path) -> Line:
    for line in lines:
        if note is None or line.note_id == note:
            return line
    raise InputError(f"{source}: no note{f' {note!r}' if note else ''} in it")


def page(note_id: str, explanation: "NoteExplanation") -> str:
    """Return one self-contained HTML page: the note with coloured spans, and a row for each of them."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    source = files("deid_tasks.cli").joinpath("explanation.html").read_text(encoding="utf-8")
    return environment.from_string(source).render(
        note=note_id,
        outcome=str(explanation.outcome),
        lexicon=explanation.lexicon,
        pieces=list(_pieces(explanation)),
        spans=explanation.rows(),
        nearest=explanation.nearest_rows(),
        asked=explanation.asked_rows(),
        failure=explanation.failure,
    )


def _pieces(explanation: "NoteExplanation") -> Iterator[dict[str, Any]]:
    """Yield the note's text in pieces: marked, recovered and near ones with their number, the others without."""
    shown = {
        (row["start"], row["end"]): row | {"number": number}
        for number, row in enumerate(explanation.rows(), 1)
        if row["status"] != "dropped"
    }
    for row in explanation.nearest_rows():
        if not any(start < row["end"] and row["start"] < end for start, end in shown):
            shown[row["start"], row["end"]] = row | {"entity": "", "status": "near", "number": 0, "surrogate": None}
    position = 0
    for (start, end), row in sorted(shown.items()):
        if start < position:
            continue
        yield {"text": explanation.text[position:start], "status": ""}
        yield row | {"text": explanation.text[start:end]}
        position = end
    yield {"text": explanation.text[position:], "status": ""}
