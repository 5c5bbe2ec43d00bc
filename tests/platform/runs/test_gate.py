"""Runs that are not published: for lack of a certificate, below a threshold, with drift, or rejected by a person."""

import datetime
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import psycopg2
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deid_tasks.core.errors import GateError, SettingsError, WarehouseError
from deid_tasks.core.identity import Identity
from deid_tasks.evidence.gate import new_key_pair
from deid_tasks.platform import runs
from deid_tasks.platform.runs.institution_engine import load_candidate
from deid_tasks.platform.workspace import run_dir, write_digest
from deid_tasks.settings import DriftSettings, Secrets
from tests.support.freeze_truth import freeze_truth
from tests.support.published_days import plan_day, shard_paths, with_settings

OFFICER = Identity("officer", "operating_system")

MOMENT = datetime.datetime(2024, 5, 1, tzinfo=datetime.UTC)
RESULTS = "riverside_results"


def with_gate(site, **values):
    return with_settings(site, gate=values)


@pytest.fixture(scope="module")
def certified(site):
    return runs.evaluate_and_certify(site.settings, site.secrets)


@pytest.fixture(scope="module")
def pin(site, certified):
    return runs.pin_engine(site.settings, site.secrets)


@pytest.fixture(scope="module")
def shards(site, pin):
    """The shards of one run, which several gates check."""
    plan = plan_day(site.settings, site, "gate")
    return [runs.process_shard(site.settings, site.secrets, "gate", pin, shard) for shard in plan]


def gate(settings, site, shards, run_id="gate"):
    pin = load_candidate(settings, site.secrets)[1]
    return runs.reconcile_run(settings, site.secrets, run_id, pin, "notes", shards)


def publish(settings, site, released, run_id="gate"):
    pin = load_candidate(settings, site.secrets)[1]
    return runs.publish_notes(settings, site.secrets, run_id, pin, released)


def document(site):
    return json.loads(site.rows(f"select document from {RESULTS}.certificate order by issued_at desc limit 1")[0][0])


def test_the_certificate_says_how_the_gold_sets_came_about_and_what_was_scored(site, certified):
    content = document(site)
    assert content["certificate_id"] == certified["certificate"]
    assert [one["design"] for one in content["evaluated"]] == ["random", "stratified"]
    for one in content["evaluated"]:
        assert one["design_means"]
        recall = one["figures"]["recall"]
        assert recall["lower"] < recall["value"] < recall["upper"]
        assert one["recall_lower_bound"] <= recall["exact_lower"]
        assert recall["true_positives"] + recall["false_negatives"] > 100
        assert set(one["worst_note_types"]) <= set(one["note_types"])
        rows = site.rows(
            f"select value from {RESULTS}.evaluation where evaluation_id = '{content['evaluation_id']}'"
            f" and metric = 'recall' and sample = '{one['design']}' and variant = 'full' and view = 'word'"
            " and stratum = '' and entity = 'ALL'"
        )
        assert rows == [(recall["value"],)]
    assert content["thresholds"]["recall_min"] == 0.6
    assert content["verdict"] == "passed"
    texts = {note.text[:40] for note in site.notes if len(note.text) > 60}
    assert not [text for text in texts if text in json.dumps(content)]


def test_a_missing_gold_set_says_what_to_run(site, certified):
    site.rows("create table hidden as select * from riverside_gold.gold_set where design = 'random'")
    site.rows("update riverside_gold.gold_set set design = 'stratified' where design = 'random'")
    try:
        with pytest.raises(GateError, match=r"no random gold set; run sample__riverside, then gold__riverside"):
            runs.evaluate_and_certify(site.settings, site.secrets)
    finally:
        site.rows(
            "update riverside_gold.gold_set set design = 'random'"
            " where gold_version in (select gold_version from hidden)"
        )
        site.rows("drop table hidden")


