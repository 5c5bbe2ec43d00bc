"""The settings of one institution. Every key is described here; the JSON Schema for editors is generated from this."""

import datetime
import re
from typing import Any, Literal
from zoneinfo import available_timezones

from pydantic import Field, field_validator, model_validator

from deid_tasks.settings.alarms import AlarmSettings
from deid_tasks.settings.annotation import AnnotationSettings, SamplingSettings
from deid_tasks.settings.approvals import ApprovalsSettings, AuditLogSettings
from deid_tasks.settings.compare import CompareSettings
from deid_tasks.settings.engine import EngineSettings, NoteLimits
from deid_tasks.settings.gate import GateSettings
from deid_tasks.settings.landing import LandingSettings
from deid_tasks.settings.learning import HarvestSettings, TrainingSettings
from deid_tasks.settings.lineage import LineageSettings
from deid_tasks.settings.maintenance import MaintenanceSettings
from deid_tasks.settings.placement import EnginePlacement, TaskPlacement
from deid_tasks.settings.release import ReleaseSettings
from deid_tasks.settings.rewriting import ObfuscateSettings
from deid_tasks.settings.section import Name, Section
from deid_tasks.settings.spark import SparkSettings
from deid_tasks.settings.storage import PublishSettings, VaultSettings, WorkspaceSettings, WorkStore
from deid_tasks.settings.warehouse import WarehouseSettings


class DictionariesSettings(TaskPlacement):
    """When the institution's dictionaries are rebuilt, and where dbt's tasks run."""

    queue: str = Field(
        default="dbt", min_length=1, description="Celery queue of dbt's tasks; other executors do not read it."
    )

    schedule: str = Field(
        default="0 18 * * *",
        description="Cron, in UTC, of the dictionaries DAG, which follows each landed delivery instead where there is a"
        " section landing. The evaluation follows it; both should end before the notes DAG starts.",
    )
    max_age_hours: int | None = Field(
        default=None,
        ge=1,
        description="Age of the promoted engine's dictionaries beyond which a run of notes waits for newer ones;"
        " runs never wait if not given.",
    )
    variables: dict[str, Any] = Field(
        default_factory=dict,
        description="Variables of dbt in place of the defaults in `dbt/dbt_project.yml`, such as `harvest_notes` or"
        " `quality_roles`.",
    )

    @field_validator("variables")
    @classmethod
    def _names_neither_institution_nor_layout(cls, value: dict[str, Any]) -> dict[str, Any]:
        if reserved := sorted({"institution", "layout"} & value.keys()):
            raise ValueError(f"{reserved[0]} is not a variable to set here: it has a key of its own")
        return value


class NotesSettings(EnginePlacement, NoteLimits):
    """How one day of notes is divided into shards, where they are processed, and which notes are refused."""

    start_date: datetime.date = Field(description="First day that the daily DAG, and a backfill, may process.")
    end_date: datetime.date | None = Field(
        default=None, description="Last day that the notes DAG processes by itself; there is none if not given."
    )
    schedule: str = Field(
        default="@daily",
        description="Airflow schedule of the notes DAG, in `timezone`. A run publishes the days that end in its"
        " interval; backfills need a time-based schedule.",
    )
    timezone: str = Field(
        default="UTC", description="IANA time zone in which the warehouse writes the notes' times, such as US/Eastern."
    )
    lag_hours: float = Field(
        default=0,
        ge=0,
        le=240,
        description="Hours that the notes DAG waits after the end of a day, for notes that are filed late.",
    )
    engine: Literal["python", "spark"] = Field(
        default="python",
        description="What processes the shards: python, one Airflow task a shard; or spark, one Spark application a run"
        " with one Spark task a shard.",
    )
    spark: SparkSettings = SparkSettings()
    shard_notes: int = Field(default=2_000, ge=1, description="Target number of notes in one shard.")
    max_shards: int = Field(
        default=64, ge=1, le=1_024, description="Maximum shards of one run (Airflow maps over at most 1,024)."
    )
    types_without_patient: tuple[str, ...] = Field(
        default=(),
        description="Types of notes that belong to no patient, such as a ward's log. A note of another type is"
        " quarantined (`no_patient_record`) while the warehouse has no name and no identifier of its patient.",
    )

    @field_validator("timezone")
    @classmethod
    def _is_known_zone(cls, value: str) -> str:
        if value not in available_timezones():
            raise ValueError(f"{value!r} is not an IANA time zone; write one such as America/Chicago")
        return value


