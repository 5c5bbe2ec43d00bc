"""De-identify clinical notes: find identifiers, replace them, and measure how well that works.

Exit status: 0, everything was done; 1, lines were skipped or notes quarantined, as messages say; 2, nothing could be
done.
"""

import json
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from deid_tasks.cli.ablation import ablate_engine
from deid_tasks.cli.agreement import print_agreement
from deid_tasks.cli.annotation import annotate
from deid_tasks.cli.audit import audit
from deid_tasks.cli.bench import bench
from deid_tasks.cli.certificate import certificate
from deid_tasks.cli.comparison import compare
from deid_tasks.cli.confidence import fit_confidence
from deid_tasks.cli.corpus import corpus
from deid_tasks.cli.dbt import run_dbt
from deid_tasks.cli.evaluation import evaluate_spans
from deid_tasks.cli.explain import explain_one
from deid_tasks.cli.harvest import harvest
from deid_tasks.cli.jsonl import (
    Problems,
    byte_order_mark,
    has_text_suffix,
    is_text_file,
    json_line,
    open_target,
    read_lines,
)
from deid_tasks.cli.keys import keys
from deid_tasks.cli.landing import land
from deid_tasks.cli.learn import learn_from_errors
from deid_tasks.cli.ledger import print_ledger, retract_notes
from deid_tasks.cli.operating_points import print_operating_points
from deid_tasks.cli.options import (
    INSTITUTIONS_FOLDER,
    AgeUnitsOption,
    Institutions,
    PolicyOption,
    RenamedOptionsCommand,
    SettingsOption,
    TitlesOption,
)
from deid_tasks.cli.pools import write_pools
from deid_tasks.cli.progress import counting
from deid_tasks.cli.reidentify import write_originals
from deid_tasks.cli.report import report
from deid_tasks.cli.reproduction import reproduce
from deid_tasks.cli.roles import write_roles
from deid_tasks.cli.sampling import draw_sample
from deid_tasks.cli.scaffold import institution, layout
from deid_tasks.cli.stale import print_stale
from deid_tasks.cli.tables import tables
from deid_tasks.cli.train import train_models
from deid_tasks.core.errors import DeidError
from deid_tasks.evidence.annotation.labels.schemes import SCHEMES, Scheme

if TYPE_CHECKING:
    from deid_tasks.cli.engines import CommandEngine

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)

