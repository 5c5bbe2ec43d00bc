"""Metrics reach a collector over OTLP, add up over processes, name no note, and never fail a step."""

import json
import re
import shutil
import subprocess
import sys
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import yaml

from deid_tasks.engine.observer import NO_OBSERVER
from deid_tasks.platform import tracing
from deid_tasks.platform.stage_times import timed_stages
from tests.support.http_receiver import http_receiver
from tests.support.sent_metrics import metrics, points

DEPLOY = Path(__file__).parents[2] / "deploy" / "observability"
SCRIPT = """
import sys
from collections import Counter
from pathlib import Path
from deid_tasks.core.errors import GateError
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.stage_times import timed_stages
from deid_tasks.platform.telemetry import ShardFigures, record_shard
from deid_tasks.settings import load_institution

@logged_step
def process_shard(settings, secrets, fails):
    spans = {("PATIENT", "lexicon"): 3, ("DATE", "patterns"): 2}
    notes = Counter(published=4, quarantined=1)
    judged = Counter({"kept:NAME": 2, "failed:DATE": 1, "cached": 1, "tokens_in": 90, "tokens_out": 5})
    figures = ShardFigures(notes, 900, Counter(too_long=1), Counter(spans), Counter(), Counter(sentences=9))
    figures.judged = judged
    record_shard("riverside", figures)
    with timed_stages("riverside") as stages:
        for _ in range(3):
            with stages.stage("patterns"), stages.stage("merge"):
                pass
    if fails:
        raise GateError("seen: Marigold Stillwater")
    return {"notes": 5}

try:
    process_shard(load_institution(Path('dags/institutions/riverside.yaml')), None, sys.argv[1] == "fails")
except GateError:
    print("failed")
"""


HEARTBEAT = """
from airflow.observability.metrics import stats_utils
from airflow.observability.stats import incr, initialize

# As Airflow's scheduler begins.
initialize(factory=stats_utils.get_stats_factory(), export_legacy_names=True)
incr("scheduler_heartbeat")
"""


@pytest.fixture
def collector():
    """A receiver of OTLP over HTTP: its address, and the bodies that it got."""
    bodies = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", bodies
    server.shutdown()
    thread.join()
    server.server_close()


def run(endpoint: str, how: str = "succeeds") -> str:
    root = Path(__file__).parents[2]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(root), "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, how], capture_output=True, text=True, env=environment, cwd=root, check=True
    )
    return done.stdout


def names_in_prometheus(bodies):
    """Return the series of everything that was sent: units behind the name, then what a counter or histogram adds."""
    names = set()
    for metric, _ in metrics(bodies):
        plain = metric.name.replace(".", "_") + ("_seconds" if metric.unit == "s" else "")
        parts = ("bucket", "count", "sum") if metric.WhichOneof("data") == "histogram" else ("total",)
        names |= {f"{plain}_{part}" for part in parts}
    return names


def test_the_counts_of_processes_add_up(collector):
    endpoint, bodies = collector
    run(endpoint)
    assert run(endpoint, "fails") == "failed\n"
    sums, steps, stages = Counter(), Counter(), Counter()
    for name, attributes, point in points(bodies):
        assert attributes["institution"] == "riverside"
        if name == "palimpsest.step.duration":
            steps[attributes["outcome"]] += point.count
        elif name == "palimpsest.stage.duration":
            assert point.sum >= 0
            stages[attributes["stage"]] += point.count
        elif name != "palimpsest.step.cpu":
            sums[name, *sorted(value for key, value in attributes.items() if key != "institution")] += point.as_int
    assert steps == {"succeeded": 1, "failed": 1}
    assert stages == {"patterns": 2, "merge": 2}, "one time for a stage and a shard"
    assert sums == {
        ("palimpsest.notes", "published"): 8,
        ("palimpsest.notes", "quarantined"): 2,
        ("palimpsest.words",): 1_800,
        ("palimpsest.notes.quarantined", "too_long"): 2,
        ("palimpsest.spans", "PATIENT", "lexicon"): 6,
        ("palimpsest.spans", "DATE", "patterns"): 4,
        ("palimpsest.sentences", "sentences"): 18,
        ("palimpsest.spans.judged", "NAME", "kept"): 4,
        ("palimpsest.spans.judged", "DATE", "failed"): 2,
        ("palimpsest.judge.cached",): 2,
        ("palimpsest.judge.tokens", "in"): 180,
        ("palimpsest.judge.tokens", "out"): 10,
    }
    assert not any(b"Stillwater" in body for body in bodies)