def test_a_gold_set_without_what_the_engine_misses_gets_no_certificate(site, certified):
    """Whoever deletes gold spans raises recall."""
    spans = "riverside_gold.gold_span"
    issued = site.rows(f"select count(*) from {RESULTS}.certificate")
    site.rows(f"create table former_spans as select * from {spans}")
    site.rows(f"delete from {spans} where ctid in (select ctid from {spans} limit 40)")
    try:
        with pytest.raises(WarehouseError, match="was changed after it was frozen"):
            runs.evaluate_and_certify(site.settings, site.secrets)
    finally:
        site.rows(f"truncate {spans}; insert into {spans} select * from former_spans; drop table former_spans")
    assert site.rows(f"select count(*) from {RESULTS}.certificate") == issued


def freeze_own_answers(site) -> str:
    """Freeze the random gold set again, as one whose annotators confirmed what the engine had found."""
    connection = psycopg2.connect(site.uri)
    try:
        notes = site.notes[80:160]
        return freeze_truth(
            connection, site.settings, notes, "random", preannotated_by="simulated by the engine"
        ).version
    finally:
        connection.close()


def test_recall_below_the_bound_and_simulated_labels_block_and_are_named(site, certified, shards):
    strict = with_gate(site, recall_min=0.9999, stratum_recall_min=1.0)
    kinds = {note.note_type for note in site.notes}
    frozen = freeze_own_answers(site)
    try:
        with pytest.raises(GateError) as caught:
            runs.evaluate_and_certify(strict, site.secrets)
        message = str(caught.value)
        assert "recall_lower_bound (random) is 0." in message
        assert "must be at least 0.9999" in message
        assert "the labels of the random gold set are an engine's own answers: draw a new sample" in message
        assert "low_note_types (stratified) is" in message
        named = re.findall(r"note types (\w+) \(\d+ words, \d+% of all missed, recall 0\.\d+\)", message)
        assert named
        assert set(named) <= kinds
        assert re.search(r"entities [A-Z_]+ \(\d+ words", message)
        with pytest.raises(GateError, match=r"nothing is published: no valid certificate.*recall_lower_bound"):
            gate(site.settings, site, shards)
        with pytest.raises(GateError, match=r"the evaluation failed.*; run evaluate__riverside"):
            runs.pin_engine(site.settings, site.secrets)
    finally:
        site.rows(f"delete from riverside_gold.gold_set where gold_version = '{frozen}'")
        runs.evaluate_and_certify(site.settings, site.secrets)
    assert gate(site.settings, site, shards)["certificate"] == certified["certificate"]


def test_raised_thresholds_need_another_evaluation(site, certified):
    assert runs.pin_engine(site.settings, site.secrets)["fingerprint"] == certified["fingerprint"]
    with pytest.raises(GateError, match="issued under a lower precision_min"):
        runs.pin_engine(with_gate(site, precision_min=0.7), site.secrets)
    assert runs.pin_engine(with_gate(site, precision_min=0.5), site.secrets)


def test_an_engine_without_a_certificate_publishes_nothing(site, certified, tmp_path):
    settings = site.settings.model_copy(update={"work_dir": str(tmp_path)})
    columns = "term, normalised, kind, occurrences, source, version"
    site.rows(
        f"insert into riverside_dictionaries.dict_provider ({columns})"
        " values ('Quillfeather', 'quillfeather', 'last', 1, 'test', 'test')"
    )
    try:
        runs.compile_dictionaries(settings, site.secrets)
    finally:
        site.rows("delete from riverside_dictionaries.dict_provider where term = 'Quillfeather'")
    _, candidate = load_candidate(settings, site.secrets)
    plan = plan_day(settings, site, "row")
    done = [runs.process_shard(settings, site.secrets, "row", candidate, shard) for shard in plan]
    with pytest.raises(GateError, match=r"nothing is published: no valid certificate.*none was issued"):
        gate(settings, site, done, "row")
    released = {"files": [one["file"] for one in done], "fingerprint": candidate["fingerprint"]}
    with pytest.raises(GateError, match="no valid certificate"):
        publish(settings, site, released, "row")


