"""The way of all notes of one site through the platform, with the cost of each stage."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from benchmarks.scale import stages
from benchmarks.scale.measure import Cost, StageMeter
from benchmarks.scale.site import ScaleSite
from deid_tasks.platform.runs.reports import ShardReport

DETECT = "detect and obfuscate"
FIXED = frozenset({"evaluate and certify"})
"""Stages whose work does not depend on the number of notes."""


@dataclass
class Journey:
    """What the notes of one site cost."""

    notes: int
    costs: dict[str, Cost] = field(default_factory=dict)
    """By stage, in order."""
    bytes: dict[str, int] = field(default_factory=dict)
    sentences: Counter[str] = field(default_factory=Counter)
    shards: int = 0
    words: int = 0

    @property
    def answered_share(self) -> float | None:
        """The share of sentences that no model read: repeats in a batch, and answers of the cache."""
        given = self.sentences["sentences"]
        return 1 - self.sentences["read"] / given if given else None


def travel(site: ScaleSite, ledger: int, report: Callable[[str, Cost], None]) -> Journey:
    """Take the notes of a site from nothing to a published and maintained table.

    Args:
        site: A site before its first stage.
        ledger: How many other notes the ledger has before the run is planned.
        report: Called with each stage and its cost when it has ended.
    """
    journey, meter = Journey(site.notes), StageMeter(site.uri)

    def measured(name: str, stage: Callable[..., Any], *values: Any) -> Any:
        returned, cost = meter.run(stage, site, *values)
        if isinstance(returned, stages.Simulated):
            cost = replace(cost, wall=cost.wall - returned.wall, process=cost.process - returned.process)
        journey.costs[name] = cost
        report(name, cost)
        return returned

    measured("load raw rows", stages.load_raw)
    meter.run(stages.upgrade_tables, site)
    journey.bytes["texts in the warehouse"] = stages.sizes(site).texts
    measured("dbt build", stages.build_models)
    measured("compile dictionaries", stages.compile_dictionaries)
    pin = measured("evaluate and certify", stages.certify)
    if ledger:
        meter.run(stages.fill_ledger, site, ledger, pin)
    shards = measured("plan", stages.plan)["shards"]
    done: list[ShardReport] = []
    total = Cost()
    for shard in shards:
        one, cost = meter.run(stages.detect, site, pin, shard)
        done.append(one)
        total += cost
    journey.shards, journey.costs[DETECT] = len(shards), total
    journey.words, journey.sentences = sum(one["words"] for one in done), stages.sentence_counts(done)
    report(DETECT, total)
    journey.bytes["shards"] = stages.sizes(site).shards
    released = measured("reconcile and gate", stages.gate, pin, done)
    measured("publish", stages.publish, pin, released)
    if not ledger:
        journey.bytes["published table"] = stages.published_bytes(site)
    measured("plan changes, nothing to do", stages.follow_changes)
    measured("reconcile ledger", stages.reconcile)
    measured("maintain", stages.maintain)
    return journey
