"""Pod templates, the objects beside the chart, and the chart's values: what can be checked without a cluster."""

import datetime
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from typing import Any

import pytest
import yaml

from tests.support.image_files import ROOT

_FOLDER = ROOT / "deploy" / "kubernetes"
_VALUES: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / "helm" / "values.yaml").read_text(encoding="utf-8"))
_KINDS = ("cpu", "dbt", "gpu")
_GPU = "nvidia.com/gpu"


def _template(kind: str) -> dict[str, Any]:
    pod: dict[str, Any] = yaml.safe_load((_FOLDER / f"{kind}.yaml").read_text(encoding="utf-8"))
    return pod


def _objects() -> list[dict[str, Any]]:
    files = sorted((_FOLDER / "cluster").glob("*.yaml"))
    return [one for file in files for one in yaml.safe_load_all(file.read_text(encoding="utf-8"))]


def _secret_names() -> set[str]:
    return {one["spec"]["target"]["name"] for one in _objects() if one["kind"] == "ExternalSecret"}


@pytest.mark.parametrize("kind", _KINDS)
class TestPodTemplate:
    def test_it_is_a_pod_of_the_client_models(self, kind):
        pytest.importorskip("kubernetes")
        from airflow.providers.cncf.kubernetes.pod_generator import PodGenerator

        pod = PodGenerator.deserialize_model_file(str(_FOLDER / f"{kind}.yaml"))
        # The client drops fields that it does not know.
        assert _sanitized(pod) == _template(kind)

    def test_a_task_gets_the_resources_and_image_of_its_template(self, kind):
        pytest.importorskip("kubernetes")
        pod = _sanitized(_pod_of_task(kind))
        template, [container] = _template(kind), pod["spec"]["containers"]
        [base] = template["spec"]["containers"]
        assert container["args"] == ["airflow", "tasks", "run"]
        for field in ("image", "resources", "volumeMounts", "securityContext"):
            assert container[field] == base[field]
        for field in ("tolerations", "nodeSelector", "serviceAccountName", "volumes"):
            assert pod["spec"].get(field) == template["spec"].get(field)

    def test_it_has_limits_and_no_rights(self, kind):
        spec = _template(kind)["spec"]
        [container] = spec["containers"]
        assert container["name"] == "base"
        assert {"cpu", "memory"} <= set(container["resources"]["requests"])
        assert "memory" in container["resources"]["limits"]
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert spec["securityContext"]["runAsUser"] == 50000
        assert spec["automountServiceAccountToken"] is False

    def test_only_a_gpu_task_asks_for_a_gpu(self, kind):
        spec = _template(kind)["spec"]
        [container] = spec["containers"]
        asked = {part: container["resources"][part].get(_GPU) for part in ("requests", "limits")}
        assert asked == dict.fromkeys(asked, "1" if kind == "gpu" else None)
        tolerated = {one["key"] for one in spec.get("tolerations", ())}
        assert tolerated == ({_GPU} if kind == "gpu" else set())

    def test_what_it_mounts_and_who_it_is_exist(self, kind):
        spec = _template(kind)["spec"]
        volumes = {one["name"]: one for one in spec["volumes"]}
        assert {one["name"] for one in spec["containers"][0]["volumeMounts"]} == set(volumes)
        assert volumes["secrets"]["secret"]["secretName"] in _secret_names()
        names = {(one["kind"], one["metadata"]["name"]) for one in _objects()}
        assert ("ServiceAccount", spec["serviceAccountName"]) in names
        if "work" in volumes:
            assert ("PersistentVolumeClaim", volumes["work"]["persistentVolumeClaim"]["claimName"]) in names


def _sanitized(pod: Any) -> dict[str, Any]:
    from kubernetes.client import ApiClient

    found: dict[str, Any] = ApiClient().sanitize_for_serialization(pod)
    return found


