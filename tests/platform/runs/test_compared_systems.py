"""Other systems on the gold notes of an evaluation: real processes beside the institution's own engine."""

import json
import os
import re

import pytest

from deid_tasks.core.errors import StorageError, WarehouseError
from deid_tasks.platform import runs
from deid_tasks.platform.runs.compared_systems import _choices
from deid_tasks.platform.runs.comparison_files import comparison_folder, prune_answers
from deid_tasks.settings import CompareSettings
from tests.support.small_systems import adapter

RESULTS = "riverside_results.compared_system"
CRASHES = "import os\nos._exit(3)"


@pytest.fixture(scope="module")
def compared(site, tmp_path_factory):
    """An evaluation with four systems beside the engine; only two of them can be started."""
    folder = tmp_path_factory.mktemp("systems")
    adapter(folder / "capitals")
    adapter(folder / "crashing", CRASHES)
    (folder / "uninstallable").mkdir()
    (folder / "uninstallable" / "adapter.py").write_text("")
    (folder / "uninstallable" / "labels.json").write_text("{}")
    (folder / "uninstallable" / "requirements.txt").write_text("no-package-has-this-name==1.0\n")
    systems = (
        f"adapter:{folder}/capitals",
        f"adapter:{folder}/crashing",
        f"adapter:{folder}/uninstallable",
        f"adapter:{folder}/missing",
        "pydeid",
    )
    return site.settings.model_copy(update={"compare": CompareSettings(systems=systems)})


@pytest.fixture(scope="module")
def evaluation(site, compared):
    return runs.evaluate_and_certify(compared, site.secrets)


@pytest.fixture(scope="module")
def report(site, compared, evaluation):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_NO_INDEX", "1")
        return runs.compare_after_evaluation(compared, site.secrets, evaluation)


def rows(site, evaluation):
    names = [
        name for (name,) in site.rows(
            "select column_name from information_schema.columns where table_schema = 'riverside_results'"
            " and table_name = 'compared_system' order by ordinal_position"
        )
    ]  # fmt: skip
    found = site.rows(f"select * from {RESULTS} where evaluation_id = '{evaluation['evaluation_id']}'")
    return {(row["design"], row["system"]): row for row in (dict(zip(names, one, strict=True)) for one in found)}


def distinct(answers: bytes) -> int:
    """Return how many notes a file of answers knows."""
    return len({json.loads(line)["id"] for line in answers.splitlines()})


def test_the_engine_scores_as_in_its_evaluation(site, evaluation, report):
    found = rows(site, evaluation)
    for design, headline in evaluation["designs"].items():
        engine = found[design, "engine"]
        assert engine["is_engine"]
        assert engine["notes"] == engine["gold_notes"] == headline["gold_notes"]
        assert engine["gold_version"] == headline["gold_version"]
        assert engine["recall"] == pytest.approx(headline["recall_full"], abs=1e-5)
        assert engine["precision"] == pytest.approx(headline["precision_full"], abs=1e-5)
        assert engine["recall_difference"] is None
        assert engine["words_per_core_second"] > 0
    assert (report["systems"], report["without_figures"]) == (5, 3)


def test_a_system_is_compared_with_the_engine_by_patient(site, evaluation, report):
    found = rows(site, evaluation)
    capitals, engine = found["random", "capitals"], found["random", "engine"]
    assert capitals["recall_difference"] == pytest.approx(capitals["recall"] - engine["recall"])
    assert capitals["precision_difference"] == pytest.approx(capitals["precision"] - engine["precision"])
    assert capitals["precision_difference_lower"] <= capitals["precision_difference"]
    assert capitals["precision_difference"] <= capitals["precision_difference_upper"] < 0
    assert capitals["recall_lower"] <= capitals["recall"] <= capitals["recall_upper"]
    assert 0 < capitals["recall"] < engine["recall"]
    assert (capitals["failed_notes"], capitals["version"], capitals["words"]) == (0, "1", engine["words"])
    assert capitals["full_notes"] <= capitals["notes"]


def test_a_system_that_crashes_has_missed_everything(site, evaluation, report):
    crashing = rows(site, evaluation)["random", "crashing"]
    assert (crashing["recall"], crashing["precision"]) == (0.0, None)
    assert crashing["failed_notes"] == crashing["notes"]
    assert crashing["reason"] == ""
    assert crashing["recall_difference"] < 0
    assert crashing["words_per_core_second"] is None


@pytest.mark.parametrize(
    ("system", "reason"),
    [("pydeid", "NotInstalled"), ("missing", "NotInstalled"), ("uninstallable", "InstallFailed")],
)
def test_a_system_that_cannot_be_installed_is_a_row_that_says_so(site, evaluation, report, system, reason):
    for design in evaluation["designs"]:
        row = rows(site, evaluation)[design, system]
        assert row["reason"] == reason
        assert (row["recall"], row["precision"], row["failed_notes"], row["version"]) == (None, None, None, "")


def test_the_certificate_is_that_of_the_evaluation_alone(site, compared, evaluation, report):
    [(documents,)] = site.rows("select string_agg(document, '') from riverside_results.certificate")
    assert "capitals" not in documents
    assert runs.pin_engine(compared, site.secrets)["fingerprint"] == evaluation["fingerprint"]


