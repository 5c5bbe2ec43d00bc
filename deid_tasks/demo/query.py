"""`python -m deid_tasks.demo.query SQL`: ask the demo's published table, called ``notes``, with DuckDB."""

import os
import sys

from rich.console import Console
from rich.table import Table

from deid_tasks.core.errors import DeidError
from deid_tasks.demo.environment import demo_secrets
from deid_tasks.demo.report import QUERY, query
from deid_tasks.demo.services import Platform
from deid_tasks.demo.state import INSTITUTIONS, State, checkout
from deid_tasks.settings import load_institutions


def main(sql: str) -> None:
    """Print the rows that ``sql`` gives."""
    root = checkout()
    state = State.load(root / ".run")
    os.environ["PALIMPSEST_WORK_DIR"] = str(state.folder / "work")
    institutions = load_institutions(root / INSTITUTIONS)
    places = Platform(root, state, print).places
    names, rows = query(institutions[0], demo_secrets(state, places, institutions), sql)
    table = Table(*names, show_lines=True)
    for row in rows:
        table.add_row(*map(str, row))
    Console().print(table)


if __name__ == "__main__":
    try:
        main(sys.argv[1] if len(sys.argv) > 1 else QUERY)
    except DeidError as error:
        sys.exit(str(error))
