"""``deid annotate …``: task lists out, finished work in, agreement, adjudication, gold set; and ``deid agreement``."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from deid_tasks.core.errors import InputError

if TYPE_CHECKING:
    from deid_tasks.core.span import Span
    from deid_tasks.evidence.annotation import AgreementTally
    from deid_tasks.settings import InstitutionSettings, Secrets

annotate = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Annotation: task lists out, finished work in, agreement, adjudication, gold sets.",
)

Institution = Annotated[str, typer.Option(help="Whose notes.")]
Institutions = Annotated[Path, typer.Option(help="Folder of the institutions' YAML files.")]
Samples = Annotated[
    list[str] | None, typer.Option("--sample", help="Sample version; without it the newest of each design.")
]
_INSTITUTIONS = Path("dags/institutions")


@annotate.command()
def export(institution: Institution, sample: Samples = None, institutions: Institutions = _INSTITUTIONS) -> None:
    """Write the two annotators' task lists; lists that are there already stay as they are."""
    from deid_tasks.platform.runs import export_tasks

    for report in export_tasks(*_who(institution, institutions), sample or ()):
        shown = report["preannotated_by"]
        print(f"{_name(report)}: {report['notes']:,} notes{f', pre-annotated by {shown}' if shown else ''}")
        for path in report["tasks"]:
            print(f"  {path}")


@annotate.command("import")
def import_finished(
    institution: Institution,
    sample: Samples = None,
    institutions: Institutions = _INSTITUTIONS,
    reopen: Annotated[  # noqa: FBT002
        bool,
        typer.Option("--reopen", help="Also take changes of notes that the adjudicator has, dropping those answers."),
    ] = False,
) -> None:
    """Read what the annotators finished from their folders `done`."""
    from deid_tasks.platform.runs import import_annotations

    settings, secrets = _who(institution, institutions)
    for report in import_annotations(settings, secrets, sample or (), reopen=reopen):
        for person in settings.annotation.annotators:
            print(f"{_name(report)}: {person}: {_counts(report[person])}")


@annotate.command()
def status(institution: Institution, sample: Samples = None, institutions: Institutions = _INSTITUTIONS) -> None:
    """How far the work is, and how well the annotators agree; changes nothing."""
    from deid_tasks.platform.runs import annotation_status

    for report in annotation_status(*_who(institution, institutions), sample or ()):
        _print_report(report)


@annotate.command()
def adjudicate(
    institution: Institution,
    sample: Samples = None,
    institutions: Institutions = _INSTITUTIONS,
    errors: Annotated[  # noqa: FBT002
        bool, typer.Option("--errors", help="Also run the engine, for the kappa of its errors alone.")
    ] = False,
) -> None:
    """Take in the adjudicator's finished notes, and write new conflicts as the adjudicator's next task list."""
    from deid_tasks.platform.runs import adjudicate_samples

    settings, secrets = _who(institution, institutions)
    for report in adjudicate_samples(settings, secrets, sample or (), errors=errors):
        person = settings.annotation.adjudicator
        print(f"{_name(report)}: {person}: {_counts(report[person])}")
        if report["tasks"]:
            print(f"  {report['handed_over']:,} notes to decide: {report['tasks']}")
        _print_report(report)


@annotate.command()
def freeze(institution: Institution, sample: Samples = None, institutions: Institutions = _INSTITUTIONS) -> None:
    """Freeze the gold sets. Exit status 1 while work is open."""
    from deid_tasks.platform.runs import freeze_gold_sets

    reports = freeze_gold_sets(*_who(institution, institutions), sample or ())
    for report in reports:
        state = f"gold set {report['gold_version']}" if report["gold_version"] else f"open: {report['waiting_for']}"
        print(f"{_name(report)}: {state}")
    if any(not report["gold_version"] for report in reports):
        raise typer.Exit(1)


