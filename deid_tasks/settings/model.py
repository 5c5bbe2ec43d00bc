"""The settings of one institution. Every key is documented here; the JSON Schema for editors is made from this."""

import datetime
from typing import Literal

from pydantic import Field, field_validator, model_validator

from deid_tasks.core.entities import Entity
from deid_tasks.settings.annotation import DESIGNS as DESIGNS
from deid_tasks.settings.annotation import AnnotationSettings as AnnotationSettings
from deid_tasks.settings.annotation import Design as Design
from deid_tasks.settings.annotation import Measured as Measured
from deid_tasks.settings.annotation import SamplingSettings as SamplingSettings
from deid_tasks.settings.annotation import TrainingSettings as TrainingSettings
from deid_tasks.settings.expressions import check_expression
from deid_tasks.settings.merging import DetectorName
from deid_tasks.settings.merging import MergeSettings as MergeSettings
from deid_tasks.settings.merging import PropagationSettings as PropagationSettings
from deid_tasks.settings.rewriting import ObfuscateSettings as ObfuscateSettings
from deid_tasks.settings.rewriting import PolicySettings as PolicySettings
from deid_tasks.settings.rewriting import check_policy
from deid_tasks.settings.section import Name
from deid_tasks.settings.section import Section as _Section
from deid_tasks.settings.transformers import ModelSettings as ModelSettings
from deid_tasks.settings.transformers import SecondOpinion as SecondOpinion
from deid_tasks.settings.transformers import TransformerSettings as TransformerSettings


class WarehouseSettings(_Section):
    """Where the EHR notes are, and how its layout is read."""

    connection: Name = Field(description="Name of the secret that holds the PostgreSQL URI of the EHR warehouse.")
    layout: Name = Field(description="Which dbt staging adapter reads the raw tables: omop, clarity, or your own.")


class DictionariesSettings(_Section):
    """When the institution's dictionaries are rebuilt."""

    schedule: str = Field(
        default="0 18 * * *",
        description="Cron, in UTC, of the dictionaries DAG; the evaluation follows it, and both should end before the notes DAG starts.",
    )


class NotesSettings(_Section):
    """How one day of notes is cut into shards, and which notes are refused."""

    start_date: datetime.date = Field(description="First day that the daily DAG, and a backfill, may process.")
    schedule: str = Field(
        default="@daily", description="Airflow schedule of the notes DAG; backfills need a time-based one."
    )
    shard_notes: int = Field(default=2_000, ge=1, description="Notes aimed at for one shard.")
    max_shards: int = Field(
        default=64, ge=1, le=1_024, description="Most shards of one run (Airflow maps over at most 1,024)."
    )
    max_characters: int = Field(default=10_000_000, ge=1, description="A longer note is quarantined.")


class PatternSettings(_Section):
    """Identifier formats of this institution, on top of the universal ones."""

    identifiers: dict[Entity, tuple[str, ...]] = Field(
        default_factory=dict, description="RE2 regular expressions by entity, e.g. MRN: ['RH\\d{7}']."
    )

    @field_validator("identifiers")
    @classmethod
    def _compiles(cls, value: dict[Entity, tuple[str, ...]]) -> dict[Entity, tuple[str, ...]]:
        for entity, expressions in value.items():
            for expression in expressions:
                try:
                    check_expression(expression, bounded=True)
                except ValueError as error:
                    raise ValueError(f"{entity}: {error}") from None
        return value


class ContextRule(_Section):
    """One rule of the institution: a pattern, and what must or must not stand around it."""

    name: str = Field(min_length=1, max_length=80, description="For people; no two rules share one.")
    entity: Entity = Field(description="What the pattern finds.")
    pattern: str = Field(
        description="RE2; where it has a group, the first is the span. Repeats must be bounded: {1,40} for +."
    )
    prefix: str | None = Field(default=None, description="RE2 that must match in the window before the span.")
    suffix: str | None = Field(default=None, description="RE2 that must match in the window behind the span.")
    exclude: str | None = Field(
        default=None, description="RE2 that must match neither in the span nor in the window on either side."
    )
    window: int = Field(default=40, ge=1, le=400, description="How far around the span is looked, in `unit`.")
    unit: Literal["characters", "words"] = Field(default="characters", description="Of the window.")
    across_lines: bool = Field(default=False, description="Whether the window goes on over a line break.")

    @field_validator("pattern")
    @classmethod
    def _is_bounded(cls, value: str) -> str:
        check_expression(value, bounded=True)
        return value

    @field_validator("prefix", "suffix", "exclude")
    @classmethod
    def _is_expression(cls, value: str | None) -> str | None:
        if value is not None:
            check_expression(value)
        return value


