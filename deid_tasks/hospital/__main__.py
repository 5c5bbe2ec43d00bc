"""`python -m deid_tasks.hospital check train`: check the skeletons of a world."""

from collections import Counter
from typing import Annotated

import typer

from deid_tasks.hospital.check import check_skeletons, show
from deid_tasks.hospital.records import World

app = typer.Typer(add_completion=False, help="The simulated hospital, for those who write its skeletons.")


@app.command()
def check(world: World) -> None:
    """Parse and render every skeleton of WORLD; print what is wrong, and exit with 1 where something is."""
    report = check_skeletons(world)
    for problem in report.problems:
        typer.echo(problem)
    kinds = Counter(skeleton.note_type for skeleton in report.skeletons)
    typer.echo(
        f"{world}: {len(report.skeletons)} skeletons of {len(kinds)} note types, {len(report.problems)} problems"
    )
    typer.echo("  " + ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    missing = [entity for entity, count in report.entities.items() if not count]
    typer.echo("  never planted: " + (", ".join(missing) or "nothing"))
    if report.problems:
        raise typer.Exit(1)


@app.command(name="show")
def show_skeleton(
    world: World,
    name: Annotated[str, typer.Argument(help="note_type/skeleton_id")],
    seed: int = 0,
) -> None:
    """Write one skeleton and mark its identifiers."""
    typer.echo(show(world, name, seed))


if __name__ == "__main__":
    app()