def agreement(
    first: Annotated[Path, typer.Argument(help="One annotator's finished file or folder.")],
    second: Annotated[Path, typer.Argument(help="The other annotator's.")],
    format_name: Annotated[str, typer.Option("--format", help="What both were written by.")] = "jsonl",
    predicted: Annotated[
        Path | None, typer.Option(help="JSONL of what an engine found, for the kappa of its errors alone.")
    ] = None,
) -> None:
    """How far two annotators agree, by word: the matrix and Cohen's kappa. Exit status 1 where notes lack a partner."""
    from deid_tasks.evidence.annotation import AgreementTally
    from deid_tasks.evidence.annotation.formats import FORMATS, verify_text

    if format_name not in FORMATS:
        raise InputError(f"--format is one of {', '.join(FORMATS)}, not {format_name!r}")
    others = {note.note_id: note for note in FORMATS[format_name].read(second)}
    engine = _predictions(predicted) if predicted else None
    tally, alone = AgreementTally(), 0
    for note in FORMATS[format_name].read(first):
        other = others.pop(note.note_id, None)
        if other is None:
            alone += 1
            continue
        verify_text(other, note.text, str(second))
        found = engine.get(note.note_id, ()) if engine is not None else None
        tally.add(note.text, note.spans, other.spans, note.patient_id or note.note_id, found)
    _print_tally(tally, Console())
    if alone or others:
        print(f"{alone:,} notes are in {first} only, {len(others):,} in {second} only; they do not count")
        raise typer.Exit(1)


def _predictions(path: Path) -> "dict[str, list[Span]]":
    from deid_tasks.evidence.annotation.formats.jsonl import json_lines, parse_spans

    found: dict[str, list[Span]] = {}
    for number, record in json_lines(path):
        try:
            found[str(record.get("id"))] = parse_spans(record)
        except ValueError as error:
            raise InputError(f"{path}:{number}: {error}") from None
    return found


def _who(institution: str, folder: Path) -> "tuple[InstitutionSettings, Secrets]":
    from deid_tasks.settings import Secrets, load_institution

    return load_institution(folder / f"{institution}.yaml"), Secrets()


def _name(report: Mapping[str, Any]) -> str:
    return f"{report['design']} sample {report['sample_version']}"


def _counts(stored: Mapping[str, int]) -> str:
    counts = ", ".join(f"{notes:,} {what}" for what, notes in stored.items() if notes)
    return f"{counts} notes" if counts else "nothing delivered"


def _print_report(report: Mapping[str, Any]) -> None:
    print(
        f"{_name(report)}: {report['annotated_by_both']:,} of {report['notes']:,} notes by both,"
        f" {report['alike']:,} of them alike"
    )
    if report["kappas"]:
        headline = report["kappas"]["ALL"]
        print(f"  matrix {tuple(report['matrix'])}, agreement on identifiers alone {report['positive_agreement']:.4f}")
        print(f"  kappa {headline['value']:.4f} [{headline['lower']:.4f}, {headline['upper']:.4f}]")
        rows = sorted((kappa["value"], what) for what, kappa in report["kappas"].items())
        print(f"  weakest: {', '.join(f'{what} {value:.3f}' for value, what in rows[:5])}")
        print(
            f"  conflicts: {', '.join(f'{count:,} of {what}' for what, count in report['disputes'].items()) or 'none'}"
        )
    print(f"  waiting for {report['waiting_for']}" if report["waiting_for"] else "  nothing is open")


def _print_tally(tally: "AgreementTally", console: Console) -> None:
    matrix = tally.table()
    table = Table(title=f"{tally.notes:,} notes, {matrix.words:,} words", show_header=True)
    for heading in ("first \\ second", "identifier", "none"):
        table.add_column(heading, justify="right")
    table.add_row("identifier", f"{matrix.both:,}", f"{matrix.first:,}")
    table.add_row("none", f"{matrix.second:,}", f"{matrix.neither:,}")
    console.print(table)
    kappas = Table(title="Cohen's kappa, by word; intervals by patient")
    for heading in ("", "kappa", "interval", "by both", "first only", "second only"):
        kappas.add_column(heading, justify="right" if heading else "left")
    for row in tally.kappas():
        kappas.add_row(
            row.name.removeprefix("category:"),
            f"{row.value:.4f}",
            f"[{row.lower:.4f}, {row.upper:.4f}]",
            *(f"{count:,}" for count in (row.table.both, row.table.first, row.table.second)),
            style="bold" if row.name.isupper() and row.name in {"ALL", "ERRORS"} else None,
        )
    console.print(kappas)
    console.print(
        f"kappa {matrix.kappa:.4f}; agreement on identifiers alone {matrix.positive:.4f};"
        f" {tally.notes_alike:,} of {tally.notes:,} notes alike"
    )
