"""The assets that join the DAGs: dictionaries, harvest and gold → quality, and notes."""

from airflow.sdk import Asset


def dictionaries_asset(institution: str) -> Asset:
    """The compiled lexicon of an institution."""
    return _asset(institution, "dictionaries")


def harvest_asset(institution: str) -> Asset:
    """The approved inclusion list and templates of an institution."""
    return _asset(institution, "harvest")


def gold_asset(institution: str) -> Asset:
    """The gold sets of an institution."""
    return _asset(institution, "gold")


def quality_asset(institution: str) -> Asset:
    """The newest evaluation of an institution, and its certificate."""
    return _asset(institution, "quality")


def notes_asset(institution: str) -> Asset:
    """The published, de-identified table's rows of an institution."""
    return _asset(institution, "notes")


def _asset(institution: str, what: str) -> Asset:
    return Asset(name=f"{what}__{institution}", uri=f"palimpsest://{institution}/{what}", group="palimpsest")
