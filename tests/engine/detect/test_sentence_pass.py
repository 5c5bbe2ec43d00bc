"""The pass over distinct sentences, its inclusion list and its cache: nothing of them shows in what is found."""

import multiprocessing
import os
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import LexiconError
from deid_tasks.engine.detect import sentence_cache as cache_module
from deid_tasks.engine.detect.inclusion import InclusionList
from deid_tasks.engine.detect.reader import Answer, StageAnswers, TextSpan
from deid_tasks.engine.detect.sentence_cache import SentenceCache, prune_cache
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.text import Document

KEY = bytes(range(32))
MEGABYTE = 1_000_000


class Capitals:
    """Reads every word in capitals as a patient."""

    name, sha256 = "transformer", "0"

    def __init__(self) -> None:
        self.read_texts: list[str] = []

    def read(self, texts: Sequence[str]) -> list[Answer]:
        self.read_texts += texts
        return [
            Answer(
                [
                    TextSpan(text.index(word), text.index(word) + len(word), Entity.PATIENT, 0.1 + len(word) / 30)
                    for word in text.split()
                    if word.isupper() and len(word) > 1
                ]
            )
            for text in texts
        ]


def cache(folder: Path, version: str = "1", size: int = 10 * MEGABYTE, rules: str = "") -> SentenceCache:
    return SentenceCache(folder / "cache" / "x.sqlite", KEY, version, size, rules)


def put(kept: SentenceCache, texts: Sequence[str], spans: Sequence[Sequence[TextSpan]]) -> None:
    kept.put(texts, [Answer(one) for one in spans])


def got(kept: SentenceCache, texts: Sequence[str]) -> list[Sequence[TextSpan] | None]:
    return [known and known.answer.spans for known in kept.get(texts)]


NOTES = ["No fever.\n\nSeen by OKAFOR today.", "No fever.\n\nNKDA on file.\n\nNo fever.", "", "Seen by OKAFOR today."]
DOCUMENTS = [Document(str(number), text) for number, text in enumerate(NOTES)]


def test_the_cache_changes_nothing_but_the_reading(tmp_path):
    plain = SentenceDetector(Capitals()).detect(DOCUMENTS)
    assert [len(spans) for spans in plain] == [1, 1, 0, 1]
    for reads in (3, 0):
        reader = Capitals()
        detector = SentenceDetector(reader, cache=cache(tmp_path))
        assert detector.detect(DOCUMENTS) == plain
        assert len(reader.read_texts) == reads
        assert detector.counts["read"] == reads
        assert detector.counts["cached"] == 3 - reads
    assert detector.counts["sentences"] == 6


def test_another_version_and_another_key_know_nothing(tmp_path):
    put(cache(tmp_path), ["No fever."], [[]])
    assert got(cache(tmp_path), ["No fever.", "Fever."]) == [(), None]
    assert got(cache(tmp_path, version="2"), ["No fever."]) == [None]
    other = SentenceCache(tmp_path / "cache" / "x.sqlite", KEY[::-1], "1", MEGABYTE)
    assert got(other, ["No fever."]) == [None]


def test_no_text_reaches_the_disk_and_only_the_owner_reads_it(tmp_path):
    kept = cache(tmp_path)
    kept.put(["Seen by OKAFOR today."], Capitals().read(["Seen by OKAFOR today."]))
    kept.close()
    files = list((tmp_path / "cache").iterdir())
    assert files
    for file in files:
        assert b"OKAFOR" not in file.read_bytes()
        assert b"today" not in file.read_bytes()
    assert (tmp_path / "cache" / "x.sqlite").stat().st_mode & 0o077 == 0


SPANS = st.lists(
    st.builds(TextSpan, st.integers(0, 9), st.integers(0, 2**31), st.sampled_from(Entity), st.floats(0, 1)), max_size=3
).map(tuple)
ANSWERS = st.builds(
    Answer, SPANS, st.none() | st.builds(StageAnswers, SPANS, SPANS, SPANS, st.none() | SPANS)
)  # fmt: skip


