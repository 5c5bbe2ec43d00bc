"""What the whole platform costs as notes grow in number: seconds, processor seconds, memory and bytes of each stage.

    python -m benchmarks.scale --notes 500 2000                            # the whole engine
    python -m benchmarks.scale --notes 2000 20000 --without-models         # the platform's own stages
    python -m benchmarks.scale --notes 2000 20000 --without-models --ledger 2000000

Notes of the simulated hospital go from raw rows to a published and maintained table, in a private PostgreSQL and an S3
emulator. Each stage, and each shard, is a process of its own. The last table computes what 100,000,000 notes cost.
"""

import argparse
import datetime
import os

from benchmarks.changes.site_services import SiteServices, site_services
from benchmarks.scale.extrapolation import core_hours, days_on_cores, marginal, per_thousand
from benchmarks.scale.journey import DETECT, Journey, travel
from benchmarks.scale.measure import Cost
from benchmarks.scale.site import ScaleSite
from benchmarks.support.results import Results, parser_of, results

_SERVER = {"autovacuum": "off"}
_TITLE = "Cost of the platform by number of notes"
_MEGABYTE = 1_000_000
_MANY = 100_000_000
_CORES = (16, 64, 256)


def main() -> None:
    """Take notes of each size through the platform, and print what they cost."""
    parser = parser_of(__doc__)
    parser.add_argument(
        "--notes", type=int, nargs="+", default=[2_000, 20_000], help="sizes; two at least, to compute larger ones"
    )
    parser.add_argument("--without-models", action="store_true", help="patterns, lexicon and patient record alone")
    parser.add_argument("--ledger", type=int, default=0, help="other notes in source, ledger and table before the run")
    parser.add_argument("--shard-notes", type=int, default=2_000, help="notes of a shard")
    parser.add_argument("--price", type=float, default=0.045, help="assumed dollars for an hour of a core")
    arguments = parser.parse_args()
    # Figures are those of one core a process.
    os.environ["OMP_NUM_THREADS"] = "1"
    name = "scale" + ("-without-models" if arguments.without_models else "") + ("-ledger" if arguments.ledger else "")
    with (
        site_services(_SERVER) as services,
        results(name, _TITLE, arguments) as made,
    ):
        journeys = [_measure(made, services, arguments, notes) for notes in sorted(arguments.notes)]
        # One size does not say what a stage costs whatever the number of notes is.
        if len(journeys) > 1:
            _compare(made, journeys)
            _extrapolate(made, journeys, arguments.price)


def _measure(made: Results, services: SiteServices, arguments: argparse.Namespace, notes: int) -> Journey:
    """Take that many notes through the platform; print each stage when it has ended."""
    database = f"scale_{notes}"
    services.postgres.create_database(database)
    folder = services.folder / database
    folder.mkdir()
    folder.chmod(0o755)
    site = ScaleSite.of(
        services.postgres.uri(database),
        notes,
        folder,
        services.object_store,
        has_models=not arguments.without_models,
        shard_notes=arguments.shard_notes,
    )
    cores = {"core-seconds, stage": ",.1f", "core-seconds, PostgreSQL": ",.1f"}
    made.table(f"{notes:,} notes", {"stage": "", "seconds": ",.1f", **cores, "peak MB": ",.0f"})

    def report(stage: str, cost: Cost) -> None:
        made.add(stage, cost.wall, cost.process, cost.server, cost.peak_mb)

    journey = travel(site, arguments.ledger, report)
    made.table(f"Sizes of {notes:,} notes", {"what": "", "amount": ",.1f"})
    made.add("shards", journey.shards)
    made.add("words", journey.words)
    for what, octets in journey.bytes.items():
        made.add(f"{what}, MB", octets / _MEGABYTE)
    detected = journey.costs[DETECT]
    made.add("words a core-second of detection", journey.words / detected.core_seconds)
    if journey.answered_share is not None:
        made.add("sentences", journey.sentences["sentences"])
        made.add("% of sentences that no model read", 100 * journey.answered_share)
    return journey


def _compare(made: Results, journeys: list[Journey]) -> None:
    """Print what 1,000 notes cost at each size, and what 1,000 notes more cost."""
    columns = {f"of {journey.notes:,} notes": ",.2f" for journey in journeys}
    peaks = {f"peak MB, {journey.notes:,} notes": ",.0f" for journey in journeys}
    made.table(
        "Core-seconds for 1,000 notes; a straight line has equal columns but for what a stage costs once",
        {"stage": "", **columns, "for 1,000 more": ",.2f", **peaks},
    )
    for stage in journeys[-1].costs:
        made.add(
            stage,
            *(per_thousand(journey, stage) for journey in journeys),
            marginal(journeys, stage),
            *(journey.costs[stage].peak_mb for journey in journeys),
        )


def _extrapolate(made: Results, journeys: list[Journey], price: float) -> None:
    """Print what 100,000,000 notes cost, each stage once."""
    today = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}"
    shared = journeys[-1].answered_share
    read = "" if shared is None else f"; {shared:.0%} of the sentences were read by no model"
    made.table(f"{_MANY:,} notes, computed, each stage once{read}", {"what": "", "amount": ",.1f"})
    hours = core_hours(journeys, _MANY)
    for stage, amount in hours.items():
        made.add(f"core-hours, {stage}", amount)
    total = sum(hours.values())
    made.add("core-hours in all", total)
    for cores, days in days_on_cores(total, _CORES):
        made.add(f"days on {cores} cores", days)
    made.add(f"dollars at {price} for a core-hour (assumed, {today})", total * price)


if __name__ == "__main__":
    main()
