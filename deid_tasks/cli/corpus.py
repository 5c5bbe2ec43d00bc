"""``deid corpus …``: counts of words and phrases in the scientific literature."""

import csv
import sys
from pathlib import Path
from typing import Annotated

import typer

corpus = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="The scientific literature, counted: which terms are language, and which phrases are medicine.",
)


@corpus.callback()
def _group() -> None:
    """A group, though it has one command so far."""


@corpus.command()
def count(
    sources: Annotated[
        list[Path], typer.Argument(help="Files of the PubMed baseline (.xml.gz), text files, or folders of either.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="CSV of term, occurrences; - is standard output.")
    ] = Path("-"),
    longest: Annotated[int, typer.Option(min=1, max=5, help="Words of the longest phrase.")] = 5,
    least: Annotated[int, typer.Option(min=1, help="Rarer terms are left out.")] = 5,
    terms: Annotated[int, typer.Option(min=1_000, help="Different terms held in memory at once.")] = 2_000_000,
) -> None:
    """Count words and phrases, in bounded memory. Put the result in the place of dbt/seeds/literature_counts.csv."""
    from deid_tasks.cli.jsonl import open_target
    from deid_tasks.learning.literature import PhraseCounter, files_of, read_literature

    files = files_of(sources)
    room = Path.cwd() if str(output) == "-" else output.resolve().parent
    with PhraseCounter(room, longest, terms) as counter, open_target(output) as target:
        for path in files:
            for begins, text in read_literature(path):
                counter.documents += begins
                counter.add(text)
        rows = csv.writer(target, lineterminator="\n")
        rows.writerow(("term", "occurrences"))
        written = 0
        for row in counter.counts(least):
            rows.writerow(row)
            written += 1
        print(
            f"{written:,} terms of {counter.words:,} words in {counter.documents:,} documents; tell dbt how many documents these are:"
            f" literature_documents: {counter.documents}",
            file=sys.stderr,
        )
