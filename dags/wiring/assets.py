"""The assets that connect an institution's DAGs: an evaluation follows dictionaries, harvest and gold.

Dictionaries follow the raw tables where landing writes these. With ``lineage.database`` in the settings, assets that
are a table have its URI, by which other teams know it; the others, and all without it, have ``palimpsest://…``.
"""

from airflow.sdk import Asset

from deid_tasks.settings import SchemaLayer
from wiring.institutions import usable_institutions


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


_TABLES: dict[str, tuple[SchemaLayer, str]] = {
    "raw_tables": ("results", "landed_file"),
    "gold": ("gold", "gold_set"),
    "quality": ("results", "certificate"),
}
"""The table whose rows say that an asset is new."""


def _asset(institution: str, what: str) -> Asset:
    return Asset(name=f"{what}__{institution}", uri=_uri(institution, what), group="palimpsest")


def _uri(institution: str, what: str) -> str:
    settings = next((one for one in usable_institutions() if one.institution == institution), None)
    if settings is not None and settings.lineage.database:
        if what in _TABLES:
            layer, table = _TABLES[what]
            return f"postgres://{settings.lineage.database}/{settings.schema_name(layer)}/{table}"
        if what == "notes":
            publish = settings.publish
            # Institutions share the table; its rows are partitioned by institution.
            table = publish.table.replace(".", "/")
            return f"s3://{publish.bucket}/{publish.prefix}/{table}/institution={institution}"
    return f"palimpsest://{institution}/{what}"