def _pod_of_task(kind: str) -> Any:
    """Return the pod that the Kubernetes executor makes of a template."""
    from airflow.providers.cncf.kubernetes.pod_generator import PodGenerator

    return PodGenerator.construct_pod(
        dag_id="notes__riverside",
        task_id="detect_and_obfuscate",
        pod_id="notes-riverside-1",
        try_number=1,
        kube_image="",
        date=datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
        args=["airflow", "tasks", "run"],
        pod_override_object=None,
        base_worker_pod=PodGenerator.deserialize_model_file(str(_FOLDER / f"{kind}.yaml")),
        namespace="palimpsest",
        scheduler_job_id="1",
    )


def test_the_api_server_can_write_its_file_of_passwords_and_nobody_else_has_it():
    server, file = _VALUES["apiServer"], _VALUES["config"]["core"]["simple_auth_manager_passwords_file"]
    assert file in server["args"][-1]
    assert not any(file.startswith(f"{one['mountPath']}/") for one in server["extraVolumeMounts"])
    holders = {
        one["metadata"]["name"]
        for one in _objects()
        if one["kind"] == "ExternalSecret" and "ui_passwords" in json.dumps(one["spec"]["data"])
    }
    assert holders == {"palimpsest-page"}


def test_the_chart_deletes_old_runs_with_a_command_that_exists():
    assert _VALUES["databaseCleanup"]["enabled"]
    words = shlex.split(
        _VALUES["databaseCleanup"]["args"][-1].replace("$(date -u -d '-180 days' +%FT%TZ)", "2026-01-01")
    )
    from airflow.cli.cli_parser import get_parser

    assert get_parser().parse_args(words[2:]).skip_archive


def test_a_dbt_task_sees_the_warehouses_and_no_key():
    secrets = {one["metadata"]["name"]: one["spec"] for one in _objects() if one["kind"] == "ExternalSecret"}
    assert {one["secretKey"] for one in secrets["palimpsest-dbt"]["data"]} == {
        f"{institution}_{task}" for institution in ("riverside", "lakeshore") for task in ("source", "build", "owner")
    }


_LOGINS = {
    "palimpsest-engine": {"engine"},
    "palimpsest-publish": {"publish", "engine", "audit"},
    "palimpsest-evidence": {"evidence"},
    "palimpsest-dbt": {"source", "build", "owner"},
    "palimpsest-page": {"page"},
}


@pytest.mark.parametrize("name", _LOGINS)
def test_each_component_has_the_logins_of_its_tasks_and_no_others(name):
    from deid_tasks.settings import DATABASE_TASKS, load_institutions

    given = _connections(name)
    for one in load_institutions(ROOT / "dags" / "institutions"):
        found = {task for task in DATABASE_TASKS if task != "land" and one.warehouse.connection_of(task) in given}
        assert found == _LOGINS[name]


def test_every_secret_that_the_settings_name_is_given():
    from deid_tasks.settings import load_institutions

    for one in load_institutions(ROOT / "dags" / "institutions"):
        stores = {one.publish.object_store, one.publish.catalog}
        assert stores | {one.obfuscate.key, one.gate.verification_key} <= set(_connections("palimpsest-publish"))
        keys = {one.obfuscate.key, one.gate.signing_key, one.gate.verification_key}
        assert keys <= set(_connections("palimpsest-evidence"))


def test_who_reads_notes_has_what_a_shard_needs_and_can_write_nothing():
    from deid_tasks.settings import load_institutions
    from deid_tasks.spark.run_shards import shard_secrets

    needed = {name for one in load_institutions(ROOT / "dags" / "institutions") for name in shard_secrets(one)}
    assert set(_connections("palimpsest-engine")) == needed


def _connections(name: str) -> dict[str, Any]:
    """Return the connections that a component is given, by name."""
    [secret] = [
        one["spec"] for one in _objects() if one["kind"] == "ExternalSecret" and one["metadata"]["name"] == name
    ]
    files = secret["target"]["template"]["data"]
    assert json.loads(files["variables.json"]) == {}
    # In place of the templates' values, so that what is left is JSON.
    found: dict[str, Any] = json.loads(re.sub(r"\{\{[^}]*\}\}", '""', files["connections.json"]))
    read = {one["secretKey"] for one in secret["data"]} - {"ui_passwords"}
    assert read == set(found)
    return found


