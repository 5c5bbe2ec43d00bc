"""``deid annotate …``: task lists, finished work, adjudication, gold sets."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from deid_tasks.cli.identity import operating_system_identity
from deid_tasks.cli.options import INSTITUTIONS_FOLDER, Institution, Institutions, settings_and_secrets
from deid_tasks.cli.output import CsvFile, JsonFile, Output, warn
from deid_tasks.cli.progress import working
from deid_tasks.core.errors import InputError
from deid_tasks.core.figure_table import COUNT, SCORE, Column, FigureTable

annotate = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Annotation: write task lists, import finished work, adjudicate conflicts, freeze gold sets.",
)

Samples = Annotated[
    list[str] | None, typer.Option("--sample", help="Sample version; the newest sample of each design by default.")
]
_STATUS_COLUMNS = (
    Column("design", "design"),
    Column("sample_version", "sample"),
    Column("notes", "notes", COUNT),
    Column("annotated_by_both", "by both", COUNT),
    Column("alike", "alike", COUNT),
    Column("kappa", "kappa", SCORE),
    Column("kappa_lower", "from", SCORE),
    Column("kappa_upper", "to", SCORE),
)


@annotate.command("export")
def write_task_lists(
    institution: Institution, sample: Samples = None, institutions: Institutions = INSTITUTIONS_FOLDER
) -> None:
    """Write the task lists of the two annotators. A list that exists is left as it is."""
    from deid_tasks.platform.runs import export_tasks

    with working("writing task lists"):
        reports = export_tasks(
            *settings_and_secrets(institution, institutions), sample or (), operating_system_identity()
        )
    for report in reports:
        shown = report["preannotated_by"]
        print(f"{_name(report)}: {report['notes']:,} notes{f', pre-annotated by {shown}' if shown else ''}")
        for path in report["tasks"]:
            print(f"  {path}")


@annotate.command("import")
def import_finished(
    institution: Institution,
    sample: Samples = None,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    reopen: Annotated[  # noqa: FBT002
        bool,
        typer.Option(
            "--reopen", help="Also import changes of notes that the adjudicator has, and drop the answers on them."
        ),
    ] = False,
) -> None:
    """Import what the annotators put into their folders `done`."""
    from deid_tasks.platform.runs import import_annotations

    settings, secrets = settings_and_secrets(institution, institutions)
    for report in import_annotations(settings, secrets, sample or (), reopen=reopen):
        for person in settings.annotation.annotators:
            print(f"{_name(report)}: {person}: {_counts(report[person])}")


@annotate.command("status")
def print_status(
    institution: Institution,
    sample: Samples = None,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print the progress of each sample and the agreement of its annotators. Nothing is changed."""
    from deid_tasks.platform.runs import annotation_status

    reports = annotation_status(*settings_and_secrets(institution, institutions), sample or ())
    _print_reports(reports, Output(json_file, csv_file))


@annotate.command("adjudicate")
def adjudicate_conflicts(
    institution: Institution,
    sample: Samples = None,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    errors: Annotated[  # noqa: FBT002
        bool, typer.Option("--errors", help="Also run the engine, for the kappa of its errors alone.")
    ] = False,
) -> None:
    """Import the adjudicator's finished notes, and write new conflicts as the adjudicator's next task list."""
    from deid_tasks.platform.runs import adjudicate_samples

    settings, secrets = settings_and_secrets(institution, institutions)
    with working("comparing the annotators"):
        reports = adjudicate_samples(settings, secrets, sample or (), operating_system_identity(), errors=errors)
    for report in reports:
        person = settings.annotation.adjudicator
        print(f"{_name(report)}: {person}: {_counts(report[person])}")
        if report["tasks"]:
            print(f"  {report['handed_over']:,} notes to decide: {report['tasks']}")
    _print_reports(reports, Output())


