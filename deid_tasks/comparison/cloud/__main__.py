"""``python -m deid_tasks.comparison.cloud SERVICE``: a cloud service as a process of the comparison's protocol.

``python -m deid_tasks.comparison.cloud SERVICE --dry-run NOTES.jsonl`` prints what the notes would cost, and sends
nothing; it needs neither an account nor credentials.
"""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from deid_tasks.comparison.cloud.service import CloudSystem, note_cost, service_settings
from deid_tasks.comparison.cloud.terms import terms_of
from deid_tasks.comparison.protocol import serve
from deid_tasks.evidence.annotation.formats.jsonl import json_lines


def load_aws(options: Mapping[str, Any]) -> CloudSystem:
    """Return Comprehend Medical with the options of a comparison."""
    from deid_tasks.comparison.cloud.aws import AwsSettings, ComprehendMedical

    settings = service_settings(AwsSettings, options)
    return CloudSystem(ComprehendMedical(settings), settings)


def load_azure(options: Mapping[str, Any]) -> CloudSystem:
    """Return Azure AI Language with the options of a comparison."""
    from deid_tasks.comparison.cloud.azure import AzureLanguage, AzureSettings

    settings = service_settings(AzureSettings, options)
    return CloudSystem(AzureLanguage(settings), settings)


def load_google(options: Mapping[str, Any]) -> CloudSystem:
    """Return Sensitive Data Protection with the options of a comparison."""
    from deid_tasks.comparison.cloud.google import GoogleSettings, SensitiveDataProtection

    settings = service_settings(GoogleSettings, options)
    return CloudSystem(SensitiveDataProtection(settings), settings)


SERVICES: Mapping[str, Callable[[Mapping[str, Any]], CloudSystem]] = {
    "aws": load_aws,
    "azure": load_azure,
    "google": load_google,
}


def dry_run(service: str, notes: Path, dollars_per_unit: float | None = None) -> str:
    """Return a sentence on what the notes of a JSONL file would cost; raises ``InputError`` if it cannot be read."""
    cost = note_cost(
        (str(record.get("text", "")) for _, record in json_lines(notes)), terms_of(service, dollars_per_unit)
    )
    sent = f"{service}: {cost.notes:,} notes, {cost.requests:,} requests, {cost.units:,} units"
    if cost.dollars is None:
        return f"{sent}; the table of {cost.dated} has no price: give --dollars-per-unit. Nothing was sent."
    origin = "your price" if dollars_per_unit is not None else f"the list price of {cost.dated}"
    return f"{sent}, {cost.dollars:,.2f} dollars by {origin}. Nothing was sent."


def _main() -> None:
    """Serve, or print what notes would cost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("service", choices=sorted(SERVICES))
    parser.add_argument("--dry-run", type=Path, metavar="NOTES.jsonl", help="JSONL of {id, text}")
    parser.add_argument("--dollars-per-unit", type=float, help="your price instead of the table's")
    arguments = parser.parse_args()
    if arguments.dry_run is None:
        serve(SERVICES[arguments.service])
        return
    print(dry_run(arguments.service, arguments.dry_run, arguments.dollars_per_unit))


if __name__ == "__main__":
    _main()