def test_again_is_the_same_and_reads_no_note_twice(site, compared, evaluation, report, tmp_path):
    before = rows(site, evaluation)
    answers = {path: path.read_bytes() for path in comparison_folder(compared).rglob("capitals*.jsonl")}
    assert len(answers) == 1
    assert all(distinct(content) == len({note.text for note in site.notes[:160]}) for content in answers.values())
    systems = compared.compare.systems[:1]
    again = compared.model_copy(update={"compare": CompareSettings(systems=systems)})
    runs.compare_after_evaluation(again, site.secrets, evaluation)
    assert all(path.read_bytes() == content for path, content in answers.items())
    now = rows(site, evaluation)
    assert set(now) == {(design, name) for design in evaluation["designs"] for name in ("engine", "capitals")}
    for key, row in now.items():
        changing = {"compared_at"} | ({"words_per_core_second"} if row["is_engine"] else set())
        assert {k: v for k, v in row.items() if k not in changing} == {
            k: v for k, v in before[key].items() if k not in changing
        }


def test_a_limit_reads_the_same_notes_each_time(site, compared, evaluation, report):
    systems = compared.compare.systems[:1]
    few = compared.model_copy(update={"compare": CompareSettings(systems=systems, max_notes=12)})
    done = [runs.compare_after_evaluation(few, site.secrets, evaluation) for _ in range(2)]
    assert [one["notes"] for one in done] == [24, 24]
    engine, capitals = (rows(site, evaluation)["random", name] for name in ("engine", "capitals"))
    assert (engine["notes"], engine["gold_notes"]) == (12, 80)
    assert engine["words"] == capitals["words"] > 0
    # The answers of the whole comparison hold those of every part of it.
    [path] = comparison_folder(few).rglob("capitals*.jsonl")
    assert distinct(path.read_bytes()) == len({note.text for note in site.notes[:160]})


def test_a_system_that_is_too_slow_has_no_figures_yet_and_goes_on_next_time(site, compared, evaluation, tmp_path):
    folder = tmp_path / "slow"
    adapter(folder, "time.sleep(0.05)")
    # One block of ten notes takes longer than this; a later try needs no time for what it has read.
    slow = CompareSettings(systems=(f"adapter:{folder}",), max_notes=20, system_minutes=0.4 / 60)
    settings = compared.model_copy(update={"compare": slow})
    states = []
    for _ in range(6):
        runs.compare_after_evaluation(settings, site.secrets, evaluation)
        found = rows(site, evaluation)
        states.append([found[design, "slow"]["reason"] for design in evaluation["designs"]])
        if states[-1] == ["", ""]:
            break
    assert states[0][-1] == "TimeLimit"
    assert states[-1] == ["", ""]


def test_nothing_that_is_stored_tells_of_a_note(site, compared, evaluation, report):
    stored = json.dumps(site.rows(f"select to_jsonb(c) from {RESULTS} as c")) + json.dumps(report)
    stored += "".join(path.read_text() for path in comparison_folder(compared).rglob("*.jsonl"))
    for note in site.notes:
        assert f'"{note.note_id}"' not in stored
        assert note.text[:40] not in stored
    for patient in site.hospital.patients:
        assert not re.search(rf"\b{patient.mrn}\b", stored)
        assert patient.person.last not in stored


def test_answers_are_for_the_worker_alone(site, compared, report):
    folder = comparison_folder(compared)
    assert folder.is_relative_to(compared.work_dir)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.rglob("*.jsonl"))


def test_a_folder_that_others_may_read_is_refused(site, compared, evaluation, tmp_path):
    cache = compared.detect.cache.model_copy(update={"folder": str(tmp_path)})
    settings = compared.model_copy(update={"detect": compared.detect.model_copy(update={"cache": cache})})
    folder = comparison_folder(settings)
    assert folder == tmp_path / "compare" / "riverside"
    folder.chmod(0o750)
    with pytest.raises(StorageError, match="others than this worker's user may read it"):
        runs.compare_after_evaluation(settings, site.secrets, evaluation)


def test_an_engine_that_is_not_promoted_is_refused_by_name(site, compared, evaluation):
    with pytest.raises(WarehouseError, match="engine 123 is not among the promoted ones"):
        runs.compare_after_evaluation(compared, site.secrets, {**evaluation, "fingerprint": "123"})


def test_options_reach_their_system_and_a_service_is_told_that_text_may_leave():
    settings = CompareSettings(
        systems=("aws", "presidio", "llm:/etc/llm.yaml"),
        options={"presidio": {"min_score": 0, "organizations": True}, "aws": {"region": "us-east-1"}},
        allow_remote=True,
    )
    (aws, presidio, llm), missing = _choices(settings)
    assert missing == []
    assert aws.options == {"region": "us-east-1", "allow_remote": "true"}
    assert presidio.options == {"min_score": "0", "organizations": "true"}
    assert llm.options == {"settings": "/etc/llm.yaml"}


def test_old_answers_go_and_all_of_them_where_nothing_is_compared(site, compared, report):
    folder = comparison_folder(compared)
    path = next(folder.rglob("capitals*.jsonl"))
    assert prune_answers(compared) == 0
    os.utime(path, (0, 0))
    assert prune_answers(compared) == 1
    assert not path.exists()
    assert folder.exists()
    prune_answers(site.settings)
    assert not folder.exists()