app.add_typer(annotate, name="annotate")
app.add_typer(audit, name="audit")
app.add_typer(certificate, name="certificate")
app.add_typer(corpus, name="corpus")
app.add_typer(harvest, name="harvest")
app.add_typer(institution, name="institution")
app.add_typer(keys, name="keys")
app.add_typer(layout, name="layout")
app.add_typer(report, name="report")
app.add_typer(tables, name="tables")
app.command("agreement")(print_agreement)
app.command("ablate")(ablate_engine)
app.command("bench")(bench)
app.command("compare")(compare)
app.command("dbt", context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(run_dbt)
app.command("evaluate")(evaluate_spans)
app.command("land")(land)
app.command("ledger")(print_ledger)
app.command("explain")(explain_one)
app.command("fit-confidence")(fit_confidence)
app.command("operating-points")(print_operating_points)
app.command("pools")(write_pools)
app.command("reidentify")(write_originals)
app.command("reproduce")(reproduce)
app.command("retract")(retract_notes)
app.command("roles")(write_roles)
app.command("sample", cls=RenamedOptionsCommand)(draw_sample)
app.command("stale")(print_stale)
app.command("train", cls=RenamedOptionsCommand)(train_models)
app.command("learn")(learn_from_errors)

Notes = Annotated[
    Path,
    typer.Argument(
        help="JSONL of {id, text[, patient_id]}, a table (.csv, .tsv) with such columns, a text file, a folder of .txt"
        " files, or - for JSONL on standard input."
    ),
]
Output = Annotated[Path, typer.Option("-o", "--output", help="JSONL to write; - is standard output.")]
Institution = Annotated[str | None, typer.Option(help="Use this institution's settings, dictionaries and patients.")]
_TRAINING = frozenset(("torch", "transformers", "onnx", "safetensors"))
"""Packages of the extra ``train``; the engine itself needs none of them."""


def main() -> None:
    """Run the command line. An error that is no defect is one line on standard error and exit status 2."""
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    try:
        app()
    except DeidError as error:
        _fail(str(error))
    except ModuleNotFoundError as error:
        package = (error.name or "").split(".")[0]
        if package in {"", "deid_tasks"}:
            raise
        extra = "train" if package in _TRAINING else "platform"
        _fail(f"this needs the package {package!r}, which is not installed: pip install 'palimpsest-deid[{extra}]'")
    except BrokenPipeError:
        sys.exit(141)
    except OSError as error:
        _fail(f"{error.filename or 'input or output'}: {error.strerror or type(error).__name__}")
    except MemoryError:
        _fail("not enough memory")


def _fail(message: str) -> None:
    Console(stderr=True).print(f"deid: {message}", style="red", markup=False, highlight=False, soft_wrap=True)
    sys.exit(2)


def _show_warning(message: Warning | str, *_: object) -> None:
    """Print a warning as one line, without the code that raised it."""
    print(f"deid: warning: {message}", file=sys.stderr)


@app.command()
def detect(
    notes: Notes,
    output: Output = Path("-"),
    institution: Institution = None,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    settings: SettingsOption = None,
    policy: PolicyOption = None,
    labels: Annotated[
        str | None,
        typer.Option(
            help=f"Also give each span its label in a scheme, and leave out the others: {', '.join(SCHEMES)}."
        ),
    ] = None,
    titles: TitlesOption = None,
    age_units: AgeUnitsOption = None,
) -> None:
    """Find identifiers: one line a note, {id, spans}; each span has its entity, its form and what found it.

    A policy that decides by form, such as safe-harbor, says what is an identifier: spans that it leaves in the text
    are left out. Policy expert, the default, decides by entity: all spans are listed, those too that `deid obfuscate`
    leaves in the text (TIME, ages up to 89).

    A note that cannot be processed becomes {id, outcome, reason, error}, and the others are processed. Exit status 1:
    lines were skipped or notes quarantined.
    """
    if labels is not None and labels not in SCHEMES:
        raise DeidError(f"--labels is one of {', '.join(SCHEMES)}, not {labels!r}")
    from deid_tasks.cli.engines import CommandEngine

    engine = CommandEngine(
        institution,
        institutions,
        needs_key=False,
        settings_file=settings,
        policy=policy,
        titles=titles,
        age_units=age_units,
    )
    _run(notes, output, engine, is_rewriting=False, scheme=SCHEMES[labels] if labels else None)


@app.command()
def obfuscate(
    notes: Notes,
    output: Output = Path("-"),
    institution: Institution = None,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    settings: SettingsOption = None,
    one_patient: Annotated[  # noqa: FBT002
        bool, typer.Option("--one-patient", help="Notes without a patient_id are all of one patient.")
    ] = False,
    policy: PolicyOption = None,
) -> None:
    """Replace identifiers by surrogates: one line a note, {id, text}.

    Notes with the same patient_id share the surrogates of people and the days by which dates move. A note without one
    has its own: who is in two such notes gets two names.

    A note that cannot be processed, or in whose output the audit finds an identifier of the patient, is withheld: it
    becomes {id, outcome, reason, error}, and the others are processed. Exit status 1: lines were skipped or notes
    quarantined.

    The ids of notes pass through: give pseudonyms if ids identify anyone. One text file with an output that ends in
    .txt gives the text itself.
    """
    from deid_tasks.cli.engines import CommandEngine

    engine = CommandEngine(institution, institutions, needs_key=True, settings_file=settings, policy=policy)
    _run(notes, output, engine, is_rewriting=True, is_one_patient=one_patient)


def _run(
    notes: Path,
    output: Path,
    engine: "CommandEngine",
    *,
    is_rewriting: bool,
    is_one_patient: bool = False,
    scheme: Scheme | None = None,
) -> None:
    """Send the notes through the pipeline, and write one line each."""
    from deid_tasks.cli.outcomes import JudgeTally, is_quarantined, note_record
    from deid_tasks.engine.pipeline import deidentify

    problems, done, quarantined, judged = Problems(), 0, 0, JudgeTally()
    is_plain = is_rewriting and has_text_suffix(output) and is_text_file(notes)
    with open_target(output) as target, counting("notes") as count:
        lines = read_lines(notes, problems)
        if is_one_patient:
            lines = (replace(line, patient_id=line.patient_id or "") for line in lines)
        for batch in engine.batches(lines):
            rows = deidentify(batch.notes, batch.context, detect_only=not is_rewriting).to_pylist()
            for line, row in zip(batch.lines, rows, strict=True):
                quarantined += is_quarantined(row)
                judged.add(row)
                if is_plain and is_quarantined(row):
                    # A text file has no place for an outcome: nothing is written.
                    raise typer.Exit(1)
                target.write(
                    byte_order_mark(notes) + row["deid_text"]
                    if is_plain
                    else json_line(note_record(line, row, engine.parts.policy, scheme))
                )
            done += len(batch.lines)
            count(len(batch.lines))
    if shown := str(judged):
        print(shown, file=sys.stderr)
    _end(problems, done, quarantined)


@app.command()
def demo(
    notes: Annotated[int, typer.Option(min=200, help="Notes simulated for each of the two hospitals.")] = 3_000,
    up: Annotated[  # noqa: FBT002
        bool, typer.Option("--up", help="Only start the platform, or restart it with the secrets of .run/secrets.env.")
    ] = False,
    down: Annotated[bool, typer.Option("--down", help="Stop what the demo left running.")] = False,  # noqa: FBT002
) -> None:
    """De-identify three days of two simulated hospitals on a platform of this machine, and leave it running.

    Other institutions are left alone. Their secrets for the demo's Airflow stand in .run/secrets.env, as lines
    AIRFLOW_CONN_NAME=uri and AIRFLOW_VAR_NAME=value (public keys alone).
    """
    from deid_tasks import demo as platform

    if down:
        platform.down()
    elif up:
        platform.up()
    else:
        platform.run(platform.Size.of(notes))


@app.command()
def schema(output: Output = Path("-")) -> None:
    """Write the JSON Schema of an institution's settings, for editors."""
    from deid_tasks.settings import json_schema

    with open_target(output) as target:
        target.write(json.dumps(json_schema(), indent=2) + "\n")


def _end(problems: Problems, done: int, quarantined: int) -> None:
    """Print how many notes were read; end with exit status 1 if lines were skipped or notes quarantined."""
    printed = [f"{done:,} notes"]
    printed += [f"{problems.files_skipped:,} files skipped (not .txt)"] if problems.files_skipped else []
    printed += [f"{problems.count} problems"] if problems.count else []
    printed += [f"{quarantined} notes quarantined"] if quarantined else []
    print(", ".join(printed), file=sys.stderr)
    if problems.count or quarantined:
        raise typer.Exit(1)
