"""``deid harvest …``: candidates for the inclusion list and for templates, and their approval."""

from pathlib import Path
from typing import Annotated

import typer

from deid_tasks.core.errors import DeidError

harvest = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="The inclusion list and the templates of an institution: harvest, verify, approve.",
)

Institution = Annotated[str, typer.Option(help="Whose notes.")]
Institutions = Annotated[Path, typer.Option(help="Folder of the institutions' YAML files.")]
_INSTITUTIONS = Path("dags/institutions")


@harvest.command()
def run(institution: Institution, institutions: Institutions = _INSTITUTIONS) -> None:
    """Write candidates to the restricted work_dir, for a person to look through: sentences.csv and templates.csv."""
    from deid_tasks.platform import runs
    from deid_tasks.settings import Secrets, load_institution

    found = runs.harvest_candidates(load_institution(institutions / f"{institution}.yaml"), Secrets())
    print(
        f"{found['sentence_candidates']:,} sentences and {found['template_candidates']:,} templates from {found['notes']:,} notes:"
        f" {found['folder']}\n"
        f"  {found['sentences_proposed']:,} sentences ({found['share_of_all_sentences']:.1%} of all there are) and"
        f" {found['templates_proposed']:,} templates start as included\n"
        f"Look through both tables, change decisions, then: deid harvest approve --institution {institution} --by NAME"
    )


@harvest.command()
def approve(
    institution: Institution,
    by: Annotated[str, typer.Option(help="Who verified the tables; stands in the frozen version.")],
    version: Annotated[str, typer.Option("--harvest", help="Which harvest; by default the newest.")] = "",
    institutions: Institutions = _INSTITUTIONS,
) -> None:
    """Freeze what the tables leave as included. The engine uses it from now on, under a new fingerprint."""
    from deid_tasks.platform import runs
    from deid_tasks.settings import Secrets, load_institution

    if not by.strip():
        raise DeidError("--by must name who verified the tables")
    settings = load_institution(institutions / f"{institution}.yaml")
    frozen = runs.approve_harvest(settings, Secrets(), by.strip(), harvested=version)
    print(
        f"approved by {frozen['approved_by']} at {frozen['approved_at']}:"
        f" {frozen['sentences']:,} of {frozen['sentences_offered']:,} sentences,"
        f" {frozen['templates']:,} of {frozen['templates_offered']:,} templates, version {frozen['version'][:16]}\n"
        f"The fingerprint has changed: run evaluate__{institution} before the next notes"
    )


@harvest.command()
def show(institution: Institution, institutions: Institutions = _INSTITUTIONS) -> None:
    """What is in use: counts, who approved it, and when."""
    from deid_tasks.platform import runs
    from deid_tasks.settings import Secrets, load_institution

    approved = runs.approved_harvest(load_institution(institutions / f"{institution}.yaml"), Secrets())
    if approved is None:
        print("nothing was approved yet")
        return
    for name in ("version", "harvest", "approved_by", "approved_at", "sentences", "templates"):
        print(f"{name}: {approved[name]}")