@given(st.dictionaries(st.text(max_size=20), ANSWERS, max_size=8))
def test_what_is_put_comes_back_and_is_current_for_the_same_rules(tmp_path_factory, entries):
    folder = tmp_path_factory.mktemp("cache")
    cache(folder, rules="1").put(list(entries), list(entries.values()))
    for rules in ("1", "2"):
        known = cache(folder, rules=rules).get(list(entries))
        assert [one.answer for one in known] == list(entries.values())
        assert [one.is_current for one in known] == [rules == "1" or one.stages is None for one in entries.values()]


class Choosing(Capitals):
    """Answers with the first stage, or with the second where the text holds a word, and keeps both."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self.word = word

    def read(self, texts: Sequence[str]) -> list[Answer]:
        answers = super().read(texts)
        return [
            Answer(one.spans if self.word in text else [], StageAnswers([], one.spans, [], one.spans if self.word in text else None))
            if one.spans
            else one
            for text, one in zip(texts, answers, strict=True)
        ]  # fmt: skip

    def choose_again(self, texts: Sequence[str], answers: Sequence[Answer]) -> list[Answer | None]:
        return [
            Answer([], one.stages) if self.word not in text
            else Answer(one.stages.second, one.stages) if one.stages.second is not None
            else None
            for text, one in zip(texts, answers, strict=True)
        ]  # fmt: skip


def test_other_rules_choose_again_and_read_only_what_no_model_has_read(tmp_path):
    for rules, word, reads in (
        ("1", "Seen", 3),  # every sentence is read, "Seen by OKAFOR" by both stages
        ("2", "file", 1),  # "NKDA on file." now needs the second stage
        ("3", "Seen", 0),  # both are in the cache
        ("3", "Seen", 0),
    ):
        reader = Choosing(word)
        detector = SentenceDetector(reader, cache=cache(tmp_path, rules=rules))
        assert detector.detect(DOCUMENTS) == SentenceDetector(Choosing(word)).detect(DOCUMENTS)
        assert len(reader.read_texts) == reads
        assert (detector.counts["read"], detector.counts["cached"]) == (reads, 3 - reads)


def test_an_entry_that_was_changed_is_none(tmp_path):
    kept = cache(tmp_path)
    put(kept, ["Seen by OKAFOR."], [[TextSpan(8, 14, Entity.PATIENT, 1.0)]])
    with sqlite3.connect(tmp_path / "cache" / "x.sqlite") as connection:
        connection.execute("update sentence set value = substr(value, 1, 8)")
    assert got(kept, ["Seen by OKAFOR."]) == [None]


def test_the_file_stays_within_its_bound_and_keeps_what_is_used(tmp_path, monkeypatch):
    size = 400_000
    kept = cache(tmp_path, size=size)
    for batch in range(60):
        monkeypatch.setattr(cache_module, "_today", lambda: 100 + 10 * batch)  # noqa: B023
        assert got(kept, ["used every time"]) == [() if batch else None]
        put(kept, ["used every time"] if not batch else [], [()] if not batch else [])
        texts = [f"{batch} {number}" for number in range(500)]
        put(kept, texts, [()] * 500)
    kept.close()
    assert kept.errors == 0
    assert (tmp_path / "cache" / "x.sqlite").stat().st_size < 1.5 * size
    assert got(kept, ["used every time", "59 1", "0 1"]) == [(), (), None]


@pytest.mark.parametrize("damage", ["no database at all" * 99, ""])
def test_a_broken_file_is_no_cache_and_no_failure(tmp_path, damage):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "x.sqlite").write_text(damage)
    kept = cache(tmp_path)
    assert SentenceDetector(Capitals(), cache=kept).detect(DOCUMENTS) == SentenceDetector(Capitals()).detect(DOCUMENTS)
    assert (kept.errors > 0) == bool(damage)


def _work(folder: Path, worker: int) -> None:
    kept = cache(folder, size=100 * MEGABYTE)
    for batch in range(20):
        texts = [f"shared {batch} {number}" for number in range(50)] + [f"{worker} {batch} {n}" for n in range(50)]
        for text, known in zip(texts, got(kept, texts), strict=True):
            assert known is None or known == (TextSpan(0, len(text), Entity.DATE, 0.5),)
        put(kept, texts, [[TextSpan(0, len(text), Entity.DATE, 0.5)] for text in texts])
    os._exit(0 if not kept.errors else 1)


def test_many_workers_share_one_file_and_a_killed_one_leaves_it_whole(tmp_path):
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_work, args=(tmp_path, number)) for number in range(4)]
    for worker in workers:
        worker.start()
    time.sleep(0.05)
    workers[0].kill()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers[1:]] == [0, 0, 0]
    kept = cache(tmp_path)
    texts = [f"{worker} {batch} {n}" for worker in (1, 2, 3) for batch in range(20) for n in range(50)]
    assert all(
        known == (TextSpan(0, len(text), Entity.DATE, 0.5),)
        for text, known in zip(texts, got(kept, texts), strict=True)
    )


def test_a_forked_worker_opens_the_file_for_itself(tmp_path):
    kept = cache(tmp_path)
    put(kept, ["a"], [()])
    child = multiprocessing.get_context("fork").Process(target=lambda: os._exit(0 if got(kept, ["a"]) == [()] else 1))
    child.start()
    child.join(30)
    assert child.exitcode == 0
    assert got(kept, ["a"]) == [()]


def test_sentences_of_the_inclusion_list_are_not_read():
    reader = Capitals()
    detector = SentenceDetector(reader, InclusionList.of(KEY, ["NKDA on file."]))
    spans = detector.detect(DOCUMENTS)
    assert [len(found) for found in spans] == [1, 0, 0, 1]
    assert "NKDA on file." not in reader.read_texts
    assert (detector.counts["included"], detector.counts["read"]) == (1, 2)
    left_out = detector.included()
    assert left_out.name == "transformer:included"
    assert [len(found) for found in left_out.detect(DOCUMENTS)] == [0, 1, 0, 0]


def test_an_inclusion_list_on_disk_holds_no_sentence(tmp_path):
    kept = InclusionList.of(KEY, ["No fever.", "NKDA on file."])
    kept.save(tmp_path / "list")
    raw = (tmp_path / "list").read_bytes()
    assert b"fever" not in raw
    loaded = InclusionList.load(tmp_path / "list", KEY)
    assert "No fever." in loaded
    assert "No fever" not in loaded
    assert "No fever." not in InclusionList.load(tmp_path / "list", KEY[::-1])
    assert loaded.version == kept.version != InclusionList.of(KEY, ["No fever."]).version
    (tmp_path / "list").write_bytes(raw[:5] + b"x" + raw[6:])
    with pytest.raises(LexiconError, match="damaged"):
        InclusionList.load(tmp_path / "list", KEY)


def test_answers_that_nobody_used_for_long_are_deleted(tmp_path, monkeypatch):
    file = tmp_path / "cache" / "x.sqlite"
    assert prune_cache(file, 90) == 0
    assert not file.exists()
    today = cache_module._today()
    monkeypatch.setattr(cache_module, "_today", lambda: today - 91)
    put(cache(tmp_path), ["old", "used"], [(), ()])
    monkeypatch.setattr(cache_module, "_today", lambda: today)
    kept = cache(tmp_path)
    assert got(kept, ["used"]) == [()]
    put(kept, ["new"], [()])
    assert prune_cache(file, 90) == 1
    assert got(kept, ["old", "used", "new"]) == [None, (), ()]


def test_a_cache_is_pruned_once_a_day_however_often_it_is_opened(tmp_path, monkeypatch):
    file = tmp_path / "cache" / "x.sqlite"
    today = cache_module._today()
    put(cache(tmp_path), ["first"], [()])
    monkeypatch.setattr(cache_module, "_today", lambda: today + 91)
    assert prune_cache(file, 90, once_a_day=True) == 1
    monkeypatch.setattr(cache_module, "_today", lambda: today)
    put(cache(tmp_path), ["second"], [()])
    monkeypatch.setattr(cache_module, "_today", lambda: today + 91)
    assert prune_cache(file, 90, once_a_day=True) == 0
    monkeypatch.setattr(cache_module, "_today", lambda: today + 92)
    assert prune_cache(file, 90, once_a_day=True) == 1
    put(cache(tmp_path), ["third"], [()])
    assert got(cache(tmp_path), ["third"]) == [()]
