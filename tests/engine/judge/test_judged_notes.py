"""Notes that go through the engine with a judge: the real models propose, a server of this host decides."""

import json
import random
import subprocess
import sys
from dataclasses import replace

import pytest

from deid_tasks import Engine
from deid_tasks.core.detectors import DetectorName
from deid_tasks.core.errors import SettingsError
from deid_tasks.core.notes import Outcome, note_batch
from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.endpoints.rest import EndpointError
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.failures import is_fault_of_note
from deid_tasks.engine.judge import load_judge
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.settings import EngineSettings, JudgeSettings
from tests.support.chat_server import chat_server_process, note_of, running_chat_server
from tests.support.command_line import deid, lines, write

KEY = bytes(range(32))
CANARY = "Ms. Zebulon Quaverdale (MRN 4471902, tel 617-555-0123, zq@example.org) was seen on 02/11/2019. "
TEXTS = [
    CANARY + "Enjoys Scrabble with Iris and Opal. Seen by Dr. Okafor.",
    "Prefers Summit for rehab. Likes Lincoln.",
    CANARY + "Lungs clear.",
    "Works at the mill. Likes Lincoln.",
    "Stable, no complaints.",
]
PROPOSED = {"Iris", "Opal", "Lincoln"}
"""What the models mark with scores between .15 and .99, and nothing else finds."""
PATIENT = PatientRecord(
    "p1", "F", terms=(PatientTerm(TermKind.FIRST, "Iris"), PatientTerm(TermKind.LAST, "Quaverdale"))
)


@pytest.fixture(scope="module")
def engine():
    """The public engine, and the detector of patients' records."""
    public = EngineSettings.public()
    detectors = (*public.detect.detectors, DetectorName.PATIENT)
    detect = public.detect.model_copy(update={"detectors": detectors})
    return build_engine(public.model_copy(update={"detect": detect}), KEY)


def settings(url, model="keep", **more):
    given = {"min_score": 0.15, "max_score": 0.99, "max_wait_seconds": 0.01}
    return JudgeSettings(base_url=url, model=model, **(given | more))


def judged(engine, server, model="keep", **more):
    return replace(engine, judge=load_judge(settings(server.url, model, **more)))


def rows(engine, texts=TEXTS, patients=None, **options):
    notes = note_batch({"note_id": str(number), "text": text, "patient_id": "p1"} for number, text in enumerate(texts))
    return deidentify(notes, BatchContext(engine, patients or {}), **options).to_pylist()


def words(row, text):
    return {text[span["start"] : span["end"]] for span in row["spans"]}


def found(engine, texts=TEXTS, **options):
    return set().union(*map(words, rows(engine, texts, detect_only=True, **options), texts))


def decisions(engine, texts=TEXTS):
    return [one["decision"] for row in rows(engine, texts) for one in row["judged"]]


def test_without_a_section_nothing_is_asked(engine):
    assert EngineSettings.public().judge is None
    assert engine.judge is None
    assert found(engine) >= PROPOSED
    assert decisions(engine) == []


def test_what_the_judge_keeps_stays_in_the_text_and_the_rest_is_replaced(engine):
    with running_chat_server() as server:
        results = rows(judged(engine, server))
    assert set().union(*map(words, results, TEXTS)) == found(engine) - PROPOSED
    for row, text in zip(results, TEXTS, strict=True):
        assert all(word in row["deid_text"] for word in PROPOSED if word in text)
        assert "Quaverdale" not in row["deid_text"]
        assert "Okafor" not in row["deid_text"]
    assert [one["decision"] for row in results for one in row["judged"]] == ["kept"] * 4


def test_what_the_judge_redacts_comes_out_as_without_a_judge(engine):
    with running_chat_server() as server:
        with_judge = rows(judged(engine, server, "redact"))
    without = rows(engine)
    assert [row["deid_text"] for row in with_judge] == [row["deid_text"] for row in without]
    assert [row["spans"] for row in with_judge] == [row["spans"] for row in without]
    assert {one["decision"] for row in with_judge for one in row["judged"]} == {"redacted"}


@pytest.mark.parametrize(
    ("model", "server"), [("malformed", {}), ("keep", {"failures": [(500, {})] * 40}), ("keep", {"delay_seconds": 0.5})]
)
def test_a_span_without_an_answer_is_redacted_and_counted(engine, model, server):
    with running_chat_server(**server) as running:
        results = rows(
            judged(engine, running, model, attempts=1, timeout_seconds=0.05 if "delay_seconds" in server else 60)
        )
    assert [row["deid_text"] for row in results] == [row["deid_text"] for row in rows(engine)]
    assert [one["decision"] for row in results for one in row["judged"]] == ["failed"] * 4


def test_an_endpoint_that_keeps_failing_fails_the_batch_and_no_note(engine, caplog):
    with running_chat_server(failures=[(503, {})] * 40) as server:
        failing = judged(engine, server, attempts=1, max_failures_in_a_row=3)
        with pytest.raises(EndpointError, match=r"3 questions in a row .* judge\.base_url") as raised:
            rows(failing)
    assert not is_fault_of_note(raised.value)
    assert "quarantined" not in caplog.text
    assert not [word for word in PROPOSED if word in str(raised.value)]


def test_an_endpoint_that_is_not_there_is_one_error(engine):
    gone = settings("http://127.0.0.1:9/v1", attempts=1, max_failures_in_a_row=2)
    with pytest.raises(EndpointError, match=r"http://127\.0\.0\.1:9"):
        rows(replace(engine, judge=load_judge(gone)))


def test_nothing_of_a_note_but_masked_sentences_reaches_the_server(engine):
    with running_chat_server() as server:
        rows(judged(engine, server, "redact"), patients={"p1": PATIENT})
        asked = {note_of(body) for body in server.bodies}
        sent = json.dumps([server.bodies, server.headers])
    # The patient's record knows Iris: she is certain, and masked.
    assert asked == {"Enjoys Scrabble with [NAME] and <<Opal>>.", "Likes <<Lincoln>>."}
    secret = [
        "Zebulon",
        "Quaverdale",
        "4471902",
        "555-0123",
        "zq@",
        "02/11",
        "Okafor",
        "Iris",
        "Lungs",
        "rehab",
        "mill",
    ]
    assert [word for word in secret if word in sent] == []


def test_the_result_of_a_note_does_not_depend_on_its_batch(engine):
    """Questions with different answers, in any order and any division into batches, with one judge or with several."""
    with running_chat_server() as server:
        whole = {text: row["spans"] for text, row in zip(TEXTS, rows(judged(engine, server, "deciding")), strict=True)}
        assert {one for row in rows(judged(engine, server, "deciding")) for one in map(str, row["judged"])}
        order = list(TEXTS) * 2
        for seed in range(4):
            random.Random(seed).shuffle(order)
            one_judge = judged(engine, server, "deciding", concurrency=seed + 1)
            for first in range(0, len(order), seed + 1):
                part = order[first : first + seed + 1]
                for text, row in zip(part, rows(one_judge, part), strict=True):
                    assert row["spans"] == whole[text]
    kept = found(engine) - set().union(*({text[s["start"] : s["end"]] for s in spans} for text, spans in whole.items()))
    assert kept == {"Lincoln"}


def test_the_engine_is_built_from_a_file_and_explains_what_was_judged(tmp_path):
    with running_chat_server() as server:
        file = tmp_path / "engine.yaml"
        file.write_text(f"judge: {{base_url: '{server.url}', model: deciding, min_score: 0.15, max_score: 0.99}}\n")
        engine = Engine.load(file, KEY)
        explained = engine.explain(TEXTS[0] + " Likes Lincoln.")
    by_text = {row["text"]: (row["status"], row["judge"]) for row in explained.rows()}
    assert by_text["Lincoln"] == ("kept", "kept")
    assert by_text["Iris"] == ("marked", "redacted")
    assert by_text["Okafor"] == ("marked", "")
    assert engine.parts.fingerprint != Engine.public(KEY).parts.fingerprint


def test_the_command_line_asks_a_server_in_another_process(tmp_path):
    notes = write(tmp_path / "notes.jsonl", *({"id": str(n), "text": text} for n, text in enumerate(TEXTS)))
    file = tmp_path / "engine.yaml"
    with chat_server_process() as url:
        file.write_text(f"judge: {{base_url: '{url}', model: keep, min_score: 0.15, max_score: 0.99}}\n")
        result = deid("detect", notes, "-o", tmp_path / "spans.jsonl", "--settings", file)
        assert result.returncode == 0, result.stderr
        safe = deid("obfuscate", notes, "-o", tmp_path / "safe.jsonl", "--settings", file)
        assert safe.returncode == 0, safe.stderr
        for command in (result, safe):
            assert b"judge: 4 spans, 0 redacted, 4 kept, 0 failed; 1 answers known, " in command.stderr
        shown = deid(
            "explain", notes, "--note", "1", "--json", "-", "--html", tmp_path / "page.html", "--settings", file
        )
        assert shown.returncode == 0, shown.stderr
    marked = {
        TEXTS[int(line["id"])][span["start"] : span["end"]]
        for line in lines(tmp_path / "spans.jsonl")
        for span in line["spans"]
    }
    assert "Okafor" in marked
    assert not marked & PROPOSED
    assert "Likes Lincoln." in lines(tmp_path / "safe.jsonl")[1]["text"]
    [lincoln] = [row for row in json.loads(shown.stdout)["spans"] if row["text"] == "Lincoln"]
    assert (lincoln["status"], lincoln["judge"], lincoln["surrogate"]) == ("kept", "kept", None)
    assert '<mark class="kept"' in (tmp_path / "page.html").read_text()


def test_the_command_line_refuses_other_hosts_and_says_where(tmp_path):
    notes = write(tmp_path / "notes.jsonl", {"id": "0", "text": TEXTS[0]})
    file = tmp_path / "engine.yaml"
    file.write_text("judge:\n  model: m\n  base_url: https://api.example.com/v1\n")
    refused = deid("detect", notes, "--settings", file)
    assert refused.returncode == 2
    assert b"engine.yaml: judge: " in refused.stderr
    assert b"api.example.com is not this host" in refused.stderr
    file.write_text("judge:\n  model: m\n  base_url: https://api.example.com/v1\n  allow_remote: true\n")
    forbidden = deid("detect", notes, "--settings", file, PALIMPSEST_FORBID_REMOTE_ENDPOINTS="true")
    assert forbidden.returncode == 2
    assert b"no setting overrides it" in forbidden.stderr
    assert b"Quaverdale" not in refused.stderr + forbidden.stderr


def test_a_missing_package_is_one_error_that_names_the_extra():
    code = (
        "import sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] == 'httpx':\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        "from deid_tasks.engine.build import build_engine\n"
        "from deid_tasks.settings import EngineSettings, JudgeSettings\n"
        "from deid_tasks.core.errors import SettingsError\n"
        "rules = EngineSettings.public().model_copy(update={'judge': JudgeSettings(model='m')})\n"
        "rules = rules.model_copy(update={'detect': rules.detect.model_copy(update={'detectors': ('patterns',)})})\n"
        "build_engine(rules.model_copy(update={'judge': None}))\n"
        "try:\n"
        "    build_engine(rules)\n"
        "except SettingsError as error:\n"
        "    print(error)\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.stdout.strip() == "judge: the package httpx is not installed: pip install 'palimpsest-deid[llm]'"


def test_settings_and_institution_are_not_given_together(tmp_path):
    notes = write(tmp_path / "notes.jsonl", {"id": "0", "text": "Stable."})
    result = deid("detect", notes, "--settings", tmp_path / "e.yaml", "--institution", "riverside")
    assert (result.returncode, b"leave out --institution" in result.stderr) == (2, True)


def test_a_note_without_a_span_left_is_unchanged(engine):
    """A note of which the judge keeps the only span is published unchanged."""
    texts = ["Likes Lincoln.", TEXTS[0]]
    with running_chat_server() as server:
        results = rows(judged(engine, server), texts)
    assert [row["outcome"] for row in results] == [Outcome.UNCHANGED, Outcome.PUBLISHED]
    assert results[0]["deid_text"] == texts[0]


def test_a_kept_word_that_is_replaced_elsewhere_in_its_note_is_replaced_after_all(engine):
    """Without propagation, which would mark it before the judge is asked."""
    quiet = engine.merge.propagation.model_copy(update={"enabled": False})
    alone = replace(engine, merge=engine.merge.model_copy(update={"propagation": quiet}))
    text = "Seen by Dr. Lincoln. Lungs clear.\nLikes Lincoln."
    with running_chat_server() as server:
        [row] = rows(judged(alone, server), [text])
    assert [one["decision"] for one in row["judged"]] == ["kept"]
    assert [one["status"] for one in row["repeats"]] == ["repaired"]
    assert "Lincoln" not in row["deid_text"]


def test_a_setting_of_the_judge_that_is_not_known_is_named(tmp_path):
    file = tmp_path / "engine.yaml"
    file.write_text("judge: {model: m, colour: red}\n")
    with pytest.raises(SettingsError, match=r"judge\.colour"):
        Engine.load(file, KEY)