@annotate.command("freeze")
def freeze_finished_samples(
    institution: Institution, sample: Samples = None, institutions: Institutions = INSTITUTIONS_FOLDER
) -> None:
    """Freeze the gold set of each finished sample. Exit status 1 while work on a sample is open."""
    from deid_tasks.platform.runs import freeze_gold_sets

    reports = freeze_gold_sets(
        *settings_and_secrets(institution, institutions), sample or (), operating_system_identity()
    )
    for report in reports:
        state = f"gold set {report['gold_version']}" if report["gold_version"] else f"open: {report['waiting_for']}"
        print(f"{_name(report)}: {state}")
    if any(not report["gold_version"] for report in reports):
        raise typer.Exit(1)


@annotate.command("simulate")
def simulate_annotators(
    institution: Institution,
    sample: Samples = None,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    gold: Annotated[
        Path | None, typer.Option(help="JSONL of {id, text, spans} with the identifiers of the notes.")
    ] = None,
    from_engine: Annotated[  # noqa: FBT002
        bool, typer.Option("--from-engine", help="Use the engine's own spans for notes that --gold does not hold.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="The same seed makes the same mistakes.")] = 1,
) -> None:
    """Finish the open task lists with simulated people, to try the round trip before real people annotate.

    Each simulated annotator knows the identifiers of a note and makes mistakes as people do: word kappa is about 0.97.
    The adjudicator is nearly always right. Lists that have a finished file in `done` are left alone. Run it after
    `export`, then `import` and `adjudicate`; run it again for the adjudicator's list, then `adjudicate` and `freeze`.

    A gold set made with --from-engine repeats the engine's answers: its figures mean nothing, and it gets no
    certificate.
    """
    from deid_tasks.cli.simulation import finish_lists

    if gold is None and not from_engine:
        raise InputError(
            "the identifiers are unknown: give --gold FILE, or --from-engine to take the engine's own spans"
        )
    settings, secrets = settings_and_secrets(institution, institutions)
    with working("labelling task lists"):
        finished = finish_lists(settings, secrets, sample or (), gold, from_engine=from_engine, seed=seed)
    for one in finished:
        print(f"{one.person}: {one.notes:,} notes marked: {one.path}")
    if not finished:
        print(f"no open task list: run `deid annotate export --institution {institution}` first")
    if from_engine and finished:
        warn("labels repeat the engine's own spans: draw a new sample for real annotators before any evaluation")


def _name(report: Mapping[str, Any]) -> str:
    return f"{report['design']} sample {report['sample_version']}"


def _counts(stored: Mapping[str, int]) -> str:
    counts = ", ".join(f"{notes:,} {what}" for what, notes in stored.items() if notes)
    return f"{counts} notes" if counts else "nothing delivered"


def _print_reports(reports: list[dict[str, Any]], output: Output) -> None:
    rows = [_status_row(report) for report in reports]
    output.table(FigureTable("samples", _STATUS_COLUMNS, rows))
    for report in reports:
        if report["kappas"]:
            weakest = sorted((kappa["value"], what) for what, kappa in report["kappas"].items())[:5]
            conflicts = ", ".join(f"{count:,} of {what}" for what, count in report["conflicts"].items()) or "none"
            output.line(f"{_name(report)}: agreement on identifiers alone {report['positive_agreement']:.4f}")
            output.line(f"  weakest kappa: {', '.join(f'{what} {value:.3f}' for value, what in weakest)}")
            output.line(f"  conflicts: {conflicts}")
        output.line(
            f"{_name(report)}: "
            + (f"waiting for {report['waiting_for']}" if report["waiting_for"] else "nothing is open")
        )
    output.files(reports, rows)


def _status_row(report: Mapping[str, Any]) -> dict[str, Any]:
    row = {name: report[name] for name in ("design", "sample_version", "notes", "annotated_by_both", "alike")}
    if report["kappas"]:
        headline = report["kappas"]["ALL"]
        row |= {"kappa": headline["value"], "kappa_lower": headline["lower"], "kappa_upper": headline["upper"]}
    return row | {"waiting_for": report["waiting_for"]}