_AUDIT_KEYS = {"audit_signing_key", "audit_verification_key"}
_KEYS = {
    "palimpsest-engine": {"riverside_surrogate_key", "lakeshore_surrogate_key"},
    "palimpsest-publish": {
        "riverside_surrogate_key", "lakeshore_surrogate_key", "certificate_verification_key", *_AUDIT_KEYS,
    },
    "palimpsest-evidence": {
        "riverside_surrogate_key", "lakeshore_surrogate_key", "certificate_verification_key", "certificate_signing_key",
        *_AUDIT_KEYS,
    },
    "palimpsest-dbt": set(),
    "palimpsest-page": {"certificate_verification_key"},
}  # fmt: skip
"""The keys of each component."""


@pytest.mark.parametrize("component", _KEYS)
def test_each_component_has_the_keys_that_it_needs_as_masked_passwords(component):
    keys = {name: one for name, one in _connections(component).items() if name.endswith("_key")}
    assert set(keys) == _KEYS[component]
    assert all(one == {"conn_type": "generic", "password": ""} for one in keys.values())


def test_each_set_of_workers_mounts_the_secrets_of_its_component():
    shared = _VALUES["workers"]["celery"]
    mounted = {}
    for one in shared["sets"]:
        volumes = {volume["name"]: volume for volume in {**shared, **one}["extraVolumes"]}
        mounted[one["queue"]] = volumes["secrets"]["secret"]["secretName"]
        assert {**shared, **one}["serviceAccount"]["name"] == mounted[one["queue"]]
    assert mounted == {
        "default": "palimpsest-publish",
        "notes": "palimpsest-engine",
        "gpu": "palimpsest-publish",
        "dbt": "palimpsest-dbt",
        "evidence": "palimpsest-evidence",
    }
    [page] = _VALUES["apiServer"]["extraVolumes"]
    assert page["secret"]["secretName"] == "palimpsest-page"
    for service in ("scheduler", "dagProcessor", "triggerer"):
        assert "secret" not in json.dumps(_VALUES[service])


def test_network_policies_and_accounts_are_of_the_client_models():
    models = pytest.importorskip("kubernetes.client")
    kinds = {
        "NetworkPolicy": models.V1NetworkPolicy,
        "ServiceAccount": models.V1ServiceAccount,
        "PersistentVolumeClaim": models.V1PersistentVolumeClaim,
    }
    checked = 0
    for one in _objects():
        if one["kind"] in kinds:
            assert _sanitized(_deserialized(models, one, kinds[one["kind"]])) == one
            checked += 1
    assert checked >= len(kinds)


def _deserialized(models: Any, document: dict[str, Any], kind: Any) -> Any:
    class Response:
        data = json.dumps(document)

    return models.ApiClient().deserialize(Response, kind)


def test_tasks_reach_what_they_need_and_nothing_else():
    [policy] = [one["spec"] for one in _objects() if one["kind"] == "NetworkPolicy"]
    for kind in _KINDS:
        labels = _template(kind)["metadata"]["labels"]
        assert policy["podSelector"]["matchLabels"].items() <= labels.items()
    ports = {port["port"] for rule in policy["egress"] for port in rule["ports"]}
    assert ports == {53, 443, 5432, 6379, 8080}
    assert all(rule["to"] for rule in policy["egress"])


