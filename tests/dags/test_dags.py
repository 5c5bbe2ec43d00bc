"""The exact set of DAGs, the policy that they share, and the order of their tasks."""

import datetime
import itertools
import json
from pathlib import Path

import pytest

from tests.support.deliveries import landing_settings

ROOT = Path(__file__).resolve().parents[2]
INSTITUTIONS = ("lakeshore", "riverside")
KINDS = (
    "changes",
    "dictionaries",
    "evaluate",
    "gold",
    "harvest",
    "ledger",
    "maintain",
    "notes",
    "restate",
    "sample",
    "train",
)
DAG_IDS = [f"{kind}__{institution}" for kind in KINDS for institution in INSTITUTIONS]
DETECTING = {"detect_and_obfuscate", "evaluate_and_certify", "harvest", "plan_restatement", "train"}


def test_the_exact_dags_and_no_import_error(dagbag):
    assert dagbag.import_errors == {}
    assert sorted(dagbag.dags) == sorted(DAG_IDS)


@pytest.mark.parametrize("dag_id", DAG_IDS)
def test_policy_of_a_dag(dagbag, dag_id):
    dag = dagbag.dags[dag_id]
    kind, institution = dag_id.split("__")
    assert dag.tags == {"palimpsest", kind, institution}
    assert dag.catchup is False
    assert dag.max_active_runs >= 1
    # A notes run may wait for late notes, for dictionaries and for a person.
    waits = {"notes": 1 + 12 + 20, "changes": 1 + 1, "restate": 1 + 1}
    assert dag.dagrun_timeout == datetime.timedelta(hours=24 + waits.get(kind, 0))
    for part in ("**What.**", "**When.**", "**A new DAG is paused.**", "**When it fails.**"):
        assert part in dag.doc_md
    assert "{" not in dag.doc_md


@pytest.mark.parametrize("dag_id", DAG_IDS)
def test_policy_of_its_tasks(dagbag, dag_id):
    institution = dag_id.partition("__")[2]
    for task in dagbag.dags[dag_id].tasks:
        arguments = task.partial_kwargs if task.is_mapped else vars(task)
        assert arguments["owner"] == "data-engineering"
        if task.task_id in {"review", "review_removals", "review_readmissions"}:
            # A retry would ask the person again. The wait for an answer has its own limit, within the run's.
            assert arguments["retries"] == 0
            assert arguments["execution_timeout"] is None
            assert arguments["response_timeout"] < dagbag.dags[dag_id].dagrun_timeout
            continue
        assert arguments["retries"] == 2, task.task_id
        assert arguments["retry_exponential_backoff"] == 2.0
        assert arguments["max_retry_delay"] <= datetime.timedelta(minutes=30)
        assert arguments["retry_policy"] is not None
        assert arguments["execution_timeout"] <= datetime.timedelta(hours=20 if task.task_id == "train" else 2)
        pool = f"{institution}_notes" if task.task_id in DETECTING else institution
        assert task.pool == pool, task.task_id


@pytest.mark.parametrize(
    ("error", "again"),
    [
        ("GateError", False),
        ("SettingsError", False),
        ("LexiconError", False),
        ("ModelError", False),
        ("InputError", False),
        ("WarehouseError", True),
        ("PublishError", True),
        ("DictionariesTooOldError", True),
    ],
)
def test_errors_that_only_a_person_can_correct_are_not_retried(dagbag, error, again):
    from airflow.sdk import RetryAction

    from deid_tasks.core import errors

    policy = dagbag.dags["notes__riverside"].get_task("publish").retry_policy
    decision = policy.evaluate(getattr(errors, error)("figure"), 1, 2)
    assert (decision.action is not RetryAction.FAIL) == again


