"""Counts of phrases: the same whatever fits in memory, from articles and from text."""

import csv
import gzip
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from deid_tasks.core.errors import InputError
from deid_tasks.learning.literature import PhraseCounter, files_of, read_literature

TEXTS = st.lists(st.text(alphabet="ab, é'.-\n", max_size=30), max_size=12)


def counted(folder, texts, terms=1_000_000, least=1, longest=5):
    with PhraseCounter(folder, longest, terms) as counter:
        for text in texts:
            counter.add(text)
        return list(counter.counts(least))


@settings(max_examples=60)
@given(texts=TEXTS, terms=st.integers(1, 20))
def test_memory_changes_nothing(tmp_path_factory, texts, terms):
    folder = tmp_path_factory.mktemp("counting")
    whole = counted(folder, texts)
    assert counted(folder, texts, terms) == whole
    assert whole == sorted(whole)
    assert list(folder.iterdir()) == []


def test_more_runs_than_files_may_be_open(tmp_path):
    texts = [f"alpha{number % 150} beta" for number in range(600)]
    found = dict(counted(tmp_path, texts, terms=1))
    assert found["beta"] == 600
    assert found["alpha7 beta"] == 4
    assert len(found) == 301


def test_a_phrase_does_not_reach_over_punctuation_and_is_normalised(tmp_path):
    found = dict(counted(tmp_path, ["The Bruce protocol. Ménière's disease, mild"]))
    assert found["the bruce protocol"] == found["meniere s disease"] == 1
    assert not {"protocol meniere", "disease mild"} & set(found)
    assert max(len(term.split()) for term in found) == 3


def test_rare_terms_are_left_out(tmp_path):
    texts = ["gait ataxia", "gait ataxia", "gait training"]
    assert counted(tmp_path, texts, least=2) == [("ataxia", 2), ("gait", 3), ("gait ataxia", 2)]


ARTICLES = """<?xml version="1.0"?><!DOCTYPE PubmedArticleSet SYSTEM "http://dtd.nlm.nih.gov/x.dtd"><PubmedArticleSet>
<PubmedArticle><MedlineCitation><PMID>1</PMID><Article><Journal><Title>Unread Letters</Title></Journal>
<ArticleTitle>The <i>Bruce</i> protocol.</ArticleTitle><Abstract><AbstractText Label="AIMS">Stress testing.</AbstractText>
<AbstractText>Gait &amp; balance.</AbstractText></Abstract><AuthorList><Author><LastName>Okafor</LastName></Author></AuthorList></Article></MedlineCitation></PubmedArticle>
<PubmedArticle><MedlineCitation><Article><ArticleTitle>Bruce jumped</ArticleTitle></Article></MedlineCitation></PubmedArticle>
</PubmedArticleSet>"""


def test_titles_and_abstracts_of_the_pubmed_baseline_are_read_and_nothing_else(tmp_path):
    path = tmp_path / "pubmed26n0001.xml.gz"
    path.write_bytes(gzip.compress(ARTICLES.encode()))
    read = list(read_literature(path))
    assert [text for _, text in read] == ["The Bruce protocol.", "Stress testing.", "Gait & balance.", "Bruce jumped"]
    assert [begins for begins, _ in read] == [True, False, False, True]


def test_a_long_text_is_read_in_pieces_without_cutting_a_word(tmp_path, monkeypatch):
    from deid_tasks.learning.literature import sources

    monkeypatch.setattr(sources, "_BLOCK_CHARACTERS", 16)
    text = " ".join(f"word{number}" for number in range(200)) + "\n" + "x" * 100
    (tmp_path / "a.txt").write_text(text)
    pieces = list(read_literature(tmp_path / "a.txt"))
    assert "".join(piece for _, piece in pieces) == text
    assert sum(begins for begins, _ in pieces) == 1
    assert all(not (a[-1:].isalnum() and b[:1].isalnum()) for (_, a), (_, b) in pairwise(pieces[:-8]))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.xml", b"<PubmedArticleSet><Pubmed", "no valid XML at line 1"),
        ("a.xml.gz", gzip.compress(ARTICLES.encode())[:-20], "cannot be read to its end"),
        ("a.txt", b"\xff\xfe\xff", "no valid UTF-8"),
    ],
)
def test_a_broken_file_is_named(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(read_literature(tmp_path / name))


def test_what_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        files_of([tmp_path / "nothing"])
    with pytest.raises(InputError, match="no file that ends in"):
        files_of([tmp_path])


def test_the_command_writes_a_seed_for_dbt(tmp_path):
    from deid_tasks.cli.app import app

    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "one.txt").write_text("Bruce protocol and gait.\nBruce protocol.")
    target = tmp_path / "literature_counts.csv"
    result = CliRunner().invoke(app, ["corpus", "count", str(tmp_path / "texts"), "-o", str(target), "--least", "2"])
    assert result.exit_code == 0, result.output
    with target.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [["term", "occurrences"], ["bruce", "2"], ["bruce protocol", "2"], ["protocol", "2"]]
    assert Counter(path.name for path in tmp_path.iterdir()) == Counter(["texts", "literature_counts.csv"])
