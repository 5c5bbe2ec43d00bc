"""What a kill of Airflow's processes looks at: who started whom, and who still runs."""

import os
import signal
import subprocess
import sys

from benchmarks.faults.airflow_kills import KINDS
from benchmarks.faults.airflow_site import SERVICES, descends, is_alive, parent_of

_HOLDS_A_CHILD = "import subprocess; p = subprocess.Popen(['sleep', '60']); print(p.pid, flush=True); p.wait()"


def test_a_child_descends_until_its_parent_is_killed():
    process = subprocess.Popen([sys.executable, "-c", _HOLDS_A_CHILD], stdout=subprocess.PIPE, text=True)
    child = int(process.stdout.readline())
    try:
        assert parent_of(child) == process.pid
        assert descends(child, process.pid)
        assert descends(child, os.getpid())
        assert not descends(process.pid, child)
        process.kill()
        process.wait()
        assert not descends(child, process.pid)
        assert (is_alive(child), is_alive(process.pid)) == (True, False)
    finally:
        os.kill(child, signal.SIGKILL)
        process.stdout.close()
    assert parent_of(10**9) == 0


def test_each_kind_starts_a_service_again_that_the_site_has():
    assert {kind.service for kind in KINDS.values()} <= {*SERVICES, ""}
