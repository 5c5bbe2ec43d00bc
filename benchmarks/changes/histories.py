"""Random histories of changes, runs and kills: how many there were, of what, and whether every table converged.

A history that diverges is shrunk, printed as the calls that reproduce it, and ends the benchmark.
"""

import time

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from benchmarks.changes.random_history import RandomHistory, history_of
from benchmarks.changes.site_services import served_site
from benchmarks.support.results import parser_of, results
from deid_tasks.hospital.layouts import LAYOUTS


def main() -> None:
    """Live through the histories of both layouts."""
    parser = parser_of(__doc__)
    parser.add_argument("--histories", type=int, default=200, help="number of histories, half of them in each layout")
    parser.add_argument("--layout", choices=sorted(LAYOUTS), help="one layout; both where it is not given")
    parser.add_argument("--steps", type=int, default=14, help="maximum changes and runs of a history")
    parser.add_argument("--as-found", action="store_true", help="do not shrink a history that diverges")
    arguments = parser.parse_args()
    name = "-".join(filter(None, ("changes-histories", arguments.layout)))
    with results(name, "Random histories of changes, runs and kills", arguments) as made:
        layouts = [arguments.layout] if arguments.layout else list(LAYOUTS)
        for layout in layouts:
            began = time.monotonic()
            RandomHistory.counts.clear()
            wanted = settings(
                max_examples=max(1, arguments.histories // len(layouts)),
                stateful_step_count=arguments.steps,
                database=None,
                phases=[Phase.generate] if arguments.as_found else [Phase.generate, Phase.shrink],
                deadline=None,
                suppress_health_check=list(HealthCheck),
            )
            with served_site(layout) as site:
                run_state_machine_as_test(history_of(site), settings=wanted)
            made.table(f"Layout {layout}: every table converged", {"what": "", "count": "d"})
            for name, number in sorted(RandomHistory.counts.items()):
                made.add(name, number)
            made.add("seconds", round(time.monotonic() - began))


if __name__ == "__main__":
    main()
