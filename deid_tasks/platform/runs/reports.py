"""What the steps of one run hand each other: counts, versions and names, which Airflow stores between tasks."""

from typing import Literal, TypedDict


class EnginePin(TypedDict):
    """The engine of a run: its fingerprint, and the versions of the files that it is built from."""

    fingerprint: str
    lexicon: str
    people: str
    """Version of the known people."""
    harvest: str
    """Name of the approved harvest; empty where none was approved."""


class ShardPlan(TypedDict):
    """One shard of a run: its index, from 0, and the number of shards."""

    index: int
    count: int


class ShardReport(TypedDict):
    """Counts of one processed shard."""

    notes: int
    quarantined: int
    words: int
    recovered: dict[str, int]
    """Spans that recovery released as medical terms, by entity."""
    sentences: dict[str, int]
    """Sentences that the neural models were given, by how they were answered."""
    seconds: float


class ReviewReason(TypedDict):
    """Why a person must see a run, with the reason as one sentence."""

    kind: Literal["first_publication", "drift"]
    reason: str


class GateReport(TypedDict):
    """A run that passed the gate."""

    shards: int
    notes_read: int
    published: int
    quarantined: int
    fingerprint: str
    certificate: str
    warnings: list[str]
    review: list[ReviewReason]


class PublicationReport(TypedDict):
    """What a run published, and where."""

    notes: int
    snapshot_id: int
    table: str
