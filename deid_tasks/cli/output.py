"""Where the figures of a command go: tables on standard output, JSON and CSV into files.

Tables fit 80 columns unless ``--wide`` asks for more.
"""

import csv
import json
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from deid_tasks.cli.jsonl import open_target
from deid_tasks.core.figure_table import FigureTable, Row, print_table

JsonFile = Annotated[
    Path | None, typer.Option("--json", help="Also write the figures as JSON; - prints them in place of the tables.")
]
CsvFile = Annotated[
    Path | None, typer.Option("--csv", help="Also write the main table as CSV; - prints it in place of the tables.")
]
Wide = Annotated[bool, typer.Option("--wide", help="Print all columns, intervals among them.")]


@dataclass(frozen=True, slots=True)
class Output:
    """Where the figures of a command go."""

    json_file: Path | None = None
    csv_file: Path | None = None
    is_wide: bool = False
    file_mode: int | None = None
    """Permissions of the files; the process's umask decides if ``None``."""
    console: Console = field(default_factory=Console)

    @property
    def has_text(self) -> bool:
        """Whether standard output takes tables and sentences, because neither JSON nor CSV goes there."""
        return "-" not in {str(self.json_file), str(self.csv_file)}

    def table(self, table: FigureTable) -> None:
        """Print a table, unless standard output takes JSON or CSV."""
        if self.has_text:
            print_table(self.console, table, is_wide=self.is_wide)

    def line(self, text: str) -> None:
        """Print a sentence below a table, under the same condition."""
        if self.has_text:
            self.console.print(Text(text), highlight=False, soft_wrap=True)

    def paragraph(self, text: str) -> None:
        """Print a sentence of any length on lines as wide as the terminal, under the same condition."""
        if self.has_text:
            lines = textwrap.wrap(text, self.console.width, break_long_words=False, break_on_hyphens=False)
            self.console.print(Text("\n".join(lines)), highlight=False, soft_wrap=True)

    def files(self, document: Any, rows: Iterable[Row]) -> None:
        """Write the files that the options ask for: the document as JSON, the rows as CSV.

        Raises:
            InputError: a file cannot be written.
        """
        if self.json_file is not None:
            with open_target(self.json_file, file_mode=self.file_mode) as target:
                target.write(json.dumps(document, indent=1, default=str) + "\n")
        if self.csv_file is not None:
            with open_target(self.csv_file, file_mode=self.file_mode) as target:
                _write_csv(target, list(rows))


def _write_csv(target: Any, rows: Sequence[Row]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(target, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def warn(message: str) -> None:
    """Print a sentence on standard error."""
    print(message, file=sys.stderr)
