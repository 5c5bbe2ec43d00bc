"""An LLM as a detector, against a server that is right, slow, failing, malformed, cut off, inventing or streaming."""

import io
import json
import logging
import os
import subprocess
import sys

import pytest

from deid_tasks.comparison.llm.detector import LlmDetector
from deid_tasks.comparison.llm.settings import DetectorSettings, detector_settings
from deid_tasks.comparison.protocol import SystemNote, parse_answer, serve
from deid_tasks.core.errors import SettingsError
from tests.support.chat_server import chat_server_process, running_chat_server

TEXT = "Ms. Brennock was seen by Dr. Okafor on 02/11/2019. MRN 4471902. BRENNOCK is well."
MARKED = {"Brennock", "Okafor", "02/11/2019", "4471902", "BRENNOCK"}


def detector(server, model="right", **settings):
    settings = {"max_wait_seconds": 0.01, "dollars_per_million_input": 10, "dollars_per_million_output": 30} | settings
    return LlmDetector(DetectorSettings(base_url=server.url, model=model, **settings))


def quotes(answer, text=TEXT):
    return {text[span.start : span.end] for span in answer.spans}


def test_each_occurrence_of_a_quote_is_a_span_whatever_its_case():
    with running_chat_server() as server:
        answer = detector(server).find(SystemNote("n1", TEXT))
    assert quotes(answer) == MARKED
    assert {span.label for span in answer.spans} == {"LAST_NAME", "DATE", "MRN"}
    assert answer.error is None
    assert answer.id == "n1"


def test_tokens_and_dollars_are_what_the_server_counted():
    with running_chat_server() as server:
        answer = detector(server, dollars_per_million_cached=2).find(SystemNote("n1", TEXT))
    cached = answer.details["tokens_cached"]
    assert answer.tokens_in > cached > 0
    assert answer.dollars == pytest.approx(
        ((answer.tokens_in - cached) * 10 + cached * 2 + answer.tokens_out * 30) / 1_000_000
    )


def test_models_that_take_no_temperature_are_asked_without_one():
    with running_chat_server() as server:
        detector(server, temperature=None, output_limit="max_completion_tokens").find(SystemNote("n1", TEXT))
    assert "temperature" not in server.bodies[0]
    assert "max_tokens" not in server.bodies[0]
    assert server.bodies[0]["max_completion_tokens"] == 4_096


@pytest.mark.parametrize("model", ["silent", "malformed"])
def test_answers_of_no_use_are_paid_for(model):
    with running_chat_server() as server:
        answer = detector(server, model).find(SystemNote("n1", TEXT))
    assert answer.error == "AnswerError"
    assert answer.tokens_in
    assert answer.dollars


def test_dollars_are_unknown_without_prices():
    with running_chat_server() as server:
        answer = detector(server, dollars_per_million_input=None).find(SystemNote("n1", TEXT))
    assert answer.dollars is None
    assert answer.tokens_in


@pytest.mark.parametrize("prompt", ["identifiers-1", "published-1"])
@pytest.mark.parametrize("shots", [0, 1, 5, 10])
def test_the_prompt_holds_as_many_examples_as_asked_and_the_note_last(prompt, shots):
    with running_chat_server() as server:
        detector(server, prompt=prompt, shots=shots).find(SystemNote("n1", TEXT))
    messages = server.bodies[0]["messages"]
    examples = json.dumps(messages).count("Output JSON:") - 1 if prompt == "published-1" else (len(messages) - 2) // 2
    assert examples == shots
    assert messages[-1]["content"].removesuffix("\nOutput JSON:").endswith(TEXT)
    assert server.bodies[0]["temperature"] == 0


def test_a_server_that_knows_schemas_gets_one():
    with running_chat_server() as server:
        detector(server).find(SystemNote("n1", TEXT))
    schema = server.bodies[0]["response_format"]["json_schema"]["schema"]
    assert "LAST_NAME" in schema["properties"]
    assert schema["additionalProperties"] is False


