"""``deid report …``: the report on a release, an expert's signature on it, and both verified."""

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deid_tasks.cli.identity import operating_system_identity
from deid_tasks.cli.options import INSTITUTIONS_FOLDER, Institution, Institutions, settings_and_secrets
from deid_tasks.core.errors import GateError, InputError

if TYPE_CHECKING:
    from deid_tasks.evidence.release import SignedReport

report = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="The report on a release for an expert determination: make it, sign it, verify it. It decides nothing.",
)

File = Annotated[Path, typer.Argument(help="A report file, as `deid report release` writes it.")]


@report.command("release")
def report_release(
    institution: Institution,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Folder for release_report.json, .html and .pdf.")
    ] = Path("release_report"),
    pdf: Annotated[  # noqa: FBT002
        bool, typer.Option("--pdf/--no-pdf", help="Also print the page as PDF, by an installed Chromium.")
    ] = True,
    institutions: Institutions = INSTITUTIONS_FOLDER,
) -> None:
    """Measure the present release of an institution, and write a signed report without any text of notes.

    Needs the signing key of certificates, the surrogate key, and the connections of the roles publish and evidence.
    """
    from deid_tasks.platform.runs import make_release_report

    settings, secrets = settings_and_secrets(institution, institutions)
    now = datetime.datetime.now(datetime.UTC)
    made = make_release_report(settings, secrets, now, operating_system_identity())
    _write(made, output, is_printed=pdf)


@report.command("sign")
def sign_report(
    file: File,
    key: Annotated[Path, typer.Option(help="Your Ed25519 private key (PEM), as `deid certificate keys` makes one.")],
    name: Annotated[str, typer.Option(help="Who signs.")],
    qualification: Annotated[str, typer.Option(help="Your knowledge of and experience with the methods.")],
    opinion: Annotated[Path, typer.Option(help="Text file with your opinion, and for whom and until when it holds.")],
    verification_key: Annotated[Path, typer.Option(help="The platform's public key (PEM): the figures are verified.")],
    pdf: Annotated[bool, typer.Option("--pdf/--no-pdf", help="Also print the page again as PDF.")] = True,  # noqa: FBT002
) -> None:
    """Add your signed opinion to a report: JSON and page are written anew beside each other.

    Nothing is decided but what you write. Ed25519, over the hash of the report, your name, qualification and opinion.
    """
    from deid_tasks.evidence.release import attest, verify_report

    found = _load(file)
    verify_report(found, _read(verification_key))
    text = _read(opinion).strip()
    if not text:
        raise InputError(f"{opinion}: the opinion is empty")
    signed = attest(found, name=name, qualification=qualification, opinion=text, key=_read(key))
    if file.name != "release_report.json":
        raise InputError(f"{file}: the file must be called release_report.json, as it was written")
    _write(signed, file.parent, is_printed=pdf)


@report.command("verify")
def verify_release_report(
    file: File,
    key: Annotated[Path, typer.Option(help="The platform's public key (PEM), verification_key.pem.")],
) -> None:
    """Check the platform's signature and every expert's. Exit status 2 where one is not valid."""
    from deid_tasks.core.pem import key_fingerprint
    from deid_tasks.evidence.release import verify_report

    found = _load(file)
    try:
        verify_report(found, _read(key))
    except GateError as error:
        raise GateError(f"{file}: {error}") from None
    content = found.content
    print(f"valid: report {found.sha256} on {content['institution']}, issued {content['issued_at']}")
    print(f"  snapshot {content['release']['snapshot_id']}, {content['release']['notes']:,} notes")
    print(f"  to be made again by {content['reassess_at']}")
    for one in found.attestations:
        print(f"  signed by {one.content['name']} on {one.content['signed_at']}")
        print(f"    key {key_fingerprint(str(one.content['public_key']))}: compare it with the one that they tell you")
    if not found.attestations:
        print("  no expert has signed it")


def _write(made: "SignedReport", folder: Path, *, is_printed: bool) -> None:
    from deid_tasks.evidence.release.pdf import print_pdf
    from deid_tasks.platform.runs import write_report_files

    document, page = write_report_files(made, folder)
    print(document)
    print(page)
    if is_printed:
        target = page.with_suffix(".pdf")
        try:
            print_pdf(page, target)
            print(target)
        except InputError as error:
            typer.echo(f"no PDF: {error}", err=True)


def _load(file: Path) -> "SignedReport":
    from deid_tasks.evidence.release import SignedReport

    try:
        return SignedReport.of_file(_read(file))
    except GateError as error:
        raise GateError(f"{file}: {error}") from None


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{file}: not a text file") from None
