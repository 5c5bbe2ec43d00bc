"""The call from a task to a step: forms from models, and no patient data in errors."""

from pathlib import Path

import pytest

from deid_tasks.core.errors import DeidError, GateError, SettingsError
from deid_tasks.settings import LineageSettings


def _chain(error: BaseException) -> str:
    """Return what a log would print of an error and of the causes that it shows."""
    texts = []
    while error is not None:
        texts.append(f"{type(error).__name__}: {error}")
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\n".join(texts)


def test_an_unexpected_error_loses_its_text_and_keeps_its_code_location():
    from wiring.steps import run_step

    with pytest.raises(DeidError) as caught:
        run_step(lambda settings, secrets: int("Okafor"), "riverside")
    printed = _chain(caught.value)
    assert "Okafor" not in printed
    assert "ValueError" in printed
    assert "test_wiring:" in printed


def _fall_short(settings, secrets) -> None:
    try:
        raise ValueError("Okafor")
    except ValueError as error:
        raise GateError("recall 0.97 is below 0.98") from error


def test_our_own_error_keeps_its_text_and_loses_its_cause():
    from wiring.steps import run_step

    with pytest.raises(GateError) as caught:
        run_step(_fall_short, "riverside")
    printed = _chain(caught.value)
    assert "Okafor" not in printed
    assert "recall 0.97 is below 0.98" in printed


def test_no_telemetry():
    from deid_tasks.demo.environment import no_telemetry

    switched_off = no_telemetry()
    assert switched_off["DO_NOT_TRACK"] == "1"
    assert switched_off["AIRFLOW__COSMOS__ENABLE_TELEMETRY"] == "False"
    assert switched_off["AIRFLOW__USAGE_DATA_COLLECTION__ENABLED"] == "False"
    assert switched_off["DBT_SEND_ANONYMOUS_USAGE_STATS"] == "False"


def test_institutions_may_stand_in_a_folder_of_their_own(parse_copy, tmp_path):
    elsewhere = tmp_path / "tenants"
    elsewhere.mkdir()
    committed = Path(__file__).parents[2] / "dags" / "institutions" / "riverside.yaml"
    (elsewhere / "hillside.yaml").write_text(committed.read_text().replace("riverside", "hillside"))
    ids, errors = parse_copy(lambda dags: None, PALIMPSEST_INSTITUTIONS=str(elsewhere))
    assert errors == []
    from wiring.policy import Kind

    # Landing is for institutions whose settings name deliveries.
    assert ids == {f"{kind}__hillside" for kind in Kind if kind != Kind.LAND}


@pytest.mark.parametrize("waiting", ["", "annotator_a: 3 of 5 notes; folder /work"])
def test_freezing_is_skipped_with_a_reason_while_work_is_open(dagbag, monkeypatch, run_with, waiting):
    from airflow.sdk.exceptions import AirflowSkipException

    from deid_tasks.platform import runs

    asked = []

    def freeze(settings, secrets, versions, frozen_by):
        asked.append((versions, frozen_by.name))
        reports = [("random", "s1", ""), ("stratified", "s2", waiting)]
        return [{"design": d, "sample_version": v, "waiting_for": w} for d, v, w in reports]

    monkeypatch.setattr(runs, "freeze_gold_sets", freeze)
    task = dagbag.dags["gold__riverside"].get_task("freeze")
    if waiting:
        with pytest.raises(
            AirflowSkipException, match=r"work is open: stratified sample s2: annotator_a: 3 of 5 notes"
        ):
            run_with(task, {"sample_version": "", "reopen": False})
    else:
        assert len(run_with(task, {"sample_version": "s7", "reopen": False})) == 2
    assert asked == [(["s7"] if not waiting else [], "alice")]


def test_adjudication_leaves_no_note_id_in_airflow_s_database(dagbag, monkeypatch, run_with):
    from deid_tasks.platform import runs

    report = {"open": {"annotator_a": 1}, "waiting_for": "annotator_a: 1 of 5 notes (N3)"}
    monkeypatch.setattr(runs, "adjudicate_samples", lambda settings, secrets, versions, exported_by: [report])
    returned = run_with(dagbag.dags["gold__riverside"].get_task("adjudicate"), {"sample_version": "", "reopen": False})
    assert returned == [{"open": {"annotator_a": 1}}]


def test_the_form_of_samples_is_what_is_drawn(dagbag, monkeypatch, run_with):
    from deid_tasks.platform import runs
    from deid_tasks.settings import DESIGNS, SamplingSettings

    asked = []

    def draw_samples(settings, secrets, overrides, designs):
        asked.append((settings.sampling, SamplingSettings.model_validate(overrides), designs))
        return []

    monkeypatch.setattr(runs, "draw_samples", draw_samples)
    dag = dagbag.dags["sample__riverside"]
    task = dag.get_task("draw")
    form = {name: param.value for name, param in dag.params.items()}
    run_with(task, form)
    run_with(task, form | {"disagreement_size": 30, "designs": ["disagreement"]})
    (own, usual, everything), (_, other, designs) = asked
    assert usual == own
    assert everything == DESIGNS
    assert (other.disagreement_size, designs) == (30, ("disagreement",))