def test_a_server_without_schemas_is_asked_for_an_object_from_then_on():
    with running_chat_server(knows_schema=False) as server:
        system = detector(server)
        answers = [system.find(SystemNote(name, TEXT)) for name in ("n1", "n2")]
    assert [quotes(answer) for answer in answers] == [MARKED, MARKED]
    kinds = [body["response_format"]["type"] for body in server.bodies]
    assert kinds == ["json_schema", "json_object", "json_object"]


def test_words_around_the_object_are_ignored():
    with running_chat_server() as server:
        assert quotes(detector(server, "fenced", constraint="none").find(SystemNote("n1", TEXT))) == MARKED
    assert "response_format" not in server.bodies[0]


def test_invented_quotes_are_counted_and_similar_ones_aligned():
    with running_chat_server() as server:
        answer = detector(server, "hallucinating").find(SystemNote("n1", "Ms. Brennock is well."))
    assert quotes(answer, "Ms. Brennock is well.") == {"Brennock"}
    assert answer.details["unaligned_quotes"] == 1
    assert answer.details["similar_quotes"] == 1
    assert answer.details["unknown_labels"] == 1


@pytest.mark.parametrize(
    "failures",
    [[(500, {})], [(429, {"Retry-After": "0"})], [(503, {}), (429, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"})]],
)
def test_a_failure_that_passes_is_tried_again(failures):
    with running_chat_server(failures=list(failures)) as server:
        answer = detector(server).find(SystemNote("n1", TEXT))
    assert quotes(answer) == MARKED
    assert len(server.bodies) == len(failures) + 1


@pytest.mark.parametrize(
    ("model", "failures", "error", "requests"),
    [
        ("right", [(500, {})] * 9, "EndpointError", 3),
        ("right", [(401, {})], "EndpointError", 1),
        ("malformed", [], "AnswerError", 1),
        ("prose", [], "AnswerError", 1),
        ("silent", [], "AnswerError", 1),
    ],
)
def test_a_failed_note_counts_as_missed_or_is_redacted_and_is_never_nothing_found(model, failures, error, requests):
    with running_chat_server(failures=list(failures)) as server:
        missed = detector(server, model, attempts=3).find(SystemNote("n1", TEXT))
        assert len(server.bodies) == requests
        server.failures = list(failures)
        redacted = detector(server, model, attempts=3, on_failure="redact").find(SystemNote("n1", TEXT))
    assert missed.error == error
    assert missed.spans == ()
    assert redacted.error is None
    assert [(span.start, span.end, span.label) for span in redacted.spans] == [(0, len(TEXT), "REDACTED")]
    assert redacted.details["failed"] == 1


def test_a_server_that_is_not_there_fails_the_note():
    with running_chat_server() as server:
        pass
    assert detector(server, attempts=2).find(SystemNote("n1", TEXT)).error == "EndpointError"


def test_a_server_that_is_too_slow_fails_the_note():
    with running_chat_server(delay_seconds=1.0) as server:
        answer = detector(server, attempts=1, timeout_seconds=0.05).find(SystemNote("n1", TEXT))
    assert answer.error == "EndpointError"


def test_long_notes_go_in_windows_whose_offsets_are_those_of_the_note():
    text = "\n".join(f"Line {number}: Okafor saw MRN {4_000_000 + number} on 01/02/2020." for number in range(60))
    with running_chat_server() as server:
        answer = detector(server, window_characters=500, overlap_characters=80).find(SystemNote("n1", text))
    assert len(server.bodies) > 5
    assert len(answer.spans) == 180
    assert {text[span.start : span.end] for span in answer.spans if span.label == "MRN"} == {
        str(4_000_000 + number) for number in range(60)
    }
    assert answer.tokens_in == sum(
        len(message["content"].split()) for body in server.bodies for message in body["messages"]
    )


def test_an_answer_that_is_cut_off_is_asked_for_in_smaller_parts():
    text = "\n".join(f"Line {number}: Okafor saw MRN {4_000_000 + number}." for number in range(40))
    with running_chat_server(max_note_characters=600) as server:
        answer = detector(server).find(SystemNote("n1", text))
    assert answer.error is None
    assert answer.details["divided"] >= 1
    assert len(answer.spans) == 80


def test_an_answer_that_is_always_cut_off_fails_the_note():
    with running_chat_server(max_note_characters=10) as server:
        assert detector(server).find(SystemNote("n1", TEXT)).error == "TruncatedAnswerError"


def test_streams_are_read_and_read_again_where_they_break():
    with running_chat_server(dies_in_stream=1) as server:
        answer = detector(server, is_streaming=True).find(SystemNote("n1", TEXT))
    assert quotes(answer) == MARKED
    assert len(server.bodies) == 2
    assert answer.tokens_in


def test_a_rewritten_note_gives_spans_and_the_distance_of_what_was_invented():
    with running_chat_server() as server:
        answer = detector(server, "redacting", prompt="rewrite-1").find(SystemNote("n1", TEXT))
    assert quotes(answer) == MARKED - {"BRENNOCK"}
    assert answer.details["edit_distance"] == len(" All is well.")
    assert "response_format" not in server.bodies[0]


def test_the_examples_of_a_rewritten_note_are_redacted():
    with running_chat_server() as server:
        detector(server, "redacting", prompt="rewrite-1", shots=1).find(SystemNote("n1", TEXT))
    answered = server.bodies[0]["messages"][2]["content"]
    assert "Brennock" not in answered
    assert answered.count("[REDACTED]") == 10


def test_an_interrupted_run_is_resumed_and_its_file_holds_no_text(tmp_path, monkeypatch):
    monkeypatch.setenv("DEID_LLM_CACHE_KEY", "k" * 32)
    cache = {"file": tmp_path / "answers.sqlite"}
    with running_chat_server() as server:
        first = detector(server, cache=cache).find(SystemNote("n1", TEXT))
        again = detector(server, cache=cache).find(SystemNote("n7", TEXT))
        other = detector(server, cache=cache, shots=1).find(SystemNote("n1", TEXT))
    assert len(server.bodies) == 2
    assert again.spans == first.spans
    assert (again.id, again.dollars, again.details["from_cache"]) == ("n7", first.dollars, 1)
    assert "from_cache" not in other.details
    held = (tmp_path / "answers.sqlite").read_bytes()
    assert not [name for name in (b"Brennock", b"Okafor", b"4471902", b"02/11/2019") if name in held]
    assert (tmp_path / "answers.sqlite").stat().st_mode & 0o077 == 0


def test_failed_notes_are_not_remembered(tmp_path, monkeypatch):
    monkeypatch.setenv("DEID_LLM_CACHE_KEY", "k" * 32)
    cache = {"file": tmp_path / "answers.sqlite"}
    with running_chat_server(failures=[(401, {})]) as server:
        assert detector(server, cache=cache).find(SystemNote("n1", TEXT)).error
        assert quotes(detector(server, cache=cache).find(SystemNote("n1", TEXT))) == MARKED


def test_the_key_goes_into_a_header_and_must_be_there(monkeypatch):
    with running_chat_server() as server:
        with pytest.raises(SettingsError, match="MY_KEY is not set"):
            detector(server, api_key_variable="MY_KEY")
        monkeypatch.setenv("MY_KEY", "sk-1")
        detector(server, api_key_variable="MY_KEY").find(SystemNote("n1", TEXT))
    assert server.headers[0]["Authorization"] == "Bearer sk-1"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"base_url": "https://api.example.com/v1"}, "not this host"),
        ({"base_url": "http://10.0.0.7/v1"}, "not this host"),
        ({"base_url": "http://api.example.com/v1", "allow_remote": True}, "https:// alone"),
        ({"base_url": "ftp://127.0.0.1"}, "begins with http"),
        ({"prompt": "none-9"}, "is not one of"),
        ({"prompt": "judge-1"}, "needs a prompt that finds"),
        ({"shots": 11}, "shots"),
        ({"window_characters": 400, "overlap_characters": 300}, "at most half"),
        ({"colour": "red"}, "colour"),
        ({"settings": "/nowhere/llm.yaml"}, "cannot be read"),
    ],
)
def test_settings_that_cannot_work_are_refused_by_name(settings, message):
    with pytest.raises(SettingsError, match=message):
        LlmDetector(detector_settings({"model": "right"} | settings))


