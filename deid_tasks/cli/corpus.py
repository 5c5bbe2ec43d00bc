"""``deid corpus …``: counts of words and phrases in the scientific literature."""

import csv
import sys
from pathlib import Path
from typing import Annotated

import typer

from deid_tasks.cli.options import RenamedOptionsCommand
from deid_tasks.cli.progress import counting

corpus = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Count words and phrases in the scientific literature.",
)


@corpus.callback()
def _group() -> None:
    """Keep `count` a subcommand, though it is the only one."""


@corpus.command("count", cls=RenamedOptionsCommand)
def count_phrases(
    sources: Annotated[
        list[Path], typer.Argument(help="Files of the PubMed baseline (.xml.gz), text files, or folders of either.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="CSV of term, occurrences; - is standard output.")
    ] = Path("-"),
    max_words: Annotated[int, typer.Option(min=1, max=5, help="Maximum words of a phrase.")] = 5,
    min_occurrences: Annotated[
        int, typer.Option(min=1, help="Minimum occurrences of a term; rarer terms are left out.")
    ] = 5,
    max_terms_in_memory: Annotated[
        int, typer.Option(min=1_000, help="Maximum number of different terms in memory at once.")
    ] = 2_000_000,
) -> None:
    """Count words and phrases in bounded memory. The result replaces dbt/seeds/literature_counts.csv."""
    from deid_tasks.cli.jsonl import open_target
    from deid_tasks.learning.literature import PhraseCounter, files_of, read_literature

    files = files_of(sources)
    scratch_folder = Path.cwd() if str(output) == "-" else output.resolve().parent
    with (
        counting("documents read") as count,
        PhraseCounter(scratch_folder, max_words, max_terms_in_memory) as counter,
        open_target(output) as target,
    ):
        for path in files:
            for begins, text in read_literature(path):
                counter.documents += begins
                count(int(begins))
                counter.add(text)
        rows = csv.writer(target, lineterminator="\n")
        rows.writerow(("term", "occurrences"))
        written = 0
        for row in counter.counts(min_occurrences):
            rows.writerow(row)
            written += 1
        print(
            f"{written:,} terms of {counter.words:,} words in {counter.documents:,} documents; set in dbt_project.yml:"
            f" literature_documents: {counter.documents}",
            file=sys.stderr,
        )
