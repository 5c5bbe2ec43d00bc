"""``deid certificate …``: make keys, show a certificate, verify one."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deid_tasks.core.errors import GateError, InputError

if TYPE_CHECKING:
    from deid_tasks.evidence.gate import Certificate

certificate = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Certificates: keys, what one says, whether it is valid.",
)

_INSTITUTIONS = Path("dags/institutions")
File = Annotated[Path | None, typer.Argument(help="A certificate file, as `deid certificate show` writes it.")]
Institution = Annotated[str | None, typer.Option(help="Take this institution's newest certificate from its warehouse.")]
Institutions = Annotated[Path, typer.Option(help="Folder of the institutions' YAML files.")]


@certificate.command()
def keys(
    folder: Annotated[Path, typer.Argument(help="Where to write signing_key.pem and verification_key.pem.")] = Path(),
) -> None:
    """Generate a pair: signing_key.pem for the evaluation alone, verification_key.pem for whoever publishes or checks."""
    from deid_tasks.evidence.gate import new_key_pair

    targets = [folder / "signing_key.pem", folder / "verification_key.pem"]
    for target in targets:
        # A lost signing key cannot be had again, and certificates signed with it stop being valid.
        if target.exists():
            raise InputError(f"{target} is there already; move it away first")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for target, key in zip(targets, new_key_pair(), strict=True):
            with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(key)
            print(target)
    except OSError as error:
        raise InputError(f"{folder}: keys cannot be written: {error.strerror}") from None


@certificate.command()
def show(file: File = None, institution: Institution = None, institutions: Institutions = _INSTITUTIONS) -> None:
    """Write a certificate with its signature as JSON; says nothing of whether it is valid."""
    print(_certificate(file, institution, institutions).file(), end="")


@certificate.command()
def verify(
    file: File = None,
    institution: Institution = None,
    institutions: Institutions = _INSTITUTIONS,
    key: Annotated[
        Path | None, typer.Option(help="Public key (PEM); without it the institution's secret is taken.")
    ] = None,
    fingerprint: Annotated[
        str | None, typer.Option(help="Must be of this fingerprint; by default of whichever it names.")
    ] = None,
) -> None:
    """Check signature, verdict and, with --institution, the settings' thresholds; exit status 2 where it is not valid."""
    from deid_tasks.evidence.gate import verify_certificate
    from deid_tasks.settings import GateSettings, Secrets, load_institution

    found = _certificate(file, institution, institutions)
    content = found.content
    gate = None
    if institution is not None:
        gate = load_institution(institutions / f"{institution}.yaml").gate
    if key is not None:
        public = _read(key)
    elif gate is not None:
        public = Secrets().text(gate.verification_key)
    else:
        raise InputError("name the public key (--key) or an institution (--institution) whose secret holds it")
    # Without settings the certificate is held against the thresholds it names itself.
    asked = gate or GateSettings.model_validate(content.get("thresholds", {}))
    whose = institution or str(content.get("institution", ""))
    verified = verify_certificate(found, whose, fingerprint or str(content.get("fingerprint", "")), asked, public)
    print(
        f"valid: certificate {verified['certificate_id']} of {verified['institution']}, issued {verified['issued_at']}"
    )
    print(f"  fingerprint {verified['fingerprint']}")
    for one in verified["evaluated"]:
        recall, precision = one["figures"]["recall"], one["figures"]["precision"]
        print(
            f"  {one['design']} gold set {one['gold_version']} ({one['notes']:,} notes; {one['design_means']}):"
            f" recall {recall['value']:.4f}, lower bound {one['recall_lower_bound']:.4f},"
            f" precision {precision['value']:.4f}"
        )


def _certificate(file: Path | None, institution: str | None, institutions: Path) -> "Certificate":
    from deid_tasks.evidence.gate import Certificate

    if file is not None:
        try:
            return Certificate.of_file(_read(file))
        except GateError as error:
            raise GateError(f"{file}: {error}") from None
    if institution is None:
        raise InputError("name a certificate file or an institution (--institution)")
    from deid_tasks.platform.warehouse import connect
    from deid_tasks.platform.warehouse.certificates import newest_certificate
    from deid_tasks.settings import Secrets, load_institution

    settings = load_institution(institutions / f"{institution}.yaml")
    with connect(Secrets().text(settings.warehouse.connection)) as connection:
        row = newest_certificate(connection, settings)
    if row is None:
        raise GateError(f"{institution}: there is no certificate; run evaluate__{institution}")
    return Certificate(row.document, row.signature)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path}: cannot be read") from None