def test_no_collector_fails_no_step():
    assert run("http://127.0.0.1:9") == ""


def test_nothing_is_sent_where_no_collector_is_named(collector):
    _, bodies = collector
    run("")
    assert bodies == []


@pytest.mark.parametrize("named", [(), ("OTEL_EXPORTER_OTLP_ENDPOINT",), ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",)])
def test_the_engine_is_timed_where_metrics_or_traces_are_sent_and_else_unobserved(monkeypatch, named):
    monkeypatch.setattr("os.environ", dict.fromkeys(named, "http://127.0.0.1:9"))
    try:
        with timed_stages("riverside") as observer:
            assert (observer is NO_OBSERVER) == (not named)
    finally:
        tracing._provider.cache_clear()


def test_airflow_sends_its_own_metrics_with_the_settings_of_the_page(tmp_path):
    page = (DEPLOY.parents[1] / "docs" / "how-to" / "watch-metrics.md").read_text()
    _, block, _ = page.partition("## Airflow's own")[2].split("```", 2)
    documented = dict(line.split("=", 1) for line in block.strip().splitlines())
    assert set(documented) == {"AIRFLOW__METRICS__OTEL_ON", "OTEL_EXPORTER_OTLP_ENDPOINT"}
    with http_receiver() as receiver:
        documented["OTEL_EXPORTER_OTLP_ENDPOINT"] = receiver.address
        environment = {"PATH": "/usr/bin:/bin", "AIRFLOW_HOME": str(tmp_path), **documented}
        subprocess.run([sys.executable, "-c", HEARTBEAT], env=environment, cwd=tmp_path, check=True)
    assert {path for path, _ in receiver.requests} == {"/v1/metrics"}
    sums = {metric.name: data.data_points[0].as_int for metric, data in metrics(receiver.bodies)}
    assert sums["airflow.scheduler_heartbeat"] == 1


@pytest.mark.parametrize("file", ["grafana-dashboard.json", "alert-rules.yaml"])
def test_dashboard_and_rules_name_metrics_that_there_are(collector, file):
    endpoint, bodies = collector
    run(endpoint)
    made = {"palimpsest_spans_recovered_total"} | names_in_prometheus(bodies)
    text = (DEPLOY / file).read_text()
    named = set(re.findall(r"palimpsest_\w+", text))
    assert named
    assert named <= made
    read = json.loads(text) if file.endswith("json") else yaml.safe_load(text)
    assert read.get("panels") or all(rule["expr"] for group in read["groups"] for rule in group["rules"])


def test_the_dashboard_has_each_variable_and_the_cost_is_that_of_the_core_seconds():
    dashboard = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
    panels = {one["title"]: one["targets"][0]["expr"] for one in dashboard["panels"]}
    variables = {one["name"]: one for one in dashboard["templating"]["list"]}
    assert set(re.findall(r"\$(\w+)", " ".join(panels.values()))) <= set(variables)
    core_seconds = panels["Core-seconds for 1,000 notes, all steps"]
    assert panels["Cost of 1,000 notes, all steps"] == f"$price_per_core_hour / 3600 * {core_seconds}"
    price = variables["price_per_core_hour"]
    assert price["type"] == "textbox"
    assert float(price["query"]) == float(price["current"]["value"]) > 0


@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is of Prometheus, which no Python package brings")
def test_prometheus_evaluates_the_rules():
    done = subprocess.run(
        ["promtool", "test", "rules", DEPLOY / "alert-rules.test.yaml"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
