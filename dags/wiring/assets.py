"""The assets that connect an institution's DAGs: an evaluation follows dictionaries, harvest and gold.

Dictionaries follow the raw tables where landing writes these.
"""

from airflow.sdk import Asset


def raw_tables_asset(institution: str) -> Asset:
    """Return the asset of the raw tables that landing writes."""
    return _asset(institution, "raw_tables")


def dictionaries_asset(institution: str) -> Asset:
    """Return the asset of the compiled lexicon."""
    return _asset(institution, "dictionaries")


def harvest_asset(institution: str) -> Asset:
    """Return the asset of the approved inclusion list and templates."""
    return _asset(institution, "harvest")


def gold_asset(institution: str) -> Asset:
    """Return the asset of the gold sets."""
    return _asset(institution, "gold")


def quality_asset(institution: str) -> Asset:
    """Return the asset of the newest evaluation and its certificate."""
    return _asset(institution, "quality")


def notes_asset(institution: str) -> Asset:
    """Return the asset of the institution's rows in the published, de-identified table."""
    return _asset(institution, "notes")


def note_days_asset(institution: str) -> Asset:
    """Return the asset of single days of the published table.

    Its events have partition keys, ``<institution>|<day>``, one for each day whose rows a run has changed. They start
    DAGs that are scheduled by partitions; DAGs that follow ``notes_asset`` are started by any change.
    """
    return _asset(institution, "note_days")


def _asset(institution: str, what: str) -> Asset:
    return Asset(name=f"{what}__{institution}", uri=f"palimpsest://{institution}/{what}", group="palimpsest")
