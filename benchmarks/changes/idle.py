"""What runs cost that have nothing to do: seconds over a large ledger, as they pass and of the processor.

    python -m benchmarks.changes.idle                       # about 8 minutes
    python -m benchmarks.changes.idle --layout clarity      # about 12 minutes

The warehouse is simulated in SQL: short notes of a year, ten for each patient, and one patient of a hundred merged into
another. PostgreSQL and the object store are private. What is measured is planning: a run of `changes__X`, the nightly
reconciliation with its checks, `deid stale`, and a run of `restate__X`.
"""

from collections.abc import Callable

from psycopg2.extensions import connection as Connection  # noqa: N812

from benchmarks.changes.big_warehouse import NOTES_PER_PATIENT, fill_warehouse, publish_ledger
from benchmarks.changes.living_site import LivingSite
from benchmarks.changes.site_services import served_site
from benchmarks.support.results import parser_of, results
from benchmarks.support.server_work import ServerWork, Work
from deid_tasks.platform import runs
from deid_tasks.platform.runs.content_hashes import amended_without_time
from deid_tasks.platform.runs.pseudonyms import digest_seed
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.merges import refresh_merges
from deid_tasks.platform.warehouse.shards import save_work_list
from deid_tasks.platform.warehouse.work_list import begin_work_list, plan_changes

_RUN = "idle"
_SERVER = {
    "autovacuum": "off",
    # PostgreSQL's default, which the simulated hospital lowers for the sake of small containers.
    "max_parallel_workers_per_gather": "2",
    "dynamic_shared_memory_type": "mmap",
}


def main() -> None:
    """Simulate the warehouse, and time the planning."""
    parser = parser_of(__doc__)
    parser.add_argument("--notes", type=int, default=1_000_000, help="notes of the ledger")
    parser.add_argument("--repeat", type=int, default=3, help="times that planning is repeated")
    parser.add_argument("--layout", choices=("omop", "clarity"), default="omop", help="layout of the raw tables")
    arguments = parser.parse_args()
    title = f"Runs with nothing to do, {arguments.layout} layout"
    with (
        served_site(arguments.layout, _SERVER) as site,
        results(f"changes-idle-{arguments.layout}", title, arguments) as made,
    ):
        fill_warehouse(site.settings, site.secrets, arguments.notes, fingerprint=site.pin["fingerprint"])
        publish_ledger(site.settings, site.secrets)
        made.table("Warehouse", {"what": "", "count": ",d"})
        made.add("notes in source, ledger and table", arguments.notes)
        made.add("patients", arguments.notes // NOTES_PER_PATIENT)
        columns = {"step": "", "repeat": "d", "seconds": ".2f"}
        columns |= {"processor of PostgreSQL": ".2f", "processor of the run": ".2f"}
        made.table("Seconds of planning", columns)
        server = ServerWork(site.uri)
        found: dict[str, list[Work]] = {}
        for repeat in range(1, arguments.repeat + 1):
            for name, do in _steps(site).items():
                work = server.measure(do)
                found.setdefault(name, []).append(work)
                made.add(name, repeat, *work)
        made.table("The quietest repeat of each", {name: form for name, form in columns.items() if name != "repeat"})
        for name, works in found.items():
            made.add(name, *min(works, key=lambda work: work.server + work.process))


def _steps(site: LivingSite) -> dict[str, Callable[[], object]]:
    """Return the steps of planning a changes run, each in a connection of its own, and then whole plans."""
    settings, secrets = site.settings, site.secrets
    most = settings.changes.max_notes
    seed = digest_seed(settings, secrets)

    def connected(do: Callable[[Connection], object]) -> Callable[[], None]:
        def step() -> None:
            with connect(site.uri) as connection:
                do(connection)

        return step

    def save(connection: Connection) -> None:
        begin_work_list(connection)
        save_work_list(connection, settings, _RUN)

    def changes() -> None:
        plan = runs.plan_changes_run(settings, secrets, _RUN)
        assert not plan["causes"], plan["causes"]

    def restatement() -> None:
        plan = runs.plan_restate_run(settings, secrets, _RUN, site.pin)
        assert not plan["causes"], plan["causes"]

    return {
        "refresh_merges": connected(lambda c: refresh_merges(c, settings)),
        "plan_changes": connected(lambda c: plan_changes(c, settings, seed, most)),
        "save_work_list": connected(save),
        "amended_without_time": connected(lambda c: list(amended_without_time(c, settings, secrets, most))),
        "a run of changes__X": changes,
        "a run of restate__X": restatement,
        "deid stale": lambda: runs.stale_notes(settings, secrets),
        "a run of ledger__X": lambda: runs.reconcile_ledger(settings, secrets),
    }


if __name__ == "__main__":
    main()
