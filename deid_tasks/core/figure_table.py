"""Tables of figures as people read them: no figure is ever cut.

On a terminal a table has a ruled heading; elsewhere it is plain text without boxes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

Row = Mapping[str, Any]
SCORE = ".4f"
COUNT = ",d"
_UNLIMITED = 10_000


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: the key of its value in a row, its heading, and the format of its values."""

    key: str
    heading: str
    format: str = ""
    """A format specification for numbers, such as ``.4f``; empty for text."""
    is_wide: bool = False
    """Shown with ``--wide`` alone."""

    def cell(self, value: Any) -> str:
        """Return the value as the table shows it; a missing value is a dash in a column of numbers."""
        if value is None:
            return "–" if self.format else ""
        return format(value, self.format) if self.format else str(value)


@dataclass(frozen=True, slots=True)
class FigureTable:
    """A titled table of rows; a row may hold more than its columns show."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    is_emphasised: Callable[[Row], bool] | None = None
    """Whether a row is printed in bold on a terminal; no row is by default."""

    def cells(self, *, is_wide: bool) -> tuple[list[Column], list[list[str]]]:
        """Return the columns to show, and the text of each cell."""
        shown = [column for column in self.columns if is_wide or not column.is_wide]
        return shown, [[column.cell(row.get(column.key)) for column in shown] for row in self.rows]


def print_table(console: Console, table: FigureTable, *, is_wide: bool = False) -> None:
    """Print a table: with rules on a terminal, as plain aligned text elsewhere. No cell is shortened.

    A table that is wider than the terminal keeps its figures, and the terminal wraps its lines.
    """
    columns, cells = table.cells(is_wide=is_wide)
    if not console.is_terminal:
        for line in _plain_lines(table.title, columns, cells):
            console.file.write(line + "\n")
        return
    shown = Table(title=table.title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        # Text may be folded into several lines, figures may not.
        is_number = bool(column.format)
        shown.add_column(column.heading, justify="right" if is_number else "left", no_wrap=is_number, overflow="fold")
    for row, texts in zip(table.rows, cells, strict=True):
        shown.add_row(*map(Text, texts), style="bold" if table.is_emphasised and table.is_emphasised(row) else None)
    needed = Measurement.get(console, console.options.update(width=_UNLIMITED), shown).minimum
    if needed > console.width:
        # Console.print never exceeds the width of its console, so a wider one prints on the same file.
        system: Any = console.color_system
        console = Console(file=console.file, width=needed, force_terminal=True, color_system=system)
    console.print(shown)


def _plain_lines(title: str, columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> Iterable[str]:
    """Return a table as lines: its title, its headings, and its rows, in columns two spaces apart."""
    lines = [[column.heading for column in columns], *cells]
    widths = [max(len(line[number]) for line in lines) for number in range(len(columns))]
    if title:
        yield title
    for line in lines:
        yield "  ".join(
            text.rjust(width) if column.format else text.ljust(width)
            for column, text, width in zip(columns, line, widths, strict=True)
        ).rstrip()
    yield ""
