"""Options that several commands share, and option names that were renamed."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from deid_tasks.core.entities import Group
from deid_tasks.core.errors import DeidError, InputError
from deid_tasks.core.policies import PRESETS

if TYPE_CHECKING:
    from deid_tasks.settings import EngineSettings, InstitutionSettings, PolicySettings, Secrets

INSTITUTIONS_FOLDER = Path("dags/institutions")
Institution = Annotated[str, typer.Option(help="Name of the institution, as its YAML file is called.")]
OptionalInstitution = Annotated[
    str | None, typer.Option(help="Use this institution's settings, dictionaries and patients.")
]
Institutions = Annotated[
    Path,
    typer.Option(
        help="Folder of the institutions' YAML files, and of their layouts; else that of PALIMPSEST_INSTITUTIONS.",
        envvar="PALIMPSEST_INSTITUTIONS",
        show_envvar=False,
    ),
]
DbtProject = Annotated[Path, typer.Option(help="Folder of the platform's dbt project.")]

PolicyOption = Annotated[
    str | None,
    typer.Option(
        "--policy",
        help=f"What is an identifier, in place of the settings' policy: {', '.join(PRESETS)}. See docs: policies.",
    ),
]
"""The name of a policy."""
SettingsOption = Annotated[
    Path | None,
    typer.Option(
        "--settings", help="YAML of an engine without an institution: detect, merge, recover, judge, policy, obfuscate."
    ),
]
"""A file that ``Engine.load`` reads too."""
TitlesOption = Annotated[
    str | None, typer.Option("--titles", help="Titles (Dr.) in or out of the spans of names; found: as they are found.")
]
AgeUnitsOption = Annotated[
    str | None, typer.Option("--age-units", help="-year-old in or out of the spans of ages; found: as it is found.")
]

RENAMED_OPTIONS: dict[str, dict[str, str]] = {
    "sample": {
        "--least": "--min-notes-per-stratum",
        "--disputed": "--disagreement",
        "--disputed-pool": "--disagreement-pool",
    },
    "train": {"--trunk": "--encoder"},
    "count": {"--least": "--min-occurrences", "--longest": "--max-words", "--terms": "--max-terms-in-memory"},
}
"""Old option names by command. They are accepted for one release, with a warning, and are not in the help."""


class RenamedOptionsCommand(TyperCommand):
    """A command that still accepts the old names of its options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments after putting new option names in place of old ones."""
        renamed = RENAMED_OPTIONS.get(self.name or "", {})
        current = []
        for argument in args:
            name, equals, value = argument.partition("=")
            if name in renamed:
                print(f"deid {self.name}: option {name} was renamed; use {renamed[name]}", file=sys.stderr)
                argument = f"{renamed[name]}{equals}{value}"
            current.append(argument)
        return super().parse_args(ctx, current)


def dbt_project(folder: Path) -> Path:
    """Return the folder that ``--project`` names; raise ``InputError`` if it is not that of the dbt project."""
    if not (folder / "dbt_project.yml").is_file():
        raise InputError(f"{folder}: not the platform's dbt folder; run this in the checkout or give --project")
    return folder


def settings_and_secrets(institution: str, folder: Path) -> "tuple[InstitutionSettings, Secrets]":
    """Return an institution's settings and the secrets that they name.

    Raises:
        SettingsError: there is no such file, or it is not valid.
    """
    from deid_tasks.settings import Secrets, load_institution

    return load_institution(folder / f"{institution}.yaml"), Secrets()


def engine_settings_of(file: Path | None) -> "EngineSettings":
    """Return the settings that ``--settings`` names; those of the public engine if there is no file.

    Raises:
        SettingsError: there is no such file, or it is not valid.
    """
    from deid_tasks.settings import EngineSettings, load_engine_settings

    return load_engine_settings(file) if file else EngineSettings.public()


def policy_of(
    policy: str | None, titles: str | None = None, age_units: str | None = None, given: "PolicySettings | None" = None
) -> "PolicySettings":
    """Return the policy that the options of a command name.

    Args:
        policy: the name of a policy, which replaces ``given``.
        titles: whether titles belong to names: found, in, out.
        age_units: whether units belong to ages: found, in, out.
        given: the policy of the settings; ``expert`` if there are none.

    Raises:
        SettingsError: there is no such policy.
        DeidError: an option has another value.
    """
    from deid_tasks.settings import PolicySettings
    from deid_tasks.settings.policy import named_policy

    if policy in Group.__members__:
        raise DeidError(f"--policy is one of {', '.join(PRESETS)}; for a group of entities write --group {policy}")
    section = named_policy(policy) if policy else given or PolicySettings()
    changed = {}
    for name, option, value in (("titles", "--titles", titles), ("age_units", "--age-units", age_units)):
        if value is not None:
            if value not in {"found", "in", "out"}:
                raise DeidError(f"{option} is found, in or out, not {value!r}")
            changed[name] = value
    return section.model_copy(update=changed)
