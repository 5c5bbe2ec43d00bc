"""``deid tables …``: the tables that the engine writes."""

from typing import Annotated

import typer

from deid_tasks.cli.options import INSTITUTIONS_FOLDER, Institutions
from deid_tasks.cli.output import warn

tables = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="The tables that the engine writes: create and upgrade them.",
)


@tables.callback()
def _group() -> None:
    """The tables that the engine writes: create and upgrade them."""


@tables.command("upgrade")
def upgrade_institution(
    institution: Annotated[str, typer.Option(help="The institution whose tables to upgrade.")],
    institutions: Institutions = INSTITUTIONS_FOLDER,
) -> None:
    """Create the schemas _results and _gold, or upgrade them to the newest version. Every row is kept.

    Run it before the first `dbt build` and after installing a release. It may run at any time and more than once; the
    DAG dictionaries__INSTITUTION runs it first. Other sessions wait while tables are altered. Where the audit key is
    set, the audit log takes over what it does not know yet.
    """
    from deid_tasks.platform.runs.schema_upgrade import upgraded_tables
    from deid_tasks.settings import Secrets, load_institution

    settings = load_institution(institutions / f"{institution}.yaml")
    done = upgraded_tables(settings, Secrets())
    for version in done.versions:
        if version.before == version.after:
            typer.echo(f"{version.schema}: {version.after}, nothing to do")
        else:
            typer.echo(f"{version.schema}: {version.before or 'no version'} -> {version.after}")
    if done.waiting:
        warn(done.waiting)
