"""``deid certificate …``: make keys, show a certificate, verify one."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deid_tasks.cli.keys import write_key_files
from deid_tasks.cli.options import INSTITUTIONS_FOLDER, Institutions, settings_and_secrets
from deid_tasks.core.errors import GateError, InputError

if TYPE_CHECKING:
    from deid_tasks.evidence.gate import Certificate

certificate = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Certificates: make keys, show a certificate, verify it.",
)

File = Annotated[Path | None, typer.Argument(help="A certificate file, as `deid certificate show` writes it.")]
Institution = Annotated[str | None, typer.Option(help="Take this institution's newest certificate from its warehouse.")]


@certificate.command("keys")
def make_signing_keys(
    folder: Annotated[Path, typer.Argument(help="Where to write signing_key.pem and verification_key.pem.")] = Path(),
) -> None:
    """Generate signing_key.pem, for the evaluation alone, and verification_key.pem, for everybody who checks."""
    from deid_tasks.evidence.gate import new_key_pair

    signing, verification = new_key_pair()
    write_key_files({folder / "signing_key.pem": signing, folder / "verification_key.pem": verification})


@certificate.command("export-key")
def export_public_key(
    institution: Annotated[str, typer.Option(help="Institution whose certificates a key in AWS KMS signs.")],
    institutions: Institutions = INSTITUTIONS_FOLDER,
) -> None:
    """Print the public half (PEM) of the KMS key that signs certificates, for the secret gate.verification_key."""
    from deid_tasks.platform.kms import exported_key

    print(exported_key(*settings_and_secrets(institution, institutions)), end="")


@certificate.command("show")
def show_certificate(
    file: File = None, institution: Institution = None, institutions: Institutions = INSTITUTIONS_FOLDER
) -> None:
    """Print a certificate with its signature as JSON. Its validity is not checked."""
    print(_certificate(file, institution, institutions).file(), end="")


@certificate.command("verify")
def verify_file(
    file: File = None,
    institution: Institution = None,
    institutions: Institutions = INSTITUTIONS_FOLDER,
    key: Annotated[
        Path | None, typer.Option(help="Public key (PEM); by default the one that the institution's secret holds.")
    ] = None,
    fingerprint: Annotated[
        str | None, typer.Option(help="Fingerprint that the certificate must be of; by default the one it names.")
    ] = None,
) -> None:
    """Check signature and verdict and, with --institution, the thresholds of its settings.

    Exit status 2 where the certificate is not valid.
    """
    from deid_tasks.evidence.gate import named_thresholds, verify_certificate
    from deid_tasks.settings import Secrets

    found = _certificate(file, institution, institutions)
    content = found.content
    gate = None
    if institution is not None:
        gate = settings_and_secrets(institution, institutions)[0].gate
    if key is not None:
        public = _read(key)
    elif gate is not None:
        public = Secrets().text(gate.verification_key)
    else:
        raise InputError("the public key is missing: give --key FILE, or --institution NAME whose secret holds it")
    # Without settings the thresholds are those that the certificate itself names.
    thresholds = gate or named_thresholds(content)
    owner = institution or str(content.get("institution", ""))
    verified = verify_certificate(found, owner, fingerprint or str(content.get("fingerprint", "")), thresholds, public)
    print(
        f"valid: certificate {verified['certificate_id']} of {verified['institution']}, issued {verified['issued_at']}"
    )
    print(f"  fingerprint {verified['fingerprint']}")
    for one in verified["evaluated"]:
        recall, precision = one["figures"]["recall"], one["figures"]["precision"]
        print(
            f"  {one['design']} gold set {one['gold_version']} ({one['notes']:,} notes; {one['design_means']}):"
            f" recall {recall['value']:.4f}, lower bound {one['recall_lower_bound']:.4f},"
            f" precision {precision['value']:.4f}{_category(one['figures'])}"
        )


def _category(figures: Mapping[str, Any]) -> str:
    """Return the share of words with the right category; certificates of early releases do not have it."""
    return f", right category {figures['category']['value']:.4f}" if "category" in figures else ""


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

    settings, secrets = settings_and_secrets(institution, institutions)
    with connect(secrets.text(settings.warehouse.connection_of("publish"))) as connection:
        row = newest_certificate(connection, settings)
    if row is None:
        raise GateError(f"{institution}: there is no certificate; run evaluate__{institution}")
    return Certificate(row.document, row.signature)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path}: cannot be read") from None