class ContextSettings(_Section):
    """Rules of this institution for what its notes write around identifiers."""

    rules: tuple[ContextRule, ...] = Field(default=(), max_length=500)

    @field_validator("rules")
    @classmethod
    def _differ(cls, value: tuple[ContextRule, ...]) -> tuple[ContextRule, ...]:
        names = [rule.name for rule in value]
        for place, name in enumerate(names):
            if name in names[:place]:
                raise ValueError(f"rules {names.index(name)} and {place} are both named {name!r}")
        return value


class CacheSettings(_Section):
    """What the neural pass found in a sentence, kept across runs."""

    enabled: bool = True
    max_megabytes: int = Field(default=1_024, ge=1, description="Of one worker host; about 20,000 sentences each.")
    folder: str | None = Field(
        default=None,
        description="A folder on a disk of the worker's own host; by default `cache` in work_dir, which must then not be a network share.",
    )


class DetectSettings(_Section):
    """Which detectors run."""

    detectors: tuple[DetectorName, ...] = ("patterns", "context", "lexicon", "patient", "templates", "transformer")
    inclusion: bool = Field(
        default=True, description="Whether the transformers leave out the sentences of the approved inclusion list."
    )
    cache: CacheSettings = CacheSettings()
    patterns: PatternSettings = PatternSettings()
    context: ContextSettings = ContextSettings()
    transformers: tuple[TransformerSettings, ...] = (TransformerSettings(second=SecondOpinion()),)

    @model_validator(mode="after")
    def _no_repeats(self) -> "DetectSettings":
        if not self.detectors or len(set(self.detectors)) != len(self.detectors):
            raise ValueError("detectors must name each detector at most once, and at least one")
        labels = [model.label for model in self.transformers]
        if len(set(labels)) != len(labels):
            raise ValueError("transformers: two have one name; give each a `name` of its own")
        return self


class RecoverSettings(_Section):
    """Whether false positives that are medical terms are given back."""

    enabled: bool = True


class HarvestSettings(_Section):
    """What is harvested from the institution's own notes for a person to verify: an inclusion list and templates."""

    notes: int = Field(
        default=1_000_000, ge=1, description="Notes whose sentences are counted, chosen by the hash of their ids."
    )
    least_patients: int = Field(
        default=10, ge=2, description="A sentence or a template must stand in the notes of so many distinct patients."
    )
    top_sentences: int = Field(default=1_600, ge=0, description="Of all sentences, those in most patients.")
    medical_sentences: int = Field(
        default=25_000,
        ge=0,
        description="Beside them, of sentences that name a disease or a drug, those in most patients.",
    )
    template_notes: int = Field(
        default=10_000, ge=0, le=100_000, description="Notes that the ensemble reads for templates; 0 harvests none."
    )
    max_new_share: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description="A template that marks words which the ensemble does not, in more than this share of its sentences, starts as excluded.",
    )


class DriftSettings(_Section):
    """When a run looks so unlike the certified evaluation that a person should see it before it is published."""

    enabled: bool = True
    min_words: int = Field(default=20_000, ge=1, description="Fewer words of a note type in a run are not judged.")
    max_ratio: float = Field(
        default=1.5,
        gt=1,
        description="Entities per 1,000 words, share of words changed, or detector agreement may be this many times the baseline, or its inverse.",
    )


class GateSettings(_Section):
    """The figures that must be reached before anything is published."""

    designs: tuple[Measured, ...] = Field(
        default=("stratified", "random"),
        min_length=1,
        description="Kinds of gold set that must exist, and on each of which the figures must be reached.",
    )
    recall_min: float = Field(default=0.98, gt=0, le=1, description="For the lower confidence bound of word recall.")
    precision_min: float = Field(default=0.90, gt=0, le=1, description="For the point estimate of word precision.")
    stratum_recall_min: float = Field(
        default=0.95,
        gt=0,
        le=1,
        description="For word recall of every note type; one fails when even the upper bound of its recall is lower.",
    )
    confidence: float = Field(default=0.95, gt=0.5, lt=1, description="One-sided confidence of the recall bound.")
    resamples: int = Field(default=1_000, ge=100, le=100_000, description="Resamples of patients behind an interval.")
    max_quarantined_share: float = Field(default=0.02, ge=0, le=1, description="Of one run's notes.")
    drift: DriftSettings = DriftSettings()
    signing_key: Name = Field(
        default="certificate_signing_key",
        description="Name of the secret that holds the Ed25519 private key (PEM) which signs certificates; evaluation alone needs it.",
    )
    verification_key: Name = Field(
        default="certificate_verification_key",
        description="Name of the secret that holds its public half (PEM), with which publishing verifies certificates.",
    )
    approval: bool = Field(
        default=False, description="Whether a person must approve the first publication under a new fingerprint."
    )
    data_docs: str | None = Field(
        default=None, description="Folder in which Great Expectations writes its Data Docs; none where not given."
    )

    @field_validator("designs", mode="before")
    @classmethod
    def _are_measured(cls, value: object) -> object:
        if isinstance(value, list | tuple) and "disputed" in value:
            raise ValueError("disputed notes are chosen for the engine's doubts: their figures stand for no others")
        return value


