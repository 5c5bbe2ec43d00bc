"""``deid keys …``: make keys, change the vault's key, and list the surrogate keys of published notes."""

import base64
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from deid_tasks.cli.identity import operating_system_identity
from deid_tasks.cli.options import INSTITUTIONS_FOLDER, Institution, Institutions, settings_and_secrets
from deid_tasks.cli.output import CsvFile, JsonFile, Output
from deid_tasks.cli.progress import working
from deid_tasks.core.errors import InputError
from deid_tasks.core.figure_table import COUNT, Column, FigureTable

keys = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Keys: the surrogate key, the vault's pair of keys, and changing them.",
)

_USE_COLUMNS = (
    Column("key_id", "key"),
    Column("slices", "slices", COUNT),
    Column("notes", "notes", COUNT),
    Column("state", "state"),
)


@keys.command("surrogate")
def make_surrogate_key(
    file: Annotated[Path, typer.Argument(help="Where to write it.")] = Path("surrogate_key.txt"),
) -> None:
    """Generate a surrogate key: 32 random bytes in base64, for the secret that obfuscate.key names."""
    write_key_files({file: base64.b64encode(os.urandom(32)).decode() + "\n"})


@keys.command("vault")
def make_vault_keys(
    folder: Annotated[
        Path, typer.Argument(help="Where to write vault_private_key.pem and vault_public_key.pem.")
    ] = Path(),
) -> None:
    """Generate the vault's pair of keys: the public key for publishing, the private key for re-identification alone."""
    from deid_tasks.platform.vault import new_vault_keys

    private, public = new_vault_keys()
    write_key_files({folder / "vault_private_key.pem": private, folder / "vault_public_key.pem": public})


@keys.command("rewrap")
def rewrap_data_keys(
    institution: Institution,
    old_key: Annotated[
        Path | None, typer.Option(help="Private key (PEM) that opens the vault now; by default the one in the secret.")
    ] = None,
    institutions: Institutions = INSTITUTIONS_FOLDER,
) -> None:
    """Wrap the vault's data keys for the key that the settings name now. It may be interrupted and run again.

    The audit log names you, as the operating system does.
    """
    from deid_tasks.platform.runs import rewrap_vault
    from deid_tasks.platform.vault import key_pair_opener, vault_opener

    settings, secrets = settings_and_secrets(institution, institutions)
    if old_key is None:
        former = vault_opener(settings, secrets)
    else:
        try:
            former = key_pair_opener(old_key.read_text(encoding="utf-8"), institution)
        except (OSError, UnicodeDecodeError):
            raise InputError(f"{old_key}: cannot be read") from None
    with working("wrapping data keys"):
        done = rewrap_vault(settings, secrets, former, operating_system_identity())
    print(f"{done['rewrapped']} of {done['slices']} slices wrapped for the new key; the others already were")


@keys.command("status")
def print_key_use(
    institution: Institution,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    json_file: JsonFile = None,
    csv_file: CsvFile = None,
) -> None:
    """Print how many slices of the published table were made under each surrogate key.

    Exit status 1 where a slice was made under a former key.
    """
    from deid_tasks.platform.runs import surrogate_keys

    uses = surrogate_keys(*settings_and_secrets(institution, institutions))
    rows = [
        {
            "key_id": use.key_id,
            "slices": use.slices,
            "notes": use.notes,
            "state": "current" if use.is_current else "former: publish these days again",
        }
        for use in uses
    ]
    output = Output(json_file, csv_file)
    output.table(FigureTable(f"surrogate keys of {institution}", _USE_COLUMNS, rows))
    output.files(rows, rows)
    if not all(use.is_current for use in uses):
        raise typer.Exit(1)


def write_key_files(files: Mapping[Path, str]) -> None:
    """Write new files that only their owner can read, and print their paths.

    Raises:
        InputError: a file exists already, or cannot be written.
    """
    for target in files:
        # An overwritten key is lost, and with it everything it opens or has signed.
        if target.exists():
            raise InputError(f"{target} exists already; move it away first")
    try:
        for target, content in files.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(content)
            print(target)
    except OSError as error:
        raise InputError(f"{next(iter(files)).parent}: keys cannot be written: {error.strerror}") from None
