"""Commands of ``deid``; each is a thin shell over the pipeline."""

import datetime
import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from deid_tasks.cli.ablation import ablate
from deid_tasks.cli.annotation import agreement, annotate
from deid_tasks.cli.bench import bench
from deid_tasks.cli.certificate import certificate
from deid_tasks.cli.corpus import corpus
from deid_tasks.cli.harvest import harvest
from deid_tasks.cli.jsonl import Line, Problems, is_text_file, open_target, read_notes
from deid_tasks.cli.keys import keys
from deid_tasks.cli.learn import learn
from deid_tasks.cli.reidentify import reidentify
from deid_tasks.cli.sampling import sample
from deid_tasks.cli.train import train
from deid_tasks.core.errors import DeidError
from deid_tasks.evidence.annotation.formats import FORMATS
from deid_tasks.evidence.annotation.formats.jsonl import span_record

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)

app.add_typer(annotate, name="annotate")
app.add_typer(certificate, name="certificate")
app.add_typer(corpus, name="corpus")
app.add_typer(harvest, name="harvest")
app.add_typer(keys, name="keys")
app.command()(agreement)
app.command()(ablate)
app.command()(bench)
app.command()(reidentify)
app.command()(sample)
app.command()(train)
app.command()(learn)

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
    with open_target(output) as target, _progress() as progress:
        for lines, documents, context in engine.contexts(read_notes(notes, problems, engine.engine.max_characters)):
            for line, found in zip(lines, find(documents, context), strict=True):
                record = {"id": line.note_id, **line.extra, "spans": [span_record(span) for span in found.spans]}
                target.write(json.dumps(record, ensure_ascii=False) + "\n")
            progress(len(lines))
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
    with open_target(output) as target, _progress() as progress:
        for lines, documents, context in engine.contexts(read_notes(notes, problems, engine.engine.max_characters)):
            for line, document, found in zip(lines, documents, find(documents, context), strict=True):
                patient = context.patients.get(document.patient_id or "")
                rewritten = obfuscator.obfuscate(document, found.spans, patient, _moment(line, problems))
                record = {"id": line.note_id, **line.extra, "text": rewritten.text}
                target.write(rewritten.text if is_plain else json.dumps(record, ensure_ascii=False) + "\n")
            progress(len(lines))
    _end(problems)


@app.command()
def evaluate(
    gold: Annotated[
        Path, typer.Argument(help="Gold notes: JSONL of {id, text, spans[, patient_id]}, or as --format says.")
    ],
    predicted: Annotated[
        Path | None,
        typer.Argument(
            help="JSONL of {id, spans}, as `deid detect` writes it, or as --format says. Without it the public engine reads the notes."
        ),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help=f"Of the gold notes: {', '.join(FORMATS)}. Some lie in a folder.")
    ] = "jsonl",
    group: Annotated[
        str, typer.Option(help="A (Safe Harbor), B (A + providers) or C (B + facilities, state, country).")
    ] = "C",
    confidence: Annotated[float, typer.Option(min=0.5, max=0.999)] = 0.95,
    resamples: Annotated[int, typer.Option(min=100, max=100_000, help="Of patients, for the intervals.")] = 1_000,
    figures: Annotated[Path | None, typer.Option("--json", help="Also write every figure as JSON.")] = None,
    report: Annotated[Path | None, typer.Option(help="Also write one HTML page; no note text is in it.")] = None,
) -> None:
    """Score predicted spans against gold spans, in several views. Exit status 1 where lines were skipped or missing."""
    from deid_tasks.cli.evaluation import print_evaluation, read_gold, score, with_engine, with_predicted
    from deid_tasks.core.entities import Group
    from deid_tasks.evidence.evaluate import Scorer

    if group not in Group.__members__:
        raise DeidError(f"group is A, B or C, not {group!r}")
    if form not in FORMATS:
        raise DeidError(f"format is {', '.join(FORMATS)}, not {form!r}")
    problems = Problems()
    notes = read_gold(gold, form, problems)
    pairs = with_predicted(notes, predicted, form, problems) if predicted else with_engine(notes)
    with _progress() as progress:
        evaluation = score(pairs, Scorer(Group(group), confidence, resamples), progress)
    print_evaluation(evaluation, Console())
    document = evaluation.document()
    if figures:
        with open_target(figures) as target:
            target.write(json.dumps(document, indent=1) + "\n")
    if report:
        from deid_tasks.evidence.report import write_report

        part = {"design": "", "gold_version": gold.name, "variants": {"full": document}}
        write_report({"certificate": None, "evaluations": [part]}, report, title=gold.stem)
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


class _Counter:
    """Notes done, shown on standard error where that is a terminal."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("notes", total=None, done=0)
        self._done = 0

    def __call__(self, notes: int) -> None:
        self._done += notes
        self._progress.update(self._task, done=self._done)

    def __enter__(self) -> "_Counter":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()


def _progress() -> _Counter:
    columns = (SpinnerColumn(), TextColumn("{task.fields[done]:,} notes"), TimeElapsedColumn())
    console = Console(stderr=True)
    return _Counter(Progress(*columns, console=console, transient=True, disable=not console.is_terminal))


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
