"""Commands of ``deid``; each is a thin shell over the pipeline."""

import datetime
import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from deid_tasks.cli.ablation import ablate_engine
from deid_tasks.cli.agreement import print_agreement
from deid_tasks.cli.annotation import annotate
from deid_tasks.cli.bench import bench
from deid_tasks.cli.certificate import certificate
from deid_tasks.cli.corpus import corpus
from deid_tasks.cli.evaluation import evaluate_spans
from deid_tasks.cli.harvest import harvest
from deid_tasks.cli.jsonl import Line, Problems, is_text_file, open_target, read_notes
from deid_tasks.cli.keys import keys
from deid_tasks.cli.learn import learn_from_errors
from deid_tasks.cli.options import RenamedOptionsCommand
from deid_tasks.cli.progress import counting
from deid_tasks.cli.reidentify import write_originals
from deid_tasks.cli.sampling import draw_sample
from deid_tasks.cli.train import train_models
from deid_tasks.core.errors import DeidError
from deid_tasks.evidence.annotation.formats.jsonl import span_record

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)

app.add_typer(annotate, name="annotate")
app.add_typer(certificate, name="certificate")
app.add_typer(corpus, name="corpus")
app.add_typer(harvest, name="harvest")
app.add_typer(keys, name="keys")
app.command("agreement")(print_agreement)
app.command("ablate")(ablate_engine)
app.command("bench")(bench)
app.command("evaluate")(evaluate_spans)
app.command("reidentify")(write_originals)
app.command("sample", cls=RenamedOptionsCommand)(draw_sample)
app.command("train", cls=RenamedOptionsCommand)(train_models)
app.command("learn")(learn_from_errors)

Notes = Annotated[
    Path,
    typer.Argument(
        help="JSONL of {id, text[, patient_id]}, one text file, a folder of .txt files, or - for JSONL on standard input."
    ),
]
Output = Annotated[Path, typer.Option("-o", "--output", help="JSONL to write; - is standard output.")]
Institution = Annotated[str | None, typer.Option(help="Use this institution's settings, dictionaries and patients.")]
Institutions = Annotated[Path, typer.Option(help="Folder of the institutions' YAML files.")]
_INSTITUTIONS = Path("dags/institutions")
_TRAINING = frozenset(("torch", "transformers", "onnx", "safetensors"))
"""Packages of the extra ``train``; the engine itself needs none of them."""


def main() -> None:
    """Run the command line; an error of ours is one line on standard error and exit status 2."""
    try:
        app()
    except DeidError as error:
        Console(stderr=True).print(f"deid: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)
    except ModuleNotFoundError as error:
        package = (error.name or "").split(".")[0]
        if package in {"", "deid_tasks"}:
            raise
        extra = "train" if package in _TRAINING else "platform"
        message = f"this needs the package {package!r}, which is not installed: pip install 'palimpsest-deid[{extra}]'"
        Console(stderr=True).print(f"deid: {message}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(141)


@app.command()
def detect(
    notes: Notes,
    output: Output = Path("-"),
    institution: Institution = None,
    institutions: Institutions = _INSTITUTIONS,
) -> None:
    """Find identifiers: one line a note, {id, spans}. Exit status 1 where lines were skipped."""
    from deid_tasks.cli.engines import CommandEngine
    from deid_tasks.engine.pipeline import detect as find

    engine = CommandEngine(institution, institutions, needs_key=False)
    problems = Problems()
    with open_target(output) as target, counting("notes") as count:
        for lines, documents, context in engine.contexts(read_notes(notes, problems, engine.engine.max_characters)):
            for line, found in zip(lines, find(documents, context), strict=True):
                record = {"id": line.note_id, **line.extra, "spans": [span_record(span) for span in found.spans]}
                target.write(json.dumps(record, ensure_ascii=False) + "\n")
            count(len(lines))
    _end(problems)


@app.command()
def obfuscate(
    notes: Notes,
    output: Output = Path("-"),
    institution: Institution = None,
    institutions: Institutions = _INSTITUTIONS,
) -> None:
    """Replace identifiers by surrogates: one line a note, {id, text}. Exit status 1 where lines were skipped.

    The ids of notes pass through: give pseudonyms where they identify anyone. One text file into an output that ends in .txt gives
    the text itself.
    """
    from deid_tasks.cli.engines import CommandEngine
    from deid_tasks.engine.pipeline import detect as find

    engine = CommandEngine(institution, institutions, needs_key=True)
    obfuscator = engine.engine.obfuscator
    if obfuscator is None:
        raise DeidError("the engine was built without a surrogate key")
    problems = Problems()
    is_plain = output.suffix == ".txt" and is_text_file(notes)
    with open_target(output) as target, counting("notes") as count:
        for lines, documents, context in engine.contexts(read_notes(notes, problems, engine.engine.max_characters)):
            for line, document, found in zip(lines, documents, find(documents, context), strict=True):
                patient = context.patients.get(document.patient_id or "")
                rewritten = obfuscator.obfuscate(document, found.spans, patient, _moment(line, problems))
                record = {"id": line.note_id, **line.extra, "text": rewritten.text}
                target.write(rewritten.text if is_plain else json.dumps(record, ensure_ascii=False) + "\n")
            count(len(lines))
    _end(problems)


@app.command()
def demo(
    notes: Annotated[int, typer.Option(min=200, help="Notes simulated for each of the two hospitals.")] = 3_000,
    down: Annotated[bool, typer.Option("--down", help="Stop what the demo left running.")] = False,  # noqa: FBT002
) -> None:
    """Bring the whole platform up, de-identify three days of two simulated hospitals, and leave Airflow's UI running."""
    from deid_tasks import demo as platform

    if down:
        platform.down()
    else:
        platform.run(platform.Size.of(notes))


@app.command()
def schema(output: Output = Path("-")) -> None:
    """Write the JSON Schema of an institution's settings, for editors."""
    from deid_tasks.settings import json_schema

    with open_target(output) as target:
        target.write(json.dumps(json_schema(), indent=2) + "\n")


def _moment(line: Line, problems: Problems) -> datetime.datetime | None:
    if line.note_datetime is None:
        return None
    try:
        return datetime.datetime.fromisoformat(str(line.note_datetime)).replace(tzinfo=None)
    except ValueError:
        problems.report(
            f"note {line.number}", "note_datetime is no ISO 8601 time; dates without a year are read without it"
        )
        return None


def _end(problems: Problems) -> None:
    if problems.count:
        print(f"{problems.count} problems", file=sys.stderr)
        raise typer.Exit(1)
