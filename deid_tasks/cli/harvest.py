"""``deid harvest …``: candidates for the inclusion list and for templates, and their approval."""

from typing import Annotated

import typer

from deid_tasks.cli.identity import person_at_the_desk
from deid_tasks.cli.options import INSTITUTIONS_FOLDER, Institution, Institutions, settings_and_secrets
from deid_tasks.cli.progress import working

harvest = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="The inclusion list and the templates of an institution: harvest candidates, approve them, show them.",
)


@harvest.command("run")
def write_candidates(institution: Institution, institutions: Institutions = INSTITUTIONS_FOLDER) -> None:
    """Write candidates to the restricted work_dir for a person to verify: sentences.csv and templates.csv."""
    from deid_tasks.platform import runs

    with working("reading notes"):
        found = runs.harvest_candidates(
            *settings_and_secrets(institution, institutions), prepared_by=person_at_the_desk()
        )
    print(
        f"{found['sentence_candidates']:,} sentences and {found['template_candidates']:,} templates from"
        f" {found['notes']:,} notes: {found['folder']}\n"
        f"  included at first: {found['sentences_proposed']:,} sentences ({found['share_of_all_sentences']:.1%} of all"
        f" sentences) and {found['templates_proposed']:,} templates\n"
        f"Verify both tables and change decisions; then another person runs:"
        f" deid harvest approve --institution {institution}"
    )


@harvest.command("approve")
def approve_candidates(
    institution: Institution,
    version: Annotated[str, typer.Option("--harvest", help="Which harvest; the newest by default.")] = "",
    institutions: Institutions = INSTITUTIONS_FOLDER,
) -> None:
    """Freeze the candidates that the tables include. The engine uses them from now on, under a new fingerprint.

    The frozen version names you, as the operating system does. Whoever ran the harvest may not approve it, unless
    approvals.two_people leaves `harvest` out.
    """
    from deid_tasks.platform import runs

    settings, secrets = settings_and_secrets(institution, institutions)
    frozen = runs.approve_harvest(settings, secrets, person_at_the_desk(), harvested=version)
    print(
        f"approved by {frozen['approved_by']} at {frozen['approved_at']}:"
        f" {frozen['sentences']:,} of {frozen['sentences_offered']:,} sentences,"
        f" {frozen['templates']:,} of {frozen['templates_offered']:,} templates, version {frozen['version'][:16]}\n"
        f"The fingerprint has changed: run evaluate__{institution} before the next notes"
    )


@harvest.command("show")
def show_approved(institution: Institution, institutions: Institutions = INSTITUTIONS_FOLDER) -> None:
    """Print what the engine uses: counts, and who approved it when."""
    from deid_tasks.platform import runs

    approved = runs.approved_harvest(*settings_and_secrets(institution, institutions))
    if approved is None:
        print(f"nothing is approved yet: run `deid harvest run --institution {institution}` first")
        return
    for name in ("version", "harvest", "approved_by", "approved_at", "sentences", "templates"):
        print(f"{name}: {approved[name]}")
