"""``deid keys …``: make keys, change the vault's, and see which surrogate keys published notes were made under."""

import base64
import os
from pathlib import Path
from typing import Annotated

import typer

from deid_tasks.core.errors import InputError

keys = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Keys: the surrogate key, the vault's pair, changing them.",
)

Institution = Annotated[str, typer.Option(help="Whose keys.")]
Institutions = Annotated[Path, typer.Option(help="Folder of the institutions' YAML files.")]
_INSTITUTIONS = Path("dags/institutions")


@keys.command()
def surrogate(
    file: Annotated[Path, typer.Argument(help="Where to write it.")] = Path("surrogate_key.txt"),
) -> None:
    """Generate a surrogate key: 32 random bytes in base64, for the secret that obfuscate.key names."""
    _write_new({file: base64.b64encode(os.urandom(32)).decode() + "\n"})


@keys.command()
def vault(
    folder: Annotated[
        Path, typer.Argument(help="Where to write vault_private_key.pem and vault_public_key.pem.")
    ] = Path(),
) -> None:
    """Generate the vault's pair: the public key for whoever publishes, the private one for re-identification alone."""
    from deid_tasks.platform.vault import new_vault_keys

    private, public = new_vault_keys()
    _write_new({folder / "vault_private_key.pem": private, folder / "vault_public_key.pem": public})


@keys.command()
def rewrap(
    institution: Institution,
    old_key: Annotated[
        Path | None, typer.Option(help="Private key (PEM) that opens the vault until now; by default the secret's.")
    ] = None,
    institutions: Institutions = _INSTITUTIONS,
) -> None:
    """Wrap the vault's data keys for the key that the settings name now. May be interrupted and run again."""
    from deid_tasks.platform.runs import rewrap_vault
    from deid_tasks.platform.vault import key_pair_opener, vault_opener
    from deid_tasks.settings import Secrets, load_institution

    settings, secrets = load_institution(institutions / f"{institution}.yaml"), Secrets()
    if old_key is None:
        former = vault_opener(settings, secrets)
    else:
        try:
            former = key_pair_opener(old_key.read_text(encoding="utf-8"), institution)
        except (OSError, UnicodeDecodeError):
            raise InputError(f"{old_key}: cannot be read") from None
    done = rewrap_vault(settings, secrets, former)
    print(f"{done['rewrapped']} of {done['slices']} slices wrapped anew; the others were already")


@keys.command()
def status(institution: Institution, institutions: Institutions = _INSTITUTIONS) -> None:
    """Tell how many slices of the published table were made under which surrogate key. Exit status 1 where one is former."""
    from deid_tasks.platform.runs import surrogate_keys
    from deid_tasks.settings import Secrets, load_institution

    settings = load_institution(institutions / f"{institution}.yaml")
    uses = surrogate_keys(settings, Secrets())
    for use in uses:
        state = "current" if use.is_current else "former: publish these days again"
        print(f"{use.key_id}  {use.slices:,} slices, {use.notes:,} notes  ({state})")
    if not all(use.is_current for use in uses):
        raise typer.Exit(1)


def _write_new(files: dict[Path, str]) -> None:
    for target in files:
        # A key that was overwritten cannot be had again, nor what it opens.
        if target.exists():
            raise InputError(f"{target} is there already; move it away first")
    try:
        for target, content in files.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(content)
            print(target)
    except OSError as error:
        raise InputError(f"{next(iter(files)).parent}: keys cannot be written: {error.strerror}") from None
