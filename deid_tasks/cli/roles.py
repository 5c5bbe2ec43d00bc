"""``deid roles``: the database roles of an institution."""

from typing import Annotated

import typer

from deid_tasks.cli.options import INSTITUTIONS_FOLDER, Institution, Institutions, settings_and_secrets
from deid_tasks.cli.output import Output
from deid_tasks.core.figure_table import Column, FigureTable

_COLUMNS = (Column("role", "role"), Column("what", "on"), Column("wanted", "should be"), Column("found", "is"))


def write_roles(
    institution: Institution,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    check: Annotated[  # noqa: FBT002
        bool, typer.Option("--check", help="Compare the database with these roles, and print the differences.")
    ] = False,
    apply_as: Annotated[
        str,
        typer.Option(
            "--apply-as",
            metavar="SECRET",
            help="Run the SQL, and make a login for each connection of warehouse.connections, with the user and the"
            " password of its URI. SECRET is the name of the secret that holds a superuser's URI.",
        ),
    ] = "",
) -> None:
    """Print the SQL that makes the database roles of an institution, one for each kind of task, with their rights.

    A superuser runs it: `deid roles --institution NAME | psql DATABASE`. It may run more than once.
    Exit status 1 with --check: the database differs. It also warns where the server's settings let statements reach its
    log, which makes no difference to the exit status.
    """
    from deid_tasks.platform.warehouse import connect
    from deid_tasks.platform.warehouse.role_check import role_differences
    from deid_tasks.platform.warehouse.role_grants import roles_script
    from deid_tasks.platform.warehouse.role_logins import make_roles
    from deid_tasks.platform.warehouse.role_members import read_members
    from deid_tasks.platform.warehouse.server_logs import logged_statements

    settings, secrets = settings_and_secrets(institution, institutions)
    if apply_as:
        logins = make_roles(secrets.text(apply_as), settings, secrets)
        names = ", ".join(login.user for login in logins)
        Output().line(f"{institution}: roles and their rights are set; logins: {names}")
    if not check and not apply_as:
        print(roles_script(settings), end="")
    if not check:
        return
    with connect(secrets.text(settings.warehouse.connection_of("owner"))) as connection:
        differences = role_differences(connection, settings)
        members = read_members(connection, settings)
        logged = logged_statements(connection, settings)
    output = Output()
    for one in logged:
        output.line(f"warning: {one}")
        output.line(f"as a superuser, for the server: {one.mend}")
    if differences:
        output.table(FigureTable(f"roles of {institution}", _COLUMNS, [one._asdict() for one in differences]))
        if not all(one.mend for one in differences):
            output.line(f"mend them: deid roles --institution {institution} | psql DATABASE, as a superuser")
        if mending := dict.fromkeys(one.mend for one in differences if one.mend):
            output.line("run as a superuser, which that script does not:")
            for statement in mending:
                output.line(statement)
        raise typer.Exit(1)
    shown = ", ".join(member.name for member in members)
    also = f"; nor have their logins ({shown})" if shown else ""
    output.line(f"{institution}: the database has these roles, and they have no other rights{also}")
