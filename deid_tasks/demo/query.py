"""`python -m deid_tasks.demo.query SQL`: query the demo's published table, called ``notes``, with DuckDB."""

import sys

from rich.console import Console

from deid_tasks.core.errors import DeidError
from deid_tasks.core.figure_table import Column, FigureTable, print_table
from deid_tasks.demo.command import demo_institutions
from deid_tasks.demo.environment import demo_secrets
from deid_tasks.demo.report import QUERY, query
from deid_tasks.demo.services import Platform
from deid_tasks.demo.state import INSTITUTIONS, State, checkout


def print_rows(sql: str) -> None:
    """Print the rows of a query."""
    root = checkout()
    state = State.load(root / ".run")
    institutions = demo_institutions(root / INSTITUTIONS, state)
    places = Platform(root, state, print).places
    names, rows = query(institutions[0], demo_secrets(state, places, institutions), sql)
    columns = [Column(name, name) for name in names]
    print_table(Console(), FigureTable("", columns, [dict(zip(names, row, strict=True)) for row in rows]))


if __name__ == "__main__":
    try:
        print_rows(sys.argv[1] if len(sys.argv) > 1 else QUERY)
    except DeidError as error:
        sys.exit(str(error))