@pytest.mark.parametrize("institution", INSTITUTIONS)
class TestStructure:
    def test_notes(self, dagbag, institution):
        dag = dagbag.dags[f"notes__{institution}"]
        assert {task.task_id: task.downstream_task_ids for task in dag.tasks} == {
            "pin_engine": {"plan_notes", "detect_and_obfuscate", "reconcile_and_gate", "publish", "publish_tables"},
            "plan_notes": {"remove_notes", "detect_and_obfuscate"},
            "remove_notes": {"publish"},
            "detect_and_obfuscate": {"reconcile_and_gate"},
            "reconcile_and_gate": {"review", "publish"},
            "review": {"publish"},
            "publish": {"publish_tables", "delete_run_files"},
            "publish_tables": set(),
            "delete_run_files": set(),
        }
        assert dag.get_task("detect_and_obfuscate").is_mapped
        # After one failed shard, neither the gate nor the table is reached.
        assert dag.get_task("reconcile_and_gate").trigger_rule == "all_success"
        assert dag.get_task("publish").trigger_rule == "none_failed"
        # The shards stay until the publication and the vault have them.
        assert dag.get_task("delete_run_files").trigger_rule == "none_failed"

    def test_a_day_waits_for_late_notes_where_the_settings_say_so(self, dagbag, institution):
        import notes_dag
        from deid_tasks.settings import load_institution

        settings = load_institution(ROOT / "dags" / "institutions" / f"{institution}.yaml")
        late = settings.model_copy(update={"notes": settings.notes.model_copy(update={"lag_hours": 6.0})})
        wait = notes_dag.build(late).get_task("wait_for_late_notes")
        assert wait.downstream_task_ids == {"pin_engine"}
        assert (wait.delta, wait.mode) == (datetime.timedelta(hours=6), "reschedule")

    def test_changes_remove_notes_without_an_engine(self, dagbag, institution):
        dag = dagbag.dags[f"changes__{institution}"]
        downstream = {task.task_id: task.downstream_task_ids for task in dag.tasks}
        assert downstream["plan_changes"] == {
            "remove_notes",
            "detect_and_obfuscate",
            "review_removals",
            "review_readmissions",
        }
        # Nothing waits for the answer: the next run acts on it.
        assert downstream["review_removals"] == downstream["review_readmissions"] == set()
        assert dag.get_task("remove_notes").upstream_task_ids == {"plan_changes"}
        assert downstream["purge_removed"] == set() == dag.get_task("purge_removed").upstream_task_ids

    def test_originals_are_stored_after_publication_where_there_is_a_vault(self, dagbag, institution):
        import notes_dag
        from deid_tasks.settings import load_institution

        document = load_institution(ROOT / "dags" / "institutions" / f"{institution}.yaml").model_dump(mode="json")
        document["vault"] = {"bucket": "originals", "object_store": "vault_store"}
        document["publish"]["tables"] = []
        dag = notes_dag.build(
            type(load_institution(ROOT / "dags" / "institutions" / f"{institution}.yaml"))(**document)
        )
        assert dag.get_task("publish").downstream_task_ids == {"store_vault"}
        assert dag.get_task("store_vault").downstream_task_ids == {"delete_run_files"}
        assert dag.get_task("store_vault").trigger_rule == "all_success"
        assert dag.get_task("store_vault").upstream_task_ids == {"publish", "reconcile_and_gate"}

    def test_a_run_waits_for_newer_dictionaries_without_a_worker(self, dagbag, institution, monkeypatch):
        from deid_tasks.core.errors import DictionariesTooOldError
        from wiring import start

        sensor = dagbag.dags[f"notes__{institution}"].get_task("pin_engine")
        assert (sensor.mode, sensor.poke_interval, sensor.timeout) == ("reschedule", 300, 12 * 3_600)
        pins = [DictionariesTooOldError("36 hours"), {"fingerprint": "f"}]

        def step(_step, asked):
            assert asked == institution
            if isinstance(pin := pins.pop(0), Exception):
                raise pin
            return pin

        monkeypatch.setattr(start, "run_step", step)
        assert not start._pin_engine.function(institution)
        answer = start._pin_engine.function(institution)
        assert (bool(answer), answer.xcom_value) == (True, {"fingerprint": "f"})

    def test_a_run_of_notes_is_one_day_and_can_be_backfilled(self, dagbag, institution):
        from airflow.serialization.serialized_objects import DagSerialization

        dag = DagSerialization.from_dict(DagSerialization.to_dict(dagbag.dags[f"notes__{institution}"]))
        start = datetime.datetime(2024, 1, 2, tzinfo=datetime.UTC)
        runs = list(dag.iter_dagrun_infos_between(start, start + datetime.timedelta(days=2)))
        intervals = [(run.data_interval.start, run.data_interval.end) for run in runs]
        days = [start + datetime.timedelta(days=i) for i in range(4)]
        assert intervals == list(itertools.pairwise(days))

    def test_no_day_after_the_last_one_is_scheduled(self, dagbag, institution):
        from airflow.serialization.serialized_objects import DagSerialization

        dag = DagSerialization.from_dict(DagSerialization.to_dict(dagbag.dags[f"notes__{institution}"]))
        assert dag.next_dagrun_info(last_automated_run_info=None) is None

    def test_restate_plans_with_the_pinned_engine_and_asks_which_notes(self, dagbag, institution):
        dag = dagbag.dags[f"restate__{institution}"]
        assert dag.get_task("plan_restatement").upstream_task_ids == {"pin_engine"}
        assert dag.get_task("plan_restatement").downstream_task_ids == {"remove_notes", "detect_and_obfuscate"}
        assert dag.max_active_runs == 1
        asked = {name: param.resolve() for name, param in dag.params.items()}
        assert asked == {
            "only": "stale",
            "note_types": [],
            "first_day": None,
            "last_day": None,
            "max_notes": None,
            "dry_run": False,
        }

    def test_maintenance_expires_what_a_compaction_replaced(self, dagbag, institution):
        dag = dagbag.dags[f"maintain__{institution}"]
        assert {task.task_id: task.downstream_task_ids for task in dag.tasks} == {
            "compact_table": {"expire_snapshots"},
            "expire_snapshots": set(),
            "prune_files": set(),
            "prune_outcomes": set(),
            "delete_old_texts": set(),
        }
        # Snapshots of other writers expire even where a compaction failed.
        assert dag.get_task("expire_snapshots").trigger_rule == "all_done"
        assert dag.max_active_runs == 1

    def test_dictionaries(self, dagbag, institution):
        dag = dagbag.dags[f"dictionaries__{institution}"]
        assert {task.task_id: task.downstream_task_ids for task in dag.tasks} == {
            "upgrade_tables": {"dbt.staging", "open_audit_log"},
            "open_audit_log": set(),
            "dbt.staging": {"dbt.history"},
            "dbt.history": {"dbt.dictionaries"},
            "dbt.dictionaries": {"dbt.quality", "compile_dictionaries"},
            "dbt.quality": set(),
            "compile_dictionaries": set(),
        }
        for task in (dag.get_task(f"dbt.{layer}") for layer in ("staging", "history", "dictionaries", "quality")):
            assert task.should_store_compiled_sql is False
            assert task.vars["institution"] == institution
            assert "DBT_LOG_LEVEL" in task.env
            assert task.exclude == ["resource_type:unit_test"]

    def test_landing_is_for_institutions_with_deliveries_and_dictionaries_follow_it(self, dagbag, institution):
        import dictionaries_dag
        import land_dag
        from deid_tasks.settings import load_institution

        settings = load_institution(ROOT / "dags" / "institutions" / f"{institution}.yaml")
        landed = settings.model_copy(update={"landing": landing_settings("/deliveries")})
        dag = land_dag.build(landed, landed.landing)
        assert dag.dag_id == f"land__{institution}"
        assert {task.task_id: task.downstream_task_ids for task in dag.tasks} == {
            "upgrade_tables": {"land"},
            "land": set(),
        }
        (outlet,) = dag.get_task("land").outlets
        assert outlet.name == f"raw_tables__{institution}"
        assert "0.10%" in dag.doc_md
        assert "{" not in dag.doc_md
        following = dictionaries_dag.build(landed)
        assert [asset.name for asset in following.timetable.asset_condition.objects] == [outlet.name]
        assert f"After each landed delivery (`land__{institution}`)" in following.doc_md

    def test_gold(self, dagbag, institution):
        dag = dagbag.dags[f"gold__{institution}"]
        assert {task.task_id: task.downstream_task_ids for task in dag.tasks} == {
            "export_tasks": {"import_annotations"},
            "import_annotations": {"adjudicate"},
            "adjudicate": {"freeze"},
            "freeze": set(),
        }
        assert dag.schedule is None
        assert set(dag.params) == {"sample_version", "reopen"}

    def test_harvest(self, dagbag, institution):
        dag = dagbag.dags[f"harvest__{institution}"]
        assert {task.task_id: task.downstream_task_ids for task in dag.tasks} == {
            "harvest": {"review", "approve"},
            "review": {"approve"},
            "approve": set(),
        }
        assert dag.schedule is None
        # A harvest that no person approved is never frozen.
        assert dag.get_task("approve").trigger_rule == "all_success"

    def test_train(self, dagbag, institution):
        dag = dagbag.dags[f"train__{institution}"]
        assert [task.task_id for task in dag.tasks] == ["train"]
        assert dag.schedule is None
        assert dag.get_task("train").pool == f"{institution}_notes"
        # No settings name a newly registered model yet, so no run follows.
        assert not dag.get_task("train").outlets

    def test_assets_join_the_dags(self, dagbag, institution):
        def outlets(kind):
            tasks = dagbag.dags[f"{kind}__{institution}"].tasks
            return {asset.name for task in tasks for asset in task.outlets}

        assert outlets("dictionaries") == {f"dictionaries__{institution}"}
        assert outlets("gold") == {f"gold__{institution}"}
        assert outlets("harvest") == {f"harvest__{institution}"}
        assert outlets("evaluate") == {f"quality__{institution}"}
        for kind in ("notes", "changes", "restate"):
            assert outlets(kind) == {f"notes__{institution}", f"note_days__{institution}"}
        condition = dagbag.dags[f"evaluate__{institution}"].timetable.asset_condition
        assert type(condition).__name__ == "AssetAny"
        joined = {f"{kind}__{institution}" for kind in ("dictionaries", "harvest", "gold")}
        assert {asset.name for asset in condition.objects} == joined


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (lambda dags: _replace(dags, "shard_notes: 500", "shard_notes: -1"), "notes.shard_notes"),
        (lambda dags: _replace(dags, "title:", "titel:"), "titel"),
        (lambda dags: _file(dags).write_text("a: [b"), "not valid YAML"),
        (lambda dags: _file(dags).rename(_file(dags).with_stem("riverbank")), "riverbank"),
    ],
    ids=["wrong value", "unknown key", "no YAML", "wrong name"],
)
def test_one_broken_file_is_one_import_error_and_hides_no_other_institution(parse_copy, change, names):
    ids, errors = parse_copy(change)
    assert ids == {f"{kind}__lakeshore" for kind in KINDS}
    assert len(errors) == 1
    assert names in errors[0]
    assert ".yaml" in errors[0]


def _file(dags: Path) -> Path:
    return dags / "institutions" / "riverside.yaml"


def _replace(dags: Path, old: str, new: str) -> None:
    text = _file(dags).read_text()
    assert old in text
    _file(dags).write_text(text.replace(old, new))


def test_schema_for_editors_is_the_model_of_the_settings():
    from deid_tasks.settings import json_schema

    file = ROOT / "dags" / "institutions" / "schema.json"
    assert json.loads(file.read_text()) == json_schema(), "write it again: deid schema"