def test_shards_of_another_engine_than_the_pinned_one_are_refused(site, shards, pin):
    other = {**pin, "fingerprint": "f" * 32}
    with pytest.raises(GateError, match=r"made by engine \w+, and the run has pinned f+ since; clear its shard tasks"):
        runs.reconcile_run(site.settings, site.secrets, "gate", other, "notes", shards)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ('document = replace(document, \'"verdict":"passed"\', \'"verdict": "passed"\')', "signature is not valid"),
        ("document = replace(document, '\"recall_min\":0.6', '\"recall_min\":0.99')", "signature is not valid"),
        ("signature = ''", "signature is not valid"),
        ("fingerprint = fingerprint || 'x'", "none was issued"),
    ],
    ids=["blank", "threshold", "no signature", "other fingerprint"],
)
def test_a_tampered_certificate_is_refused(site, certified, shards, change, said):
    released = gate(site.settings, site, shards)
    site.rows(f"create table kept as select * from {RESULTS}.certificate")
    site.rows(f"update {RESULTS}.certificate set {change} where fingerprint = '{certified['fingerprint']}'")
    try:
        with pytest.raises(GateError, match=said):
            runs.pin_engine(site.settings, site.secrets)
        with pytest.raises(GateError, match=said):
            gate(site.settings, site, shards)
        with pytest.raises(GateError, match=said):
            publish(site.settings, site, released)
    finally:
        site.rows(
            f"truncate {RESULTS}.certificate; insert into {RESULTS}.certificate select * from kept; drop table kept"
        )


def test_another_key_is_refused_and_no_key_is_named(site, certified):
    other = new_key_pair()[1]
    with_other = Secrets(lambda name: other if name == "certificate_verification_key" else site.secrets.text(name))
    with pytest.raises(GateError, match="signed with another key"):
        runs.pin_engine(site.settings, with_other)
    with pytest.raises(SettingsError, match="'no_key' is not set"):
        runs.evaluate_and_certify(
            with_gate(site, signing_key="no_key"), Secrets(lambda n: None if n == "no_key" else site.secrets.text(n))
        )


def test_a_run_like_the_gold_notes_is_published_without_a_person(site, shards):
    released = gate(site.settings, site, shards)
    assert released["review"] == []
    assert publish(site.settings, site, released)["notes"] == released["published"]


@pytest.fixture
def month_of_drift(site, shards):
    """An earlier run, ten days before, that found no identifiers in many words of each note type."""
    gate(site.settings, site, shards)
    site.rows(
        f"insert into {RESULTS}.run select (jsonb_populate_record(r, jsonb_build_object('run_id', 'before',"
        " 'slice_start', slice_start - interval '10 days', 'slice_end', slice_end - interval '10 days'))).*"
        f" from {RESULTS}.run as r where run_id = 'gate'"
    )
    site.rows(
        f"insert into {RESULTS}.run_figure select 'before', note_type, measure, 50000, case when measure <> 'agreement'"
        f" then 0 end, 0, 0, 0, 'outside', true, 1 from {RESULTS}.run_figure where run_id = 'gate' and window_days = 1"
    )
    yield
    site.rows(
        f"delete from {RESULTS}.run where run_id = 'before'; delete from {RESULTS}.run_figure where run_id = 'before'"
    )
    gate(site.settings, site, shards)


def test_note_types_too_small_for_a_day_are_judged_over_the_days_before_it(site, shards, month_of_drift):
    too_few = {"min_words": 50_000}
    released = gate(with_gate(site, drift=DriftSettings(**too_few)), site, shards)
    reasons = [one["reason"] for one in released["review"]]
    assert reasons
    assert all(re.search(r"note type \w+, in 30 days: (entities per|share of words)", one) for one in reasons)
    stored = site.rows(
        f"select distinct window_days, judgement from {RESULTS}.run_figure where run_id = 'gate' and is_held"
    )
    assert stored == [(30, "outside")]
    for rules in ({"window_days": 1}, {"window_days": 9}):
        assert gate(with_gate(site, drift=DriftSettings(**too_few, **rules)), site, shards)["review"] == []


