"""What institutions of different Airflow teams may not share: a team keeps its connections apart, and no bucket."""

from collections.abc import Iterable, Iterator

from deid_tasks.core.errors import SettingsError
from deid_tasks.settings.institution import InstitutionSettings


def check_stores_of_teams(institutions: Iterable[InstitutionSettings]) -> None:
    """Check that no two institutions of different teams share a bucket or a folder of working files.

    Raises:
        SettingsError: two do: the workers of one could read or delete what is the other's.
    """
    users: dict[str, tuple[InstitutionSettings, str]] = {}
    for one in institutions:
        for key, place in _places(one):
            other, other_key = users.setdefault(place, (one, key))
            if other.team != one.team:
                raise SettingsError(
                    f"{other.institution} ({other_key}) and {one.institution} ({key}) are of different teams and share"
                    f" {place}: give each its own, with credentials that open no other"
                )


def _places(one: InstitutionSettings) -> Iterator[tuple[str, str]]:
    """Yield the settings key of each store of an institution, and the store."""
    yield "publish.bucket", f"bucket {one.publish.bucket}"
    if one.vault is not None:
        yield "vault.bucket", f"bucket {one.vault.bucket}"
    if one.audit_log.bucket is not None:
        yield "audit_log.bucket", f"bucket {one.audit_log.bucket}"
    if one.work_store is not None:
        yield "work_dir", f"bucket {one.work_store.bucket}"
    else:
        yield "work_dir", f"folder {one.work_dir}"
