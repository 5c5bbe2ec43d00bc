"""Settings of landing: where nightly extracts are delivered, and the contract of each table that they hold."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from deid_tasks.settings.section import Name, Section

ColumnName = Annotated[str, Field(pattern=r"^[a-z_][a-z0-9_]{0,62}$")]
ColumnType = Literal["text", "integer", "bigint", "numeric", "double", "boolean", "date", "timestamp", "timestamptz"]


class LandedTableSettings(Section):
    """The contract of one raw table: the files that hold it, its columns, and how its rows are renewed."""

    table: ColumnName = Field(
        description="Table of the raw schema, which dbt's adapter reads. It is made where it is missing."
    )
    files: str = Field(
        min_length=1,
        pattern=r"^[^/]+$",
        description="Names of the table's files, such as patient*.csv.gz; .gz, .bz2 and .zst are decompressed.",
    )
    format: Literal["csv", "ndjson", "parquet"] = Field(description="Format of the files.")
    columns: dict[ColumnName, ColumnType] = Field(
        min_length=1, description="Type of each column. Columns of a file are compared without letter case."
    )
    key: tuple[ColumnName, ...] = Field(
        default=(), description="Columns that identify a row; none may be empty. Needed for merge."
    )
    required: tuple[ColumnName, ...] = Field(default=(), description="Further columns that may not be empty.")
    ignored_columns: tuple[str, ...] = Field(
        default=(), description="Columns of the files that are not loaded. Any other unknown column is an error."
    )
    mode: Literal["replace", "append", "merge"] = Field(
        default="replace",
        description="replace: the table holds what the delivery holds; only rows that differ are written. append: rows"
        " are added. merge: rows are added, or updated by their key.",
    )
    loaded_at: ColumnName | None = Field(
        default=None,
        description="A timestamp column of the table that is in no file: landing sets it (UTC) where a row is new or"
        " differs, so that changed notes are found without reading texts.",
    )
    delimiter: str = Field(default=",", min_length=1, max_length=1, description="Delimiter of CSV.")
    null_value: str = Field(default="", description="A cell of CSV with exactly this text is NULL.")

    @model_validator(mode="after")
    def _is_consistent(self) -> "LandedTableSettings":
        unknown = [name for name in (*self.key, *self.required) if name not in self.columns]
        if unknown:
            raise ValueError(f"key and required name {unknown[0]!r}, which is not among columns")
        if self.mode == "merge" and not self.key:
            raise ValueError("mode merge needs key")
        if self.loaded_at in self.columns:
            raise ValueError(f"loaded_at names {self.loaded_at!r}, which the files hold")
        if {name.lower() for name in self.ignored_columns} & set(self.columns):
            raise ValueError("a column is both in columns and in ignored_columns")
        return self

    @property
    def not_null(self) -> frozenset[str]:
        """The columns that may not be empty."""
        return frozenset((*self.key, *self.required))


class LandingSettings(Section):
    """Where nightly extracts of the EHR are delivered, and how they are loaded into the raw schema."""

    location: str = Field(
        pattern=r"^(/|s3://[^/]+)",
        description="Folder of the deliveries: an absolute path that the worker can read, or s3://bucket/prefix.",
    )
    object_store: Name | None = Field(
        default=None, description="Name of the secret that holds the S3 endpoint and credentials (JSON); for s3://."
    )
    manifests: str = Field(
        default="manifest*.json",
        pattern=r"^[^/]+$",
        description="Names of the manifests, each written after its delivery's files, in the same folder.",
    )
    schedule: str = Field(default="0 * * * *", description="Cron, in UTC, of the land DAG.")
    max_bad_share: float = Field(
        default=0.001,
        ge=0,
        le=1,
        description="Largest share of a file's rows that may be quarantined; a file with more stops its delivery.",
    )
    max_deleted_share: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="Largest share of a table's rows that a delivery (mode replace) may delete; one that would delete"
        " more is taken for incomplete.",
    )
    quarantine_days: float = Field(
        default=90, ge=0, description="Days for which rows that could not be loaded stay in landing_quarantine."
    )
    tables: tuple[LandedTableSettings, ...] = Field(min_length=1, description="The contract: one entry a table.")

    @model_validator(mode="after")
    def _is_unambiguous(self) -> "LandingSettings":
        names = [one.table for one in self.tables]
        if len(set(names)) < len(names):
            raise ValueError("tables has two entries for one table")
        return self
