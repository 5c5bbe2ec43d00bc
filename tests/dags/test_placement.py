"""Which executor, queue, pod template, pool and priority the tasks of an institution get from its settings."""

import datetime
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("changes", "dictionaries", "evaluate", "gold", "harvest", "ledger", "notes", "restate", "sample", "train")
ENGINE = {"detect_and_obfuscate", "evaluate_and_certify", "harvest", "train"}
GPU = {
    "executor": "LocalExecutor",
    "queue": "gpu",
    "pod_template": "/etc/palimpsest/pods/gpu.yaml",
    "pool": "gpu",
    "pool_slots": 1,
}


def _arguments(task):
    found = dict(task.partial_kwargs) if task.is_mapped else vars(task)
    return {name: found.get(name) for name in ("executor", "queue", "pool", "executor_config")}


def _is_with_dbt(task):
    # Tables are upgraded and roles checked there too: no other worker needs the role that owns them.
    return task.task_id.startswith("dbt.") or task.task_id in {"upgrade_tables", "check_roles"}


@pytest.fixture
def build(dagbag):
    """Build the DAG of one kind with other settings of notes and dictionaries."""
    import importlib

    from deid_tasks.settings import InstitutionSettings, load_institution

    document = load_institution(ROOT / "dags" / "institutions" / "riverside.yaml").model_dump(mode="json")
    document["evidence"] = None

    def build_dag(kind, notes=None, dictionaries=None, **top):
        changed = document | top
        changed["notes"] = document["notes"] | (notes or {})
        changed["dictionaries"] = document["dictionaries"] | (dictionaries or {})
        return importlib.import_module(f"{kind}_dag").build(InstitutionSettings.model_validate(changed))

    return build_dag


@pytest.mark.parametrize("kind", KINDS)
def test_tasks_that_run_the_engine_go_where_the_settings_of_notes_say(build, kind):
    for task in build(kind, notes=GPU).tasks:
        placed = _arguments(task)
        if task.task_id == "plan_restatement":
            # It writes to the ledger, which workers that read notes may not.
            assert (placed["pool"], placed["queue"]) == ("gpu", "default")
        elif task.task_id in ENGINE:
            config = {"pod_template_file": GPU["pod_template"]}
            expected = {"executor": "LocalExecutor", "queue": "gpu", "pool": "gpu", "executor_config": config}
            assert placed == expected, task.task_id
        else:
            assert placed["pool"] == "riverside"
            assert placed["queue"] == ("dbt" if _is_with_dbt(task) else "default")
            assert not placed["executor"]


def test_a_restatement_is_planned_on_a_gpu_where_models_run_on_one(build):
    detect = {"transformers": [{"model": "minilm", "backend": "torch"}]}
    [plan] = [one for one in build("restate", notes=GPU, detect=detect).tasks if one.task_id == "plan_restatement"]
    assert _arguments(plan)["queue"] == "gpu"


def test_dbt_goes_where_the_settings_of_dictionaries_say(build):
    chosen = {"executor": "KubernetesExecutor", "queue": "sql", "pod_template": "/templates/dbt.yaml"}
    for task in build("dictionaries", dictionaries=chosen).tasks:
        placed = _arguments(task)
        is_dbt = _is_with_dbt(task)
        assert (placed["executor"] == "KubernetesExecutor") == is_dbt
        assert (placed["queue"] == "sql") == is_dbt
        assert (placed["executor_config"] == {"pod_template_file": "/templates/dbt.yaml"}) == is_dbt


@pytest.mark.parametrize("kind", ["evaluate", "gold", "harvest", "sample", "train"])
def test_tasks_that_read_gold_notes_or_sign_go_where_the_settings_of_evidence_say(build, kind):
    chosen = {"queue": "apart", "executor": "KubernetesExecutor", "pod_template": "/templates/evidence.yaml"}
    for task in build(kind, notes=GPU, evidence=chosen).tasks:
        placed = _arguments(task)
        assert (placed["queue"], placed["executor"]) == ("apart", "KubernetesExecutor"), task.task_id
        assert placed["executor_config"] == {"pod_template_file": "/templates/evidence.yaml"}
        assert placed["pool"] == (GPU["pool"] if task.task_id in ENGINE else "riverside")


