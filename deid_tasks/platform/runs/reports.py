"""What the steps of one run hand each other: counts, versions and names, which Airflow stores between tasks."""

from typing import Literal, NotRequired, TypedDict


class EnginePin(TypedDict):
    """The engine of a run: its fingerprint, and the versions of the files that it is built from."""

    fingerprint: str
    lexicon: str
    people: str
    """Version of the known people."""
    harvest: str
    """Name of the approved harvest; empty where none was approved."""
    outside_bias: NotRequired[float | None]
    """The bias of its models that an evaluation chose; without one, that of the settings."""


RunKind = Literal["notes", "changes", "restate"]
"""The kinds of run: a whole day, what changed since, and what another engine reads differently."""


class ShardPlan(TypedDict):
    """One shard of a run: its index, from 0, and the number of shards."""

    index: int
    count: int


class ReviewReason(TypedDict):
    """Why a person must see a run, with the reason as one sentence."""

    kind: Literal["first_publication", "drift", "volume", "removal", "readmission"]
    reason: str
    notes: NotRequired[int]
    """How many notes an approved removal takes out, or a readmission brings back."""
    noticed_by: NotRequired[str]
    """An approval is of the exclusions that were missing at this moment, as an ISO time, and of no later one."""


class HeldRun(TypedDict):
    """Why a person must see a run, and under which engine and certificate; without these where no note is read."""

    fingerprint: str
    certificate: str
    review: list[ReviewReason]


class RunPlan(TypedDict):
    """The work list of a run, by counts."""

    kind: RunKind
    shards: list[ShardPlan]
    """Empty if no note is to be processed."""
    causes: dict[str, int]
    """Notes by the reason for which they are on the list."""
    held: NotRequired[HeldRun]
    """Why notes that the warehouse lacks are not on the list, or exclusions that it lacks still hold."""


class StaleReport(TypedDict):
    """Published notes that are older than the engine in use."""

    fingerprint: str
    """The engine that their rows are valid for."""
    cause: str
    """Why they may come out differently; ``carried`` where they cannot."""
    notes: int


class CertificateReport(TypedDict):
    """How long the promoted engine's certificate lasts."""

    certificate_days_left: float | None
    """``None`` where certificates do not end."""


class StaleShareReport(TypedDict):
    """Published notes, and those of them that are stale."""

    stale_notes: int
    """Published notes that may come out differently under the promoted engine."""
    published_notes: int


class RemovalReport(TypedDict):
    """What a run removed from the published table before it processed any note."""

    removed: int
    snapshot_id: int
    days: list[str]
    """Days of these notes, as ISO dates."""


class RetractionReport(TypedDict):
    """What a request to retract concerns."""

    notes: int
    """Notes of the ledger."""
    patients: int


class LedgerReport(TypedDict):
    """Notes of all published days, as source, ledger and table have them."""

    days: int
    source: int
    published: int
    quarantined: int
    excluded: int
    in_table: int
    pending: int


class PurgedReport(TypedDict):
    """What was deleted for good."""

    retractions: int
    snapshots: int
    files: int
    working_files: int
    rows: int
    """Rows of ``run_note``, ``note_outcome`` and ``audit_finding``."""


class ShardReport(TypedDict):
    """One processed shard: its file, and counts."""

    file: str
    """Name of the file that this attempt wrote; every attempt writes another."""
    notes: int
    quarantined: int
    words: int
    recovered: dict[str, int]
    """Spans that recovery released as medical terms, by entity."""
    repeats: dict[str, int]
    """Replaced values that stood elsewhere in the output, by ``scope:status:category``."""
    judged: dict[str, int]
    """Uncertain spans that a judge was asked about, by ``decision:category``; of these ``cached`` ones, for which
    nothing was sent; and ``tokens_in`` and ``tokens_out`` of the others."""
    sentences: dict[str, int]
    """Sentences that the neural models were given, by how they were answered."""
    seconds: float


class GateReport(HeldRun):
    """A run that passed the gate."""

    files: list[str]
    """Name of each shard's file, in order."""
    kind: RunKind
    notes_read: int
    published: int
    quarantined: int
    warnings: list[str]


class PublicationReport(TypedDict):
    """What a run published, and where."""

    notes: int
    removed: int
    """Rows that left the table and have no successor."""
    left: int
    """Notes that changed while the run read them; the next changes run takes them."""
    snapshot_id: int
    table: str
    days: list[str]
    """Days whose rows changed, as ISO dates."""
