"""What a shard's report counts of the sentences that models read."""

from deid_tasks.engine.build import build_engine
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import find_identifiers
from deid_tasks.engine.text import Document
from deid_tasks.platform.runs.notes import sentence_counts
from deid_tasks.settings import EngineSettings

NOTE = "Lungs clear.\nSeen by Dr. Okafor.\nMr. Ward lives in Northam.\nLungs clear.\n"


def test_the_share_of_the_second_model_is_counted():
    engine = build_engine(EngineSettings.public())
    assert not sentence_counts(engine)
    find_identifiers([Document("n", NOTE)], BatchContext(engine))
    counts = sentence_counts(engine)
    assert counts["sentences"] > counts["distinct"] >= counts["read"] >= counts["second_stage"] > 0