def test_the_trigger_form_is_the_model_of_the_settings(dagbag):
    from deid_tasks.settings import DESIGNS, SamplingSettings

    params = dagbag.dags["sample__riverside"].params
    assert set(params) == set(SamplingSettings.model_fields) | {"designs"}
    for name, field in SamplingSettings.model_fields.items():
        assert params.get_param(name).description == field.description
    size, weight, designs = (params.get_param(name).schema for name in ("size", "weight", "designs"))
    assert (size["type"], size["minimum"], size["title"]) == ("integer", 1, "Size")
    assert weight["enum"] == ["log10", "linear"]
    assert designs["examples"] == list(DESIGNS)


@pytest.mark.parametrize(
    ("sent", "named"),
    [
        ({"size": 0}, "size"),
        ({"weight": "cubic"}, "weight"),
        ({"designs": ["everything"]}, r"designs\.0"),
        ({"colour": "red"}, "colour"),
        ({"disagreement_size": 9, "disagreement_pool": 3}, "disagreement_pool must not be smaller"),
    ],
)
def test_a_form_that_breaks_the_model_is_refused_and_names_the_field(dagbag, run_with, sent, named):
    dag = dagbag.dags["sample__riverside"]
    form = {name: param.value for name, param in dag.params.items()}
    with pytest.raises(SettingsError, match=named):
        run_with(dag.get_task("draw"), form | sent)


def test_a_missing_connection_says_how_to_set_it_and_is_not_retried(dagbag, monkeypatch):
    from airflow.sdk import RetryAction
    from airflow.sdk.exceptions import AirflowNotFoundException

    from wiring import secrets

    def missing(name):
        raise AirflowNotFoundException(name)

    monkeypatch.setattr(secrets.Connection, "get", missing)
    monkeypatch.setattr(secrets.Variable, "get", lambda *_, **__: None)
    task = dagbag.dags["dictionaries__riverside"].get_task("dbt.staging")
    with pytest.raises(
        SettingsError, match=r"secret 'riverside_build' is not set: .*airflow connections add"
    ) as caught:
        task.execute({})
    decision = task.retry_policy.evaluate(caught.value, 1, 2)
    assert decision.action is RetryAction.FAIL


def test_assets_have_uris_that_other_teams_know_where_the_settings_name_the_database(monkeypatch):
    from wiring import assets
    from wiring.institutions import usable_institutions

    def uris():
        named = (assets.notes_asset, assets.gold_asset, assets.quality_asset, assets.raw_tables_asset)
        return [asset("riverside").uri for asset in (*named, assets.dictionaries_asset, assets.note_days_asset)]

    kept = [f"palimpsest://riverside/{what}" for what in ("notes", "gold", "quality", "raw_tables")]
    both = ["palimpsest://riverside/dictionaries", "palimpsest://riverside/note_days"]
    assert uris() == [*kept, *both]
    lineage = LineageSettings(database="warehouse.hospital.org:5432/platform")
    named = tuple(one.model_copy(update={"lineage": lineage}) for one in usable_institutions())
    monkeypatch.setattr(assets, "usable_institutions", lambda: named)
    server = "postgres://warehouse.hospital.org:5432/platform"
    assert uris() == [
        "s3://palimpsest-published/palimpsest/deid/notes/institution=riverside",
        f"{server}/riverside_gold/gold_set",
        f"{server}/riverside_results/certificate",
        f"{server}/riverside_results/landed_file",
        *both,
    ]


@pytest.mark.parametrize(
    "database", ["postgres://warehouse:5432/platform", "user:secret@warehouse:5432/x", "warehouse"]
)
def test_the_name_of_the_database_holds_no_credentials(database):
    with pytest.raises(ValueError, match="database"):
        LineageSettings(database=database)


