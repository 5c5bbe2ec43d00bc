"""Tables of a benchmark: printed as they grow, and stored with date, commit, machine and command.

A benchmark adds ``add_output_options`` to its parser, opens a ``Results`` and gives its rows to tables. By default the
tables are printed as Markdown and stored in ``benchmarks/results`` as ``DATE-NAME.md`` and ``DATE-NAME.json``;
``--json`` and ``--csv`` print these forms instead.
"""

import argparse
import csv
import datetime
import json
import os
import platform
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks" / "results"

Cell = str | int | float | None
"""The value of a cell; ``None`` is an empty cell."""


@dataclass
class ResultTable:
    """One table of a benchmark."""

    title: str
    columns: Mapping[str, str]
    """The format of each column by its heading, as ``format`` takes it; an empty format shows the value unchanged."""
    rows: list[Sequence[Cell]] = field(default_factory=list)

    def cells(self, row: Sequence[Cell]) -> list[str]:
        """Return the cells of one row as text."""
        formats = zip(row, self.columns.values(), strict=True)
        return ["" if cell is None else format(cell, "" if isinstance(cell, str) else spec) for cell, spec in formats]

    def heading(self) -> list[str]:
        """Return the lines above the rows in Markdown."""
        return [
            f"## {self.title}",
            "",
            f"| {' | '.join(self.columns)} |",
            f"|{'---|' * len(self.columns)}",
        ]

    def line(self, row: Sequence[Cell]) -> str:
        """Return one row in Markdown."""
        return f"| {' | '.join(self.cells(row))} |"


class Results:
    """The tables of one run of a benchmark."""

    def __init__(self, name: str, title: str, arguments: argparse.Namespace) -> None:
        """Begin without tables.

        Args:
            name: The benchmark's name in file names.
            title: One line on what is measured.
            arguments: The parsed command line, with the options of ``add_output_options``.
        """
        self.name, self.title = name, title
        self.tables: list[ResultTable] = []
        self._form: str = arguments.form
        self._folder: Path | None = arguments.results
        self._about = {
            "date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}",
            "commit": commit(),
            "machine": machine(),
            "load": f"{os.getloadavg()[0]:.1f}",
            "command": command(),
        }
        if self._form == "markdown":
            print("\n".join([f"# {title}", "", *self._about_lines()]), flush=True)

    def table(self, title: str, columns: Mapping[str, str]) -> ResultTable:
        """Add a table and print its heading."""
        table = ResultTable(title, columns)
        self.tables.append(table)
        if self._form == "markdown":
            print("\n".join(["", *table.heading()]), flush=True)
        return table

    def add(self, *row: Cell) -> None:
        """Add a row to the last table and print it."""
        table = self.tables[-1]
        table.rows.append(row)
        if self._form == "markdown":
            print(table.line(row), flush=True)

    def finish(self) -> None:
        """Print the JSON or CSV if that was asked for, and store the tables."""
        if self._form == "json":
            print(self.json())
        elif self._form == "csv":
            writer = csv.writer(sys.stdout)
            for table in self.tables:
                writer.writerows([["table", *table.columns], *([table.title, *row] for row in table.rows)])
        if self._folder:
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._folder / f"{self._about['date']}-{self.name}"
            path.with_suffix(".md").write_text(self.markdown(), encoding="utf-8")
            path.with_suffix(".json").write_text(self.json() + "\n", encoding="utf-8")

    def markdown(self) -> str:
        """Return all tables in Markdown."""
        lines = [f"# {self.title}", "", *self._about_lines()]
        for table in self.tables:
            lines += ["", *table.heading(), *(table.line(row) for row in table.rows)]
        return "\n".join(lines) + "\n"

    def json(self) -> str:
        """Return all tables in JSON, with unrounded values."""
        tables = [
            {"title": t.title, "columns": list(t.columns), "rows": [list(r) for r in t.rows]} for t in self.tables
        ]
        document: dict[str, Any] = {"benchmark": self.name, "title": self.title, **self._about, "tables": tables}
        return json.dumps(document, indent=1, ensure_ascii=False)

    def _about_lines(self) -> list[str]:
        return [f"- {key}: {f'`{value}`' if key == 'command' else value}" for key, value in self._about.items()]


@contextmanager
def results(name: str, title: str, arguments: argparse.Namespace) -> Iterator[Results]:
    """Yield the results of one run; they are stored if the block ends without an error."""
    made = Results(name, title, arguments)
    yield made
    made.finish()


def parser_of(documentation: str | None) -> argparse.ArgumentParser:
    """Return a parser with the output options, whose help is a module's docstring."""
    parser = argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_output_options(parser)
    return parser


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``, ``--csv``, ``--results`` and ``--no-results``."""
    parser.set_defaults(form="markdown")
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_const", const="json", dest="form", help="print JSON")
    forms.add_argument("--csv", action="store_const", const="csv", dest="form", help="print CSV")
    stored = parser.add_mutually_exclusive_group()
    stored.add_argument("--results", type=Path, default=FOLDER, help="folder of the stored tables")
    stored.add_argument(
        "--no-results", action="store_const", const=None, dest="results", help="print the tables and store nothing"
    )


def commit() -> str:
    """Return the short name of the commit, with ``+`` if the working tree differs from it."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip()

    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def machine() -> str:
    """Return processor, number of cores and memory of this machine."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.machine()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GiB, Python {platform.python_version()}"


def command() -> str:
    """Return the command line, with absolute paths shortened to their last part."""
    spec = sys.modules["__main__"].__spec__
    module = spec.name if spec else Path(sys.argv[0]).name
    arguments = [Path(one).name if one.startswith("/") else one for one in sys.argv[1:]]
    return shlex.join(["python", "-m", module, *arguments])