class ChangesSettings(Section):
    """How the published table follows notes that were amended, filed late, deleted or excluded."""

    schedule: str = Field(default="@hourly", description="Airflow schedule of the changes DAG, in `notes.timezone`.")
    max_notes: int = Field(
        default=50_000,
        ge=1,
        description="Maximum notes of one run; the next one takes the others. Removals first.",
    )
    max_removed_share: float = Field(
        default=0.01,
        ge=0,
        le=1,
        description="Largest share of the published notes that may leave the table within 24 hours because the"
        " warehouse does not hold them any more. Where more are missing, all of them stay until a person approves their"
        " removal, or the warehouse holds them again. Exclusions and requests to retract never wait. 1 holds nothing.",
    )
    max_ended_exclusions: int = Field(
        default=3,
        ge=0,
        description="Maximum exclusions of the warehouse that may end within 24 hours without a person, other than at"
        " an end that the warehouse had named for 24 hours or from the beginning. Where more have ended, or the"
        " warehouse has no row of exclusions left, all of them stay until a person approves their end, or the warehouse"
        " has them again. Ends by request never wait.",
    )
    max_changed_share: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description="Share of the published notes above which the notes that one run of the changes DAG reads are"
        " logged as unusually many, and judged by `gate.drift` as a day is. A run of `max_notes` notes always is.",
    )
    few_notes: int = Field(
        default=20,
        ge=0,
        description="Notes up to which neither share counts, so that single notes of a small institution pass.",
    )
    restate_notes_per_hour: int = Field(
        default=20_000,
        ge=1,
        description="Maximum notes that one hourly run of the restate DAG reads again after another engine was"
        " promoted, the oldest days first; the next one takes the others.",
    )
    restate_searched_notes_per_hour: int = Field(
        default=5_000_000,
        ge=1,
        description="Maximum notes that one run of the restate DAG searches for changed terms; what it finds unchanged"
        " is carried over at its end, and the next run searches the others.",
    )
    carry_sample_notes: int = Field(
        default=200,
        ge=0,
        description="Notes that a restate run reads again to verify that notes without a changed term come out as"
        " they are published. One difference stops the run. 0 verifies nothing.",
    )
    max_delay_hours: float = Field(
        default=20,
        ge=1,
        description="Hours that a change of the source may be missing in the published table, from the first nightly"
        " reconciliation that finds it; a later one fails. Shorter than the time between two.",
    )
    reconcile_schedule: str = Field(
        default="0 7 * * *",
        description="Airflow schedule, in `notes.timezone`, of the DAG that reconciles source, ledger and table.",
    )


SchemaLayer = Literal["ehr", "staging", "history", "dictionaries", "quality", "results", "gold"]
"""Layers of an institution, each a PostgreSQL schema ``<institution>_<layer>``."""

_BUCKET = re.compile(r"s3://(?P<bucket>[a-z0-9][a-z0-9.-]{2,62})/(?P<prefix>[a-zA-Z0-9_\-]+(?:/[a-zA-Z0-9_\-]+)*)/?")