def test_a_drifted_run_waits_for_a_person(site, shards):
    settings = with_gate(site, drift=DriftSettings(min_words=100))
    plan_day(site.settings, site, "drifted")
    for path in shard_paths(settings, "gate", shards):
        target = run_dir(settings, "drifted") / path.name
        rows = pq.read_table(path)
        place = rows.schema.get_field_index("changed_words")
        none = pa.array([0] * rows.num_rows, pa.int32())
        pq.write_table(rows.set_column(place, rows.schema.field(place), none), target)
        write_digest(target)
    released = gate(settings, site, shards, "drifted")
    (held,) = released["review"]
    assert held["kind"] == "drift"
    assert re.search(r"note type \w+: share of words changed 0, baseline 0\.\d+ \(from 0\.\d+", held["reason"])
    assert [warning for warning in released["warnings"] if warning.startswith("drifted_figures is")]
    stored = site.rows(
        f"select count(*) from {RESULTS}.run_figure where run_id = 'drifted' and measure = 'changed_share' and is_held"
    )
    assert stored[0][0] > 0
    with pytest.raises(GateError, match=r"held for review: note type \w+.*task review"):
        publish(settings, site, released, "drifted")
    for decision in ("rejected", "approved"):
        runs.record_review(settings, site.secrets, "drifted", released, decision, OFFICER, MOMENT)
        if decision == "rejected":
            with pytest.raises(GateError, match="held for review"):
                publish(settings, site, released, "drifted")
    assert publish(settings, site, released, "drifted")["notes"] == released["published"]
    rows = site.rows(
        f"select kind, run_id, fingerprint, decision, decided_by, decided_at from {RESULTS}.approval"
        " where decision = 'approved'"
    )
    assert rows == [("drift", "drifted", released["fingerprint"], "approved", "officer", MOMENT)]
    # The same figures need no second approval.
    assert gate(settings, site, shards, "drifted")["review"] == []


def test_the_first_publication_under_a_fingerprint_waits_where_the_settings_say_so(site, shards):
    settings = with_gate(site, approval=True)
    released = gate(settings, site, shards)
    assert [held["kind"] for held in released["review"]] == ["first_publication"]
    with pytest.raises(GateError, match=r"held for review: nothing was published under the code"):
        publish(settings, site, released)
    # Settings that begin to require approval after the gate has passed the run also hold it.
    lenient = gate(site.settings, site, shards)
    with pytest.raises(GateError, match="is not approved"):
        publish(settings, site, lenient)
    runs.record_review(settings, site.secrets, "gate", released, "approved", OFFICER, MOMENT)
    assert publish(settings, site, released)
    assert gate(settings, site, shards)["review"] == []


def test_data_docs_hold_no_patient_note_or_password(site, pin, shards, tmp_path):
    uri = re.sub(r"//[^@]*@", "//canary:", site.uri).replace("canary:", "canary:opensesame@")
    role = "create role canary login superuser password 'opensesame'"
    site.rows(role)
    try:
        secrets = Secrets(lambda name: uri if name == "riverside_ehr" else site.secrets.text(name))
        settings = with_gate(site, data_docs=str(tmp_path / "docs"))
        runs.evaluate_and_certify(settings, secrets)
        runs.reconcile_run(settings, secrets, "gate", pin, "notes", shards)
    finally:
        site.rows("drop role canary")
    files = [path for path in (tmp_path / "docs").rglob("*") if path.suffix in {".html", ".json"}]
    pages = [path for path in files if "validations" in str(path) and path.suffix == ".html"]
    assert len(pages) >= 5
    written = "\n".join(path.read_text() for path in files)
    assert "recall_lower_bound (random)" in written
    shown = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", "\n".join(page.read_text() for page in pages)))
    rule = (
        r"precision \(random\) must be at least 0\.6: word precision on the random gold set \w+ \(severity: critical\)"
    )
    assert re.search(rule, shown)
    assert "evaluation_id" not in shown
    forbidden = ["opensesame"]
    for patient in site.hospital.patients:
        forbidden += [patient.mrn, patient.ssn, patient.phone, patient.email, patient.patient_id, patient.person.last]
    forbidden += [note.note_id for note in site.notes]
    assert [value for value in forbidden if value and len(value) > 4 and value in written] == []


def test_the_database_keeps_what_was_signed_to_the_byte(site, certified):
    wanted = certified["certificate"]
    [(stored,)] = site.rows(f"select document from {RESULTS}.certificate where certificate_id = '{wanted}'")
    assert stored == json.dumps(json.loads(stored), sort_keys=True, separators=(",", ":"))