class PublishSettings(_Section):
    """Where the de-identified table is."""

    bucket: str = Field(min_length=3, description="S3 bucket of the published table.")
    prefix: str = Field(default="palimpsest", pattern=r"^[a-zA-Z0-9_\-/]+$")
    table: str = Field(
        default="deid.notes", pattern=r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$", description="namespace.table"
    )
    tables: tuple[Name, ...] = Field(
        default=(),
        description="Structured tables published beside the notes: patients, encounters, providers, … as dbt's models.yml names them (meta.deid_table).",
    )
    object_store: Name = Field(description="Name of the secret that holds the S3 endpoint and credentials (JSON).")
    catalog: Name = Field(description="Name of the secret that holds the PostgreSQL URI of the Iceberg catalog.")


class VaultSettings(_Section):
    """Where originals are kept, encrypted, so that the right key can bring a published note's own text back."""

    bucket: str = Field(min_length=3, description="S3 bucket of the vault; never that of the published table.")
    prefix: str = Field(default="vault", pattern=r"^[a-zA-Z0-9_\-]+(/[a-zA-Z0-9_\-]+)*$")
    object_store: Name = Field(
        description="Name of the secret that holds the vault's S3 endpoint and credentials (JSON)."
    )
    wrap: Literal["x25519", "aws-kms"] = Field(
        default="x25519",
        description="How each data key is wrapped: for a key pair of the institution (HPKE), or by a key in AWS KMS.",
    )
    public_key: Name = Field(
        default="vault_public_key",
        description="Name of the secret that holds the X25519 public key (PEM) which originals are sealed for; workers need it.",
    )
    private_key: Name = Field(
        default="vault_private_key",
        description="Name of the secret that holds its private half (PEM); re-identification alone needs it.",
    )
    kms_key: str = Field(
        default="", description="Id, alias or ARN of the KMS key; workers need kms:Encrypt, and no more."
    )
    kms: Name = Field(
        default="vault_kms",
        description="Name of the secret that holds the KMS endpoint, region and credentials (JSON).",
    )

    @model_validator(mode="after")
    def _names_its_key(self) -> "VaultSettings":
        if (self.wrap == "aws-kms") != bool(self.kms_key):
            raise ValueError("kms_key goes with wrap: aws-kms, and aws-kms with kms_key")
        return self


class InstitutionSettings(_Section):
    """One tenant. Secrets are named here and never written here."""

    institution: Name
    title: str = Field(min_length=1, description="Name for people, e.g. Riverside Health.")
    owner: str = Field(default="data-engineering", description="Airflow owner of the DAGs.")
    warehouse: WarehouseSettings
    dictionaries: DictionariesSettings = DictionariesSettings()
    notes: NotesSettings
    detect: DetectSettings = DetectSettings()
    merge: MergeSettings = MergeSettings()
    recover: RecoverSettings = RecoverSettings()
    policy: PolicySettings = PolicySettings()
    obfuscate: ObfuscateSettings
    harvest: HarvestSettings = HarvestSettings()
    sampling: SamplingSettings = SamplingSettings()
    annotation: AnnotationSettings = AnnotationSettings()
    training: TrainingSettings = TrainingSettings()
    gate: GateSettings = GateSettings()
    publish: PublishSettings
    vault: VaultSettings | None = Field(
        default=None, description="Keeps originals for re-identification; nothing is kept where not given."
    )
    work_dir: str = Field(
        description="Restricted folder, seen by every worker: lexicons, and shards before they pass the gate. Never under the published prefix."
    )

    @model_validator(mode="after")
    def _policy_and_modes_agree(self) -> "InstitutionSettings":
        check_policy(self.policy, self.obfuscate)
        return self

    @model_validator(mode="after")
    def _vault_apart(self) -> "InstitutionSettings":
        if self.vault and self.vault.bucket == self.publish.bucket:
            raise ValueError("vault.bucket must be another than publish.bucket: no reader of notes may read originals")
        return self

    def schema_name(self, layer: Literal["ehr", "staging", "dictionaries", "quality", "results", "gold"]) -> str:
        """The PostgreSQL schema of one layer of this institution."""
        return f"{self.institution}_{layer}"