class InstitutionSettings(EngineSettings):
    """One tenant: the engine's settings, and everything around it. Secrets are named here and never written here."""

    institution: Name
    title: str = Field(min_length=1, description="Name for people, e.g. Riverside Health.")
    owner: str = Field(default="data-engineering", description="Airflow owner of the DAGs.")
    priority: int = Field(
        default=0,
        ge=0,
        le=100,
        description="Added to the priority of each of its tasks: where workers are short, tasks of higher priority"
        " start first.",
    )
    team: str | None = Field(
        default=None,
        pattern=r"^[a-zA-Z0-9_-]{3,50}$",
        description="Airflow team of the institution, where `[core] multi_team` is on; the pools are its own.",
    )
    task_slots: int = Field(
        default=8,
        ge=1,
        description="Tasks that may run at once, of those that do not run the engine: the slots of the Airflow pool"
        " that is called after the institution.",
    )
    warehouse: WarehouseSettings
    landing: LandingSettings | None = Field(
        default=None,
        description="Loads nightly extracts into the raw schema; nothing is loaded if not given, because the raw schema"
        " is the EHR's own or a replica of it.",
    )
    dictionaries: DictionariesSettings = DictionariesSettings()
    notes: NotesSettings
    changes: ChangesSettings = ChangesSettings()
    obfuscate: ObfuscateSettings
    harvest: HarvestSettings = HarvestSettings()
    sampling: SamplingSettings = SamplingSettings()
    annotation: AnnotationSettings = AnnotationSettings()
    training: TrainingSettings = TrainingSettings()
    evidence: TaskPlacement | None = Field(
        default=None,
        description="Where the tasks of samples, gold sets, harvests, training and evaluation run, which alone need the"
        " signing key and read gold notes; where the others do if not given.",
    )
    gate: GateSettings = GateSettings()
    compare: CompareSettings = CompareSettings()
    approvals: ApprovalsSettings = ApprovalsSettings()
    audit_log: AuditLogSettings = AuditLogSettings()
    alarms: AlarmSettings = AlarmSettings()
    lineage: LineageSettings = LineageSettings()
    publish: PublishSettings
    release: ReleaseSettings = ReleaseSettings()
    maintenance: MaintenanceSettings = MaintenanceSettings()
    vault: VaultSettings | None = Field(
        default=None, description="Stores originals for re-identification; nothing is stored if not given."
    )
    work_dir: str = Field(
        description="Restricted folder that every worker can reach, or an object store (s3://bucket/prefix): lexicons,"
        " and shards before they pass the gate. Never in the published bucket or the vault's."
    )
    workspace: WorkspaceSettings = WorkspaceSettings()

    @model_validator(mode="after")
    def _policy_may_be_released_under(self) -> "InstitutionSettings":
        if self.policy.is_for_scores:
            raise ValueError(
                f"policy.preset: {self.policy.preset} is what a corpus marks, for scores in `deid evaluate`; notes are"
                " not published under it"
            )
        return self

    @model_validator(mode="after")
    def _vault_apart(self) -> "InstitutionSettings":
        if self.vault and self.vault.bucket == self.publish.bucket:
            raise ValueError("vault.bucket and publish.bucket must differ: no reader of notes may read originals")
        return self

    @model_validator(mode="after")
    def _work_store_whole(self) -> "InstitutionSettings":
        store = _BUCKET.fullmatch(self.work_dir)
        if store is None:
            if "://" in self.work_dir:
                raise ValueError("work_dir must be a folder or s3://bucket/prefix")
            return self
        if self.workspace.object_store is None or self.workspace.local_dir is None:
            raise ValueError(
                "work_dir is an object store: workspace.object_store and workspace.local_dir must be given"
            )
        if store["bucket"] in {self.publish.bucket, self.vault.bucket if self.vault else ""}:
            raise ValueError("work_dir must not lie in publish.bucket or vault.bucket: it holds real ids")
        return self

    @property
    def work_store(self) -> WorkStore | None:
        """The object store of the working files; ``None`` where they lie in a folder that all workers can reach."""
        store = _BUCKET.fullmatch(self.work_dir)
        if store is None:
            return None
        chosen = self.workspace
        return WorkStore(store["bucket"], store["prefix"], chosen.object_store or "", chosen.kms_key)

    @property
    def local_work_dir(self) -> str:
        """The folder of the working files on each worker: ``work_dir`` itself where it is a folder."""
        return self.work_dir if self.work_store is None else self.workspace.local_dir or ""

    @property
    def dbt_variables(self) -> dict[str, Any]:
        """The variables of dbt: who the institution is, and what its settings change."""
        return {
            **self.dictionaries.variables,
            "institution": self.institution,
            "layout": self.warehouse.layout,
        }

    @property
    def pool(self) -> str:
        """The Airflow pool of the tasks that do not run the engine."""
        return self.institution

    @property
    def engine_pool(self) -> str:
        """The Airflow pool of the tasks that run the engine."""
        return self.notes.pool or f"{self.institution}_notes"

    def schema_name(self, layer: SchemaLayer) -> str:
        """Return the name of the PostgreSQL schema of one layer of this institution."""
        return f"{self.institution}_{layer}"