def test_a_comparison_follows_the_evaluation_and_takes_no_slot_of_the_engine(build):
    chosen = {"queue": "apart", "executor": "KubernetesExecutor", "pod_template": "/templates/evidence.yaml"}
    compare = {"systems": ["presidio", "philter"], "system_minutes": 15}
    dag = build("evaluate", notes=GPU, evidence=chosen, compare=compare)
    evaluated, compared = dag.get_task("evaluate_and_certify"), dag.get_task("compare_systems")
    assert evaluated.downstream_task_ids == {"compare_systems"}
    assert compared.downstream_task_ids == set()
    assert _arguments(compared) == {**_arguments(evaluated), "pool": "riverside"}
    assert compared.priority_weight < evaluated.priority_weight
    assert compared.execution_timeout == datetime.timedelta(hours=1, minutes=2 * (45 + 15))
    # A skipped or failed evaluation is not compared, and nothing is published by a comparison.
    assert compared.trigger_rule == "all_success"
    assert not compared.outlets
    # The next evaluation starts while this one is compared; two never evaluate at once.
    assert dag.max_active_runs > 1
    assert (evaluated.max_active_tis_per_dag, compared.max_active_tis_per_dag) == (1, 1)
    assert build("evaluate", compare={"systems": ["pydeid"]}).max_active_runs > 1


def test_the_longest_comparison_ends_before_its_run_does(build):
    systems = ["presidio", "philter", "openmed", "scrubadub", *(f"spacy:/models/{number}" for number in range(6))]
    dag = build("evaluate", compare={"systems": systems, "system_minutes": 90})
    assert dag.get_task("compare_systems").execution_timeout <= dag.dagrun_timeout - datetime.timedelta(hours=3)


def test_without_compared_systems_there_is_no_comparison(dagbag):
    for name in ("riverside", "lakeshore"):
        dag = dagbag.dags[f"evaluate__{name}"]
        assert [task.task_id for task in dag.tasks] == ["evaluate_and_certify"]
        assert dag.max_active_runs == 1


@pytest.mark.parametrize("kind", ["notes", "changes", "restate", "ledger", "dictionaries"])
def test_no_other_task_goes_there(build, kind):
    for task in build(kind, evidence={"queue": "apart"}).tasks:
        assert _arguments(task)["queue"] != "apart"


def test_an_executor_that_airflow_does_not_have_is_an_import_error(parse_copy):
    def change(dags):
        file = dags / "institutions" / "riverside.yaml"
        file.write_text(file.read_text().replace("shard_notes: 500", "shard_notes: 500\n  executor: NowhereExecutor"))

    ids, errors = parse_copy(change)
    assert "notes__lakeshore" in ids
    assert "notes__riverside" not in ids
    assert all("NowhereExecutor" in error for error in errors)


def test_every_pool_of_the_dags_is_among_those_that_the_settings_give(dagbag):
    from deid_tasks.settings import airflow_pools, load_institutions

    pools = airflow_pools(load_institutions(ROOT / "dags" / "institutions"))
    named = {task.pool for dag in dagbag.dags.values() for task in dag.tasks}
    assert named == set(pools)


def test_no_two_institutions_share_a_pool(dagbag):
    used = {
        name: {task.pool for dag_id, dag in dagbag.dags.items() if dag_id.endswith(name) for task in dag.tasks}
        for name in ("riverside", "lakeshore")
    }
    assert not used["riverside"] & used["lakeshore"]


def _weights(dag, run_id):
    from airflow.serialization.serialized_objects import DagSerialization

    stored = DagSerialization.from_dict(DagSerialization.to_dict(dag))
    tasks = [stored.get_task(task.task_id) for task in dag.tasks]
    return {task.task_id: task.weight_rule.get_weight(SimpleNamespace(task=task, run_id=run_id)) for task in tasks}


def test_the_scheduler_starts_a_scheduled_run_before_a_backfill_and_removals_first(build):
    nightly = _weights(build("notes"), "scheduled__2024-03-06T00:00:00+00:00")
    backfill = _weights(build("notes"), "backfill__2023-03-06T00:00:00+00:00")
    assert min(nightly.values()) > max(backfill.values())
    assert max(nightly, key=nightly.get) == "remove_notes"
    assert all(weight >= 1 for weight in backfill.values())


def test_dictionaries_come_before_the_notes_that_wait_for_them_and_training_last(build):
    weights = {kind: min(_weights(build(kind), "manual__1").values()) for kind in KINDS}
    assert weights["dictionaries"] > weights["notes"] > weights["restate"] > weights["train"]


def test_the_priority_of_an_institution_is_added(build):
    plain, urgent = (_weights(build("notes", priority=value), "manual__1")["publish"] for value in (0, 25))
    assert urgent == plain + 25