class TestValues:
    def test_secrets_are_names_of_secrets_that_exist(self):
        names = [value for key, value in _walk(_VALUES) if key.endswith("SecretName")]
        assert len(names) == 7
        assert set(names) <= _secret_names()
        assert not [
            key for key, value in _walk(_VALUES) if re.search("password$|fernetKey$|connection$", key) and value
        ]

    def test_every_queue_of_the_settings_has_workers_that_scale(self):
        from deid_tasks.settings import load_institutions

        sets = {one["queue"]: one for one in _VALUES["workers"]["celery"]["sets"]}
        assert set(sets) == {"default", "notes", "dbt", "gpu", "evidence"}
        for one in load_institutions(ROOT / "dags" / "institutions"):
            assert {one.notes.queue, one.dictionaries.queue, one.evidence.queue} <= set(sets)
        for one in sets.values():
            assert {**_VALUES["workers"]["celery"], **one}["keda"]["enabled"]

    def test_the_release_is_that_of_the_pins(self):
        pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        assert f"apache-airflow=={_VALUES['airflowVersion']}" in pins

    def test_sets_of_workers_mount_what_they_declare(self):
        shared = _VALUES["workers"]["celery"]
        for one in shared["sets"]:
            merged = {**shared, **one}
            claims = {claim["metadata"]["name"] for claim in merged["volumeClaimTemplates"]}
            declared = {volume["name"] for volume in merged["extraVolumes"]} | claims
            assert {mount["name"] for mount in merged["extraVolumeMounts"]} <= declared

    def test_they_obey_the_schema_of_the_chart(self):
        """Needs Helm and the chart: CHART is its folder or archive."""
        if shutil.which("helm") is None or "CHART" not in os.environ:
            pytest.skip("helm and the chart are not at hand")
        command = ["helm", "template", "palimpsest", os.environ["CHART"], "-f", str(ROOT / "deploy/helm/values.yaml")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def _walk(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _walk(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner, key)
    else:
        yield key, value


def test_kustomize_renders_what_lies_beside_the_chart():
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not at hand")
    done = subprocess.run(["kubectl", "kustomize", str(_FOLDER)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rendered = list(yaml.safe_load_all(done.stdout))
    [pods] = [one for one in rendered if one["metadata"]["name"] == "palimpsest-pods"]
    assert {name: yaml.safe_load(text) for name, text in pods["data"].items()} == {
        f"{kind}.yaml": _template(kind) for kind in _KINDS
    }


@pytest.mark.slow
def test_airflow_renders_a_pod_for_each_task_of_the_dictionaries(tmp_path):
    """Of the dictionaries: Airflow 3.3 renders no DAG that has mapped tasks, as a day of notes has."""
    pytest.importorskip("kubernetes")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW")} | {
        "AIRFLOW_HOME": str(tmp_path),
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(ROOT / "plugins"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__EXECUTOR": "KubernetesExecutor",
        "AIRFLOW__KUBERNETES_EXECUTOR__POD_TEMPLATE_FILE": str(_FOLDER / "dbt.yaml"),
        "PALIMPSEST_WORK_DIR": str(tmp_path / "work"),
    }
    render = ["kubernetes", "generate-dag-yaml", "--logical-date", "2026-01-01T00:00:00"]
    # The job that prepares Airflow's database, as the values have it.
    script = _VALUES["migrateDatabaseJob"]["args"][2].replace("/opt/palimpsest", str(ROOT))
    script = script.replace("/tmp/pools.json", f"{tmp_path}/pools.json")
    for name, module in (("airflow", "airflow"), ("deid", "deid_tasks.cli")):
        script = script.replace(f"{name} ", f"{sys.executable} -m {module} ")
    _succeed(["bash", "-c", script], environment)
    airflow = [sys.executable, "-m", "airflow"]
    pools = json.loads(_succeed([*airflow, "pools", "list", "--output", "json"], environment))
    assert {one["pool"] for one in pools} >= {"riverside", "riverside_notes", "lakeshore", "lakeshore_notes"}
    _succeed([*airflow, *render, "--output-path", str(tmp_path), "dictionaries__riverside"], environment)
    pods = {file.stem: yaml.safe_load(file.read_text()) for file in (tmp_path / "airflow_yaml_output").glob("*.yml")}
    tasks = {pod["metadata"]["annotations"]["task_id"] for pod in pods.values()}
    assert tasks >= {"upgrade_tables", "dbt.staging", "dbt.dictionaries", "compile_dictionaries"}
    for pod in pods.values():
        assert pod["spec"]["serviceAccountName"] == "palimpsest-dbt"


def _succeed(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout
