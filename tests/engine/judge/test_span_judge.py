"""An LLM as a judge of uncertain spans, against a server of this host."""

import base64
import logging
import pickle

import pytest
from pydantic import ValidationError

from deid_tasks.core.errors import SettingsError
from deid_tasks.endpoints.rest import EndpointError
from deid_tasks.engine.judge import JudgeDecision, UncertainNote, load_judge, uncertain_note
from deid_tasks.engine.text import Document
from deid_tasks.settings import FORBID_REMOTE_VARIABLE, JudgeSettings, Secrets
from tests.engine.judge.test_masking import BAND, FOUND, TEXT
from tests.support.chat_server import MODELS, note_of, running_chat_server

NOTE = uncertain_note(Document("n", TEXT), FOUND, (), {"transformer": FOUND}, BAND)
REDACTED, KEPT, FAILED = JudgeDecision.REDACTED, JudgeDecision.KEPT, JudgeDecision.FAILED


def judge(server, model="redact", **settings):
    return load_judge(JudgeSettings(base_url=server.url, model=model, max_wait_seconds=0.01, **settings))


def decisions(judged):
    return [one.decision for one in judged]


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("redact", REDACTED), ("keep", KEPT),
        ("malformed", FAILED), ("silent", FAILED), ("prose", FAILED), ("hallucinating", FAILED),
    ],
)  # fmt: skip
def test_an_answer_decides_and_no_usable_answer_fails(model, expected):
    with running_chat_server() as server:
        [judged] = judge(server, model).decide([NOTE])
    assert [TEXT[one.span.start : one.span.end] for one in judged] == ["Foley", "noon", "Hope"]
    assert decisions(judged) == [expected] * 3
    assert all(one.tokens_in > 0 and not one.is_cached for one in judged)


def test_only_masked_sentences_of_uncertain_spans_go_out():
    with running_chat_server() as server:
        judge(server).decide([NOTE])
    assert sorted(note_of(body) for body in server.bodies) == [
        "Dr. [NAME] placed a <<Foley>> for Ms. [NAME] at [DATE].",
        "Dr. [NAME] placed a [NAME] for Ms. [NAME] at <<noon>>.",
        "Plan: walk with <<Hope>>.",
    ]
    sent = "".join(map(str, (*server.bodies, *server.headers)))
    assert not [name for name in ("Brennock", "Okafor", "02/11") if name in sent]


def test_nothing_goes_out_where_nothing_is_uncertain():
    with running_chat_server() as server:
        assert judge(server).decide([UncertainNote(TEXT, [(0, len(TEXT))]), UncertainNote("", [])]) == [(), ()]
        assert judge(server).decide([]) == []
    assert server.bodies == []


def test_a_server_that_recovers_is_asked_again():
    with running_chat_server(failures=[(503, {})] * 2) as server:
        [judged] = judge(server, "keep", attempts=3, concurrency=1).decide([NOTE])
    assert decisions(judged) == [KEPT] * 3
    assert len(server.bodies) == 5


def test_a_slow_answer_is_a_failed_one():
    with running_chat_server(delay_seconds=1.0) as server:
        [judged] = judge(server, "keep", attempts=1, timeout_seconds=0.05).decide([NOTE])
    assert decisions(judged) == [FAILED] * 3


def test_a_span_without_an_answer_fails_alone():
    with running_chat_server(failures=[(400, {})]) as server:
        [judged] = judge(server, "keep", concurrency=1, constraint="none").decide([NOTE])
    assert decisions(judged) == [FAILED, KEPT, KEPT]


@pytest.mark.parametrize(("model", "status"), [("keep", 500), ("keep", 401), ("malformed", 0)])
def test_too_many_failures_in_a_row_are_one_error_that_names_endpoint_and_setting(model, status):
    with running_chat_server(failures=[(status, {})] * 9 if status else []) as server:
        asking = judge(server, model, attempts=1, concurrency=1, max_failures_in_a_row=3)
        with pytest.raises(EndpointError) as raised:
            asking.decide([NOTE])
    message = str(raised.value)
    assert "3 questions in a row" in message
    assert server.url.removesuffix("/v1") in message
    assert "judge.base_url" in message
    assert not [word for word in ("Foley", "noon", "Hope", "Okafor") if word in message]
    assert raised.value.__cause__ is None


def test_failures_in_a_row_are_counted_over_batches_and_a_success_ends_them():
    with running_chat_server(failures=[(400, {})] * 2) as server:
        asking = judge(server, "malformed", concurrency=1, max_failures_in_a_row=5, constraint="none")
        asking.decide([NOTE])
        with pytest.raises(EndpointError):
            asking.decide([NOTE])
        # Who tries again after the error asks again.
        assert decisions(asking.decide([NOTE])[0]) == [FAILED] * 3


def test_one_sentence_is_asked_about_once_however_often_it_stands_somewhere():
    with running_chat_server() as server:
        asking = judge(server, "keep")
        first, second = asking.decide([NOTE, NOTE])
        [third] = asking.decide([NOTE])
    assert len(server.bodies) == 3
    assert decisions(first) == decisions(second) == decisions(third) == [KEPT] * 3
    assert [one.is_cached for one in (*first, *second, *third)] == [False] * 3 + [True] * 6
    assert sum(one.tokens_in for one in (*second, *third)) == 0


def test_the_cache_answers_another_process_and_its_file_holds_no_text(tmp_path, monkeypatch):
    monkeypatch.setenv("DEID_LLM_CACHE_KEY", "k" * 32)
    cache = {"file": tmp_path / "judge.sqlite"}
    with running_chat_server() as server:
        [first] = judge(server, "keep", cache=cache).decide([NOTE])
        [again] = judge(server, "keep", cache=cache).decide([NOTE])
        assert len(server.bodies) == 3
        monkeypatch.setenv("DEID_LLM_CACHE_KEY", "l" * 32)
        judge(server, "keep", cache=cache).decide([NOTE])
        judge(server, "redact", cache=cache).decide([NOTE])
    assert len(server.bodies) == 9
    assert [one.is_cached for one in (*first, *again)] == [False] * 3 + [True] * 3
    assert decisions(again) == decisions(first)
    held = (tmp_path / "judge.sqlite").read_bytes()
    assert not [word for word in (b"Foley", b"Hope", b"walk") if word in held]


def test_failures_are_not_remembered():
    with running_chat_server(failures=[(400, {})] * 3) as server:
        asking = judge(server, "keep", constraint="none")
        assert decisions(asking.decide([NOTE])[0]) == [FAILED] * 3
        assert decisions(asking.decide([NOTE])[0]) == [KEPT] * 3


def test_questions_go_out_side_by_side_up_to_the_setting():
    with running_chat_server(delay_seconds=0.05) as server:
        judge(server, concurrency=2).decide([NOTE])
    assert server.most_at_once <= 2
    assert len(server.bodies) == 3


def test_a_judge_that_is_sent_to_another_process_asks_there():
    with running_chat_server() as server:
        asking = judge(server, "keep")
        asking.decide([NOTE])
        [judged] = pickle.loads(pickle.dumps(asking)).decide([NOTE])
    assert decisions(judged) == [KEPT] * 3


def test_lone_surrogates_are_sent_as_question_marks():
    text = "Plan: walk \ud800 with Hope."
    found = [type(FOUND[6])(text.index("Hope"), text.index("Hope") + 4, FOUND[6].entity, "transformer", 0.5)]
    with running_chat_server() as server:
        judge(server).decide([UncertainNote(text, [(0, len(text))], found, found)])
    assert note_of(server.bodies[0]) == "Plan: walk ? with <<Hope>>."


def test_other_hosts_are_refused_unless_allowed(monkeypatch):
    with pytest.raises(ValidationError, match="not this host"):
        JudgeSettings(model="m", base_url="https://api.example.com/v1")
    allowed = JudgeSettings(model="m", base_url="https://api.example.com/v1", allow_remote=True)
    assert load_judge(allowed)
    with pytest.raises(SettingsError, match="not this host"):
        load_judge(allowed.model_copy(update={"allow_remote": False}))


@pytest.mark.parametrize("value", ["true", "1", "yes", " TRUE ", "whatever"])
def test_a_deployment_forbids_other_hosts_whatever_the_settings_say(value, monkeypatch):
    allowed = JudgeSettings(model="m", base_url="https://api.example.com/v1", allow_remote=True)
    monkeypatch.setenv(FORBID_REMOTE_VARIABLE, value)
    with pytest.raises(ValidationError, match="no setting overrides it"):
        JudgeSettings(model="m", base_url="https://api.example.com/v1", allow_remote=True)
    # Settings that were made before, or in another process.
    with pytest.raises(SettingsError, match=FORBID_REMOTE_VARIABLE):
        load_judge(allowed)
    assert load_judge(JudgeSettings(model="m"))


@pytest.mark.parametrize("value", ["", "0", "false", "No"])
def test_a_prohibition_that_is_off_forbids_nothing(value, monkeypatch):
    monkeypatch.setenv(FORBID_REMOTE_VARIABLE, value)
    assert JudgeSettings(model="m", base_url="https://api.example.com/v1", allow_remote=True)


def test_the_prohibition_holds_for_an_open_judge_too(monkeypatch):
    asking = load_judge(JudgeSettings(model="m", base_url="https://api.example.com/v1", allow_remote=True))
    monkeypatch.setenv(FORBID_REMOTE_VARIABLE, "true")
    with pytest.raises(SettingsError, match=FORBID_REMOTE_VARIABLE):
        asking.decide([NOTE])


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"prompt": "identifiers-1"}, SettingsError, "decides about one"),
        ({"prompt": "judge-99"}, SettingsError, "is not one of"),
        ({"min_score": 0.95}, ValidationError, "below max"),
        ({"base_url": "http://[::1"}, ValidationError, "begins with http"),
        ({"base_url": "http://127.0.0.1:port/v1"}, ValidationError, "begins with http"),
        ({"model": ""}, ValidationError, "model"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings, error, message):
    with pytest.raises(error, match=message):
        load_judge(JudgeSettings(**({"model": "m"} | settings)))


def test_a_missing_key_is_named_when_the_first_question_is_asked():
    with running_chat_server() as server:
        asking = judge(server, api_key_variable="NO_SUCH_KEY")
        with pytest.raises(SettingsError, match="NO_SUCH_KEY is not set"):
            asking.decide([NOTE])
    assert server.bodies == []


def test_no_text_reaches_logs(caplog):
    with caplog.at_level(logging.DEBUG), running_chat_server() as server:
        for model in MODELS:
            judge(server, model).decide([NOTE])
    logged = caplog.text + "".join(repr(record.args) for record in caplog.records)
    assert logged
    assert not [name for name in ("Foley", "Hope", "Brennock", "placed") if name in logged]


def test_keys_may_be_secrets_of_an_institution(tmp_path):
    held = {"judge_key": "sk-judge", "judge_cache": base64.b64encode(bytes(32)).decode()}
    cache = {"file": tmp_path / "judge.sqlite", "key_secret": "judge_cache"}
    with running_chat_server() as server:
        settings = JudgeSettings.model_validate(
            {"base_url": server.url, "model": "redact", "api_key_secret": "judge_key", "cache": cache}
        )
        asking = load_judge(settings, Secrets(held.get))
        asking.decide([NOTE])
        assert {headers["Authorization"] for headers in server.headers} == {"Bearer sk-judge"}
        assert (tmp_path / "judge.sqlite").exists()
        assert "sk-judge" not in repr(asking)
        assert b"sk-judge" not in pickle.dumps(asking)
        asked = len(server.bodies)
        for secrets, said in (
            (None, "judge.cache.key_secret names a secret of an institution"),
            (Secrets({}.get), "secret 'judge_cache' is not set"),
        ):
            with pytest.raises(SettingsError, match=said):
                load_judge(settings, secrets).decide([NOTE])
        with pytest.raises(SettingsError, match=r"judge\.api_key_secret names a secret of an institution"):
            load_judge(settings.model_copy(update={"cache": None})).decide([NOTE])
        assert len(server.bodies) == asked
