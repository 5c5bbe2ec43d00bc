"""An LLM as a judge of uncertain spans, against a server of this host."""

import logging

import pytest
from deid_tasks.comparison.llm.judge import SpanJudge, masked_sentence

from deid_tasks.comparison.llm.settings import JudgeSettings
from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import SettingsError
from deid_tasks.core.span import Span
from deid_tasks.engine.text.sentences import split_sentences
from tests.support.chat_server import MODELS, note_of, running_chat_server

TEXT = "Ms. Brennock called on 02/11/2019. Dr. Okafor placed a Foley for Ms. Brennock at noon. Plan: walk with Hope."


def span(word, score, entity=Entity.PATIENT, occurrence=0):
    start = -1
    for _ in range(occurrence + 1):
        start = TEXT.index(word, start + 1)
    return Span(start, start + len(word), entity, "model", score)


FOUND = [
    span("Brennock", 0.99),
    span("02/11/2019", 1.0, Entity.DATE),
    span("Okafor", 0.97, Entity.PROVIDER),
    span("Foley", 0.4, Entity.PROVIDER),
    span("Brennock", 0.99, occurrence=1),
    span("Hope", 0.3),
    span("noon", 0.01, Entity.TIME),
]


def judge(server, model="redact", **settings):
    return SpanJudge(JudgeSettings(base_url=server.url, model=model, max_wait_seconds=0.01, **settings))


def words(spans):
    return [TEXT[one.start : one.end] for one in spans]


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("redact", ["Brennock", "02/11/2019", "Okafor", "Foley", "Brennock", "Hope"]),
        ("keep", ["Brennock", "02/11/2019", "Okafor", "Brennock"]),
        ("malformed", ["Brennock", "02/11/2019", "Okafor", "Foley", "Brennock", "Hope"]),
    ],
)
def test_uncertain_spans_are_decided_and_redacted_without_an_answer(model, expected):
    with running_chat_server() as server:
        judged = judge(server, model).judge(TEXT, FOUND)
    assert words(judged.spans) == expected
    assert judged.asked == 2
    assert judged.failed == (2 if model == "malformed" else 0)
    assert judged.dropped == (2 if model == "keep" else 0)
    assert judged.usage.requests == 2


def test_only_masked_sentences_of_uncertain_spans_go_out():
    with running_chat_server() as server:
        judge(server).judge(TEXT, FOUND)
    asked = sorted(note_of(body) for body in server.bodies)
    assert asked == ["Dr. [NAME] placed a <<Foley>> for Ms. [NAME] at [DATE].", "Plan: walk with <<Hope>>."]
    assert not [name for name in ("Brennock", "Okafor", "02/11") if any(name in str(body) for body in server.bodies)]


def test_nothing_goes_out_where_nothing_is_uncertain():
    with running_chat_server() as server:
        judged = judge(server).judge(TEXT, FOUND[:3])
    assert server.bodies == []
    assert words(judged.spans) == ["Brennock", "02/11/2019", "Okafor"]


def test_a_server_that_fails_redacts():
    with running_chat_server(failures=[(500, {})] * 9) as server:
        judged = judge(server, "keep", attempts=2).judge(TEXT, FOUND)
    assert "Foley" in words(judged.spans)
    assert judged.failed == 2


def test_the_same_sentence_is_asked_once_and_the_file_holds_no_text(tmp_path, monkeypatch):
    monkeypatch.setenv("DEID_LLM_CACHE_KEY", "k" * 32)
    cache = {"file": tmp_path / "judge.sqlite"}
    with running_chat_server() as server:
        first = judge(server, "keep", cache=cache).judge(TEXT, FOUND)
        again = judge(server, "keep", cache=cache).judge(TEXT, FOUND)
        monkeypatch.setenv("DEID_LLM_CACHE_KEY", "l" * 32)
        judge(server, "keep", cache=cache).judge(TEXT, FOUND)
    assert len(server.bodies) == 4
    assert (first.from_cache, again.from_cache) == (0, 2)
    assert again.spans == first.spans
    held = (tmp_path / "judge.sqlite").read_bytes()
    assert not [word for word in (b"Foley", b"Hope", b"walk") if word in held]


@pytest.mark.parametrize(("limit", "expected"), [(600, None), (50, "d e f g h i j k l <<Foley>> m n o p q r s t u v")])
def test_a_long_sentence_is_cut_at_words(limit, expected):
    text = "a b c d e f g h i j k l Foley m n o p q r s t u v w x y z"
    asked = Span(text.index("Foley"), text.index("Foley") + 5, Entity.PATIENT, "model", 0.5)
    cut = masked_sentence(text, asked, [asked], split_sentences(text), limit)
    if expected is None:
        assert cut == text.replace("Foley", "<<Foley>>")
    else:
        assert len(cut) <= limit + 4
        assert "<<Foley>>" in cut
        assert set(cut.replace("<<Foley>>", "").split()) <= set(text.split())


def test_overlapping_spans_hide_only_what_is_not_asked_about():
    text = "Seen with Will Hope today"
    asked = Span(15, 19, Entity.PATIENT, "model", 0.5)
    wide = Span(10, 19, Entity.PATIENT, "rules", 1.0)
    assert masked_sentence(text, asked, [asked, wide], [(0, len(text))], 600) == "Seen with [NAME]<<Hope>> today"


def test_other_hosts_are_refused_unless_allowed():
    with pytest.raises(SettingsError, match="not this host"):
        JudgeSettings(model="m", base_url="https://api.example.com/v1")
    assert JudgeSettings(model="m", base_url="https://api.example.com/v1", allow_remote=True)


@pytest.mark.parametrize(
    ("settings", "message"), [({"prompt": "identifiers-1"}, "decides about one"), ({"min_score": 0.95}, "below max")]
)
def test_settings_that_cannot_work_are_refused(settings, message):
    with pytest.raises(SettingsError, match=message):
        SpanJudge(JudgeSettings(model="m", **settings))


def test_no_text_reaches_logs(caplog):
    with caplog.at_level(logging.DEBUG), running_chat_server() as server:
        for model in MODELS:
            judge(server, model).judge(TEXT, FOUND)
    logged = caplog.text + "".join(repr(record.args) for record in caplog.records)
    assert logged
    assert not [name for name in ("Foley", "Hope", "Brennock", "placed") if name in logged]