def test_a_layer_of_dbt_says_which_tables_it_reads_and_writes(dagbag, monkeypatch):
    from types import SimpleNamespace

    from deid_tasks.platform.lineage import LineageRecord

    monkeypatch.setenv("AIRFLOW_CONN_RIVERSIDE_BUILD", "postgres://build:secret@warehouse:5433/platform")
    task = dagbag.dags["dictionaries__riverside"].get_task("dbt.staging")
    node = SimpleNamespace(
        resource_type="model", name="stg_note", database="platform", schema="riverside_staging", alias="stg_note",
        relation_name='"platform"."riverside_staging"."stg_note"',
        compiled_code='select n.note_id, n.note_text from "platform"."riverside_ehr"."note" as n',
    )  # fmt: skip
    broken = SimpleNamespace(**{**vars(node), "alias": "broken", "compiled_code": "selec this is no SQL )("})
    outcomes = [SimpleNamespace(status="success", execution_time=1.0, node=one) for one in (node, broken)]
    result = SimpleNamespace(success=True, result=SimpleNamespace(results=outcomes[:1]))
    for is_configured in (False, True):
        if is_configured:
            monkeypatch.setenv("OPENLINEAGE_URL", "http://127.0.0.1:9")
        record = LineageRecord("riverside", "dbt_staging")
        monkeypatch.setattr(task, "_lineage", record)
        task.handle_exception_dbt_runner(result)
        assert bool(record.outputs) == is_configured
    assert [(one.namespace, one.name) for one in record.inputs] == [
        ("postgres://warehouse:5433", "platform.riverside_ehr.note")
    ]
    [output] = record.outputs
    assert output.name == "platform.riverside_staging.stg_note"
    assert {name: found[0].column for name, found in output.sources.items()} == {
        "note_id": "note_id", "note_text": "note_text",
    }  # fmt: skip
    # SQL that cannot be read stops nothing.
    task.handle_exception_dbt_runner(SimpleNamespace(success=True, result=SimpleNamespace(results=outcomes)))


def test_a_run_without_a_data_interval_says_what_to_do(monkeypatch):
    from deid_tasks.core.errors import InputError
    from wiring import steps

    monkeypatch.setattr(steps, "get_current_context", lambda: {"run_id": "manual__1"})
    with pytest.raises(InputError, match=r"manual__1 has no data interval: trigger it with a logical date"):
        steps.current_run()


@pytest.mark.parametrize("suffix", [".yaml", ".yml"])
def test_an_institution_may_end_in_yaml_or_yml(tmp_path, monkeypatch, suffix):
    from wiring import institutions

    committed = Path(__file__).parents[2] / "dags" / "institutions" / "riverside.yaml"
    file = tmp_path / f"hillside{suffix}"
    file.write_text(committed.read_text().replace("riverside", "hillside"))
    monkeypatch.setattr(institutions, "FOLDER", tmp_path)
    usable, problems = institutions.read_folder(tmp_path)
    assert ([one.institution for one in usable], problems) == (["hillside"], ())
    assert institutions.settings_of("hillside") == usable[0]


def test_one_institution_in_two_files_is_refused(tmp_path):
    from wiring import institutions

    committed = Path(__file__).parents[2] / "dags" / "institutions" / "riverside.yaml"
    for suffix in (".yaml", ".yml"):
        (tmp_path / f"riverside{suffix}").write_text(committed.read_text())
    usable, problems = institutions.read_folder(tmp_path)
    assert usable == ()
    assert all("riverside.yml defines the same institution" in problem for problem in problems)


def _publish(dagbag, monkeypatch, removed, released, published):
    """Call the task that publishes; return what it returned and the partitions of its events."""
    from airflow.sdk.execution_time.context import OutletEventAccessors

    from deid_tasks.platform import runs
    from wiring import run_tasks
    from wiring.assets import note_days_asset

    events = OutletEventAccessors()
    monkeypatch.setattr(run_tasks, "get_current_context", lambda: {"run_id": "r1", "outlet_events": events})
    monkeypatch.setattr(runs, "publish_notes", lambda *_: published)
    monkeypatch.setattr(runs, "record_removals", lambda *_: {"days": removed["days"], "notes": 0})
    task = dagbag.dags["changes__riverside"].get_task("publish")
    returned = task.python_callable("riverside", "changes", {}, removed, released)
    return returned, events[note_days_asset("riverside")].partition_keys


def test_a_publication_names_every_changed_day(dagbag, monkeypatch):
    removed = {"removed": 1, "days": ["2024-03-01"]}
    returned, keys = _publish(dagbag, monkeypatch, removed, {"shards": 1}, {"notes": 3, "days": ["2024-03-05"]})
    assert returned["notes"] == 3
    assert keys == {"riverside|2024-03-01", "riverside|2024-03-05"}


def test_a_run_that_only_removes_is_a_publication(dagbag, monkeypatch):
    returned, keys = _publish(dagbag, monkeypatch, {"removed": 1, "days": ["2024-03-01"]}, None, None)
    assert returned["notes"] == 0
    assert keys == {"riverside|2024-03-01"}


@pytest.mark.parametrize("released", [None, {"shards": 1}])
def test_a_run_that_changes_no_row_publishes_nothing(dagbag, monkeypatch, released):
    from airflow.sdk.exceptions import AirflowSkipException

    with pytest.raises(AirflowSkipException):
        _publish(dagbag, monkeypatch, {"removed": 0, "days": []}, released, {"notes": 0, "days": []})


def test_the_forms_of_runs_are_their_requests(dagbag):
    from deid_tasks.settings import NotesRequest, RestatementRequest

    assert set(dagbag.dags["notes__riverside"].params) == set(NotesRequest.model_fields)
    assert set(dagbag.dags["restate__riverside"].params) == set(RestatementRequest.model_fields)
