"""Settings: typed, validated models, and the single reader of their YAML.

``EngineSettings`` decides which spans are marked and what replaces them. ``InstitutionSettings`` extends it by
everything around the engine: warehouse, schedules, samples, gate and storage.
"""

from deid_tasks.settings.alarms import AlarmDag, AlarmEvent, AlarmRoute, AlarmSettings
from deid_tasks.settings.annotation import (
    DESIGNS,
    DISAGREEMENT,
    RENAMED_DESIGNS,
    AnnotationSettings,
    Design,
    MeasuredDesign,
    SamplingSettings,
)
from deid_tasks.settings.approvals import ApprovalsSettings, AuditLogSettings, TwoPeopleAct
from deid_tasks.settings.compare import CompareSettings
from deid_tasks.settings.detection import (
    CacheSettings,
    ContextRule,
    ContextSettings,
    DetectSettings,
    PatternSettings,
    RecoverSettings,
)
from deid_tasks.settings.endpoints import FORBID_REMOTE_VARIABLE, AnswerCacheSettings, EndpointSettings
from deid_tasks.settings.engine import EngineSettings, NoteLimits
from deid_tasks.settings.gate import DriftSettings, GateSettings
from deid_tasks.settings.institution import (
    DictionariesSettings,
    InstitutionSettings,
    NotesSettings,
    SchemaLayer,
)
from deid_tasks.settings.judge import JudgeCacheSettings, JudgeSettings
from deid_tasks.settings.landing import ColumnType, LandedTableSettings, LandingSettings
from deid_tasks.settings.learning import HarvestSettings, TrainingSettings
from deid_tasks.settings.lineage import LineageSettings
from deid_tasks.settings.load import (
    institution_files,
    json_schema,
    load_engine_settings,
    load_institution,
    load_institutions,
    read_institutions,
)
from deid_tasks.settings.maintenance import MaintenanceSettings
from deid_tasks.settings.merging import MergeSettings, PropagationSettings
from deid_tasks.settings.policy import PolicySettings
from deid_tasks.settings.pools import AirflowPool, airflow_pools
from deid_tasks.settings.release import ReleaseSettings
from deid_tasks.settings.renamed import Renamed, RenamedSettingWarning
from deid_tasks.settings.rewriting import (
    Mode,
    ObfuscateSettings,
    RepeatAction,
    SecondSearchSettings,
    SurrogateSettings,
)
from deid_tasks.settings.run_requests import NotesRequest, RestatementRequest
from deid_tasks.settings.secrets import Secrets
from deid_tasks.settings.section import Section
from deid_tasks.settings.spark import SparkSettings
from deid_tasks.settings.storage import PublishSettings, VaultSettings, WorkspaceSettings, WorkStore
from deid_tasks.settings.teams import check_stores_of_teams
from deid_tasks.settings.transformers import (
    ModelSettings,
    SecondStageSettings,
    SentenceFilterSettings,
    TransformerSettings,
)
from deid_tasks.settings.warehouse import DATABASE_TASKS, DatabaseTask, WarehouseSettings

__all__ = [
    "DATABASE_TASKS",
    "DESIGNS",
    "DISAGREEMENT",
    "FORBID_REMOTE_VARIABLE",
    "RENAMED_DESIGNS",
    "AirflowPool",
    "AlarmDag",
    "AlarmEvent",
    "AlarmRoute",
    "AlarmSettings",
    "AnnotationSettings",
    "AnswerCacheSettings",
    "ApprovalsSettings",
    "AuditLogSettings",
    "CacheSettings",
    "ColumnType",
    "CompareSettings",
    "ContextRule",
    "ContextSettings",
    "DatabaseTask",
    "Design",
    "DetectSettings",
    "DictionariesSettings",
    "DriftSettings",
    "EndpointSettings",
    "EngineSettings",
    "GateSettings",
    "HarvestSettings",
    "InstitutionSettings",
    "JudgeCacheSettings",
    "JudgeSettings",
    "LandedTableSettings",
    "LandingSettings",
    "LineageSettings",
    "MaintenanceSettings",
    "MeasuredDesign",
    "MergeSettings",
    "Mode",
    "ModelSettings",
    "NoteLimits",
    "NotesRequest",
    "NotesSettings",
    "ObfuscateSettings",
    "PatternSettings",
    "PolicySettings",
    "PropagationSettings",
    "PublishSettings",
    "RecoverSettings",
    "ReleaseSettings",
    "Renamed",
    "RenamedSettingWarning",
    "RepeatAction",
    "RestatementRequest",
    "SamplingSettings",
    "SchemaLayer",
    "SecondSearchSettings",
    "SecondStageSettings",
    "Secrets",
    "Section",
    "SentenceFilterSettings",
    "SparkSettings",
    "SurrogateSettings",
    "TrainingSettings",
    "TransformerSettings",
    "TwoPeopleAct",
    "VaultSettings",
    "WarehouseSettings",
    "WorkStore",
    "WorkspaceSettings",
    "airflow_pools",
    "check_stores_of_teams",
    "institution_files",
    "json_schema",
    "load_engine_settings",
    "load_institution",
    "load_institutions",
    "read_institutions",
]