@pytest.mark.parametrize("url", ["http://localhost:1/v1", "http://[::1]:1/v1", "http://127.8.8.8/v1"])
def test_addresses_of_this_host_are_allowed(url):
    assert detector_settings({"model": "m", "base_url": url}).base_url == url


def test_the_version_names_what_decides_the_answers():
    def version(**settings):
        return LlmDetector(DetectorSettings(model="m", **settings)).version

    assert version() == version(concurrency=9, attempts=2)
    assert len({version(), version(shots=1), version(temperature=0.5), version(prompt="published-1")}) == 4


def test_no_text_reaches_logs_or_errors(caplog):
    with caplog.at_level(logging.DEBUG), running_chat_server(failures=[(500, {})]) as server:
        for model in ("right", "malformed", "prose", "hallucinating"):
            answer = detector(server, model, attempts=2).find(SystemNote("n1", TEXT))
            assert not answer.error or answer.error.isidentifier()
    logged = caplog.text + "".join(repr(record.args) for record in caplog.records)
    assert logged
    assert not [name for name in (*MARKED, "Zyxwvutsson") if name in logged]


def test_the_process_speaks_the_protocol_and_holds_as_many_notes_as_it_says():
    notes = [{"id": f"n{number}", "text": TEXT} for number in range(6)]
    with chat_server_process() as url:
        options = {"base_url": url, "model": "right", "concurrency": 3}
        lines = [{"protocol": 1, "options": options}, *notes]
        ended = subprocess.run(
            [sys.executable, "-m", "deid_tasks.comparison.llm"],
            input="".join(json.dumps(line) + "\n" for line in lines),
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "NO_COLOR": "1"},
        )
    assert ended.returncode == 0, ended.stderr
    hello, *answers = ended.stdout.splitlines()
    assert json.loads(hello)["system"] == "llm"
    assert json.loads(hello)["window"] == 3
    assert {answer.id for answer in map(parse_answer, answers)} == {note["id"] for note in notes}
    assert all(quotes(answer) == MARKED for answer in map(parse_answer, answers))
    assert "Brennock" not in ended.stderr


def test_a_process_with_wrong_settings_says_which():
    ended = subprocess.run(
        [sys.executable, "-m", "deid_tasks.comparison.llm"],
        input=json.dumps({"protocol": 1, "options": {"model": "m", "base_url": "https://api.example.com"}}) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert "not this host" in json.loads(ended.stdout)["message"]


def test_a_text_with_half_a_character_is_read():
    text = "\ud800 " + TEXT
    with running_chat_server() as server:
        answer = detector(server).find(SystemNote("n1", text))
    assert quotes(answer, text) == MARKED


def test_as_many_notes_as_the_window_are_in_work_at_once():
    lines = [json.dumps({"protocol": 1, "options": {}}), *(json.dumps({"id": f"n{n}", "text": TEXT}) for n in range(6))]
    target = io.StringIO()
    with running_chat_server(delay_seconds=0.3) as server:
        serve(lambda _: detector(server, concurrency=3), io.StringIO("\n".join(lines) + "\n"), target)
    assert server.most_at_once == 3
    assert len(target.getvalue().splitlines()) == 7