_PAGE = """
import datetime, json, sys
from deid_tasks.settings import InstitutionSettings
from palimpsest_page import glance, views
from palimpsest_page.figures import read_figures
from palimpsest_page.periods import period_of
figures = read_figures(InstitutionSettings.model_validate_json(sys.stdin.read()), period_of("years"))
assert not figures.problem, figures.problem
facts = {fact.label: fact for fact in glance.facts(figures, [], None, datetime.datetime.now(datetime.UTC))}
print("RESULT" + json.dumps({
    "signatures": [row["signature"] for row in figures.rows("certificates")],
    "certificate": [facts["Certificate"].state, facts["Certificate"].note],
    "scores": [[views.design_title(row["design"]), row["metric"]] for row in views.scores(figures)],
    "types": [[design, len(rows)] for design, rows in views.note_types(figures)],
    "days": len(figures.rows("days")),
}))
"""


@pytest.mark.parametrize(("is_known", "state"), [(True, "valid"), (False, "broken")])
def test_the_page_shows_designs_and_the_state_of_signatures(site, certified, shards, tmp_path, is_known, state):
    gate(site.settings, site, shards)
    plugins = Path(__file__).parents[3] / "plugins"
    key = site.secrets.text("certificate_verification_key") if is_known else new_key_pair()[1]
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "AIRFLOW_HOME": str(tmp_path),
        "PYTHONPATH": str(plugins),
        "AIRFLOW_CONN_RIVERSIDE_EHR": site.uri,
        "AIRFLOW_VAR_CERTIFICATE_VERIFICATION_KEY": key,
    }
    command = [sys.executable, "-c", _PAGE]
    done = subprocess.run(
        command, input=site.settings.model_dump_json(), env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    shown = json.loads(next(x for x in done.stdout.splitlines() if x.startswith("RESULT")).removeprefix("RESULT"))
    assert state in shown["signatures"]
    assert shown["certificate"][0] == ("good" if is_known else "wrong")
    assert is_known or "signed with another key" in shown["certificate"][1]
    for design in ("random (unbiased)", "stratified (enriched)"):
        assert [design, "recall"] in shown["scores"]
        assert [design, "recall_lower_bound"] in shown["scores"]
    kinds = {note.note_type for note in site.notes}
    assert all(0 < count <= len(kinds) for _, count in shown["types"])
    assert len(shown["types"]) == 2
    assert shown["days"] == 1


def test_the_report_of_an_evaluation_lies_in_the_restricted_folder(site, certified):
    page = Path(certified["report"])
    assert page.parent == Path(site.settings.work_dir) / "evaluation"
    assert page.name == f"{certified['evaluation_id']}.html"
    written = page.read_text() + page.with_suffix(".json").read_text()
    assert certified["certificate"] in written
    assert not [n for n in site.notes if len(n.text) > 60 and n.text[:40] in written]


def test_an_older_certificate_does_not_count_again_because_a_newer_one_was_deleted(site, shards, pin):
    older = runs.evaluate_and_certify(site.settings, site.secrets)["certificate"]
    try:
        runs.evaluate_and_certify(with_gate(site, recall_min=0.61), site.secrets)
        assert runs.pin_engine(site.settings, site.secrets) == pin
        # The newest row is deleted, and the one before it would be valid by itself.
        site.rows(f"delete from {RESULTS}.certificate where certificate_id != '{older}'")
        wanted = rf"certificate {older} of \S+ is not the newest: the audit log \(row \d+\) names \w+ of .* missing"
        with pytest.raises(GateError, match=wanted):
            runs.pin_engine(site.settings, site.secrets)
        with pytest.raises(GateError, match="is not the newest"):
            gate(site.settings, site, shards)
        found = runs.verify_audit_log(site.settings, site.secrets).findings
        assert "record missing" in {one.kind for one in found}
    finally:
        runs.evaluate_and_certify(site.settings, site.secrets)
    assert runs.pin_engine(site.settings, site.secrets) == pin
