"""`python -m deid_tasks.demo FOLDER`: load the two simulated hospitals into the warehouses that the settings name."""

from pathlib import Path
from typing import Annotated

import typer

from deid_tasks.demo.seed import DEMO_INSTITUTIONS, Size, seed
from deid_tasks.settings import Secrets, load_institution


def load_hospitals(
    institutions: Annotated[Path, typer.Argument(help="Folder of the institutions' YAML files.")],
    notes: Annotated[int, typer.Option(min=200, help="Notes simulated for each of the two hospitals.")] = 3_000,
    superuser: Annotated[
        str, typer.Option("--as", metavar="SECRET", help="Secret with the URI of whoever owns the hospitals' tables.")
    ] = "",
) -> None:
    """Write each simulated hospital into its warehouse, in place of an earlier one; print its number of notes."""
    secrets = Secrets()
    for name in DEMO_INSTITUTIONS:
        settings = load_institution(institutions / f"{name}.yaml")
        count = seed(secrets.text(superuser or settings.warehouse.connection_of("land")), settings, Size.of(notes))
        print(f"{name}: {count} notes")


if __name__ == "__main__":
    typer.run(load_hospitals)
