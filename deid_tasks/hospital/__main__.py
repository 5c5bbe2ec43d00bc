"""`python -m deid_tasks.hospital check train`: check a world's skeletons; `history train`: count a history's events."""

from collections import Counter
from typing import Annotated

import typer

from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.check import check_skeletons, show
from deid_tasks.hospital.history import EVENTS, HistoryRates, simulate_history
from deid_tasks.hospital.records import HospitalSpec, World

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


@app.command(name="history")
def count_events(
    world: World,
    days: Annotated[int, typer.Option(min=1, help="days of events")] = 10,
    seed: Annotated[int, typer.Option(help="another seed, another history")] = 0,
) -> None:
    """Simulate the days after a small hospital's first notes; print how often each kind of event is delivered."""
    hospital = build_hospital(HospitalSpec("demo", world, patients=60, providers=20, notes=200, days=2))
    counts: Counter[str] = Counter()
    for day in simulate_history(hospital, write_notes(hospital), HistoryRates(), days, seed):
        counts.update(type(event).__name__ for event in day.events)
        typer.echo(f"{day.day}  {len(day.events):4} events" + ("" if day.events else ", silent"))
    for kind in EVENTS:
        typer.echo(f"  {kind.__name__:18} {counts[kind.__name__]:4}")


if __name__ == "__main__":
    app()
