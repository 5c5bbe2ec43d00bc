"""``deid reproduce`` on made-up files in the formats of the corpora."""

import json

import pytest

from deid_tasks.cli import reproduction
from deid_tasks.comparison.published.tables import published_papers
from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import DeidError, InputError
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote

TEXT = "Ana Brennock, 67, seen on 3/14/2021 at Tolland Clinic in Eastmere by Dr. Okafor. Phone 617-555-0100."
GOLD = {
    "Ana Brennock": Entity.PATIENT,
    "67": Entity.AGE,
    "3/14/2021": Entity.DATE,
    "Tolland Clinic": Entity.FACILITY,
    "Eastmere": Entity.CITY,
    "Okafor": Entity.PROVIDER,
    "617-555-0100": Entity.PHONE,
}
PREDICTED = {
    "Ana Brennock": Entity.PATIENT,
    "67": Entity.AGE,
    "3/14/2021": Entity.DATE,
    "Tolland": Entity.CITY,
    "Eastmere": Entity.FACILITY,
    "seen": Entity.PROVIDER,
    "617-555-0100": Entity.FAX,
    "Phone": Entity.TIME,
}
"""Okafor is missed, "seen" is found wrongly, "Clinic" is missed, and some types are wrong; times do not count."""


PRINTED_OTHERWISE = {"LOCATION-OTHER"}
"""A row whose printed recall contradicts its printed count of missed words."""


def spans(words):
    return sorted(
        Span(TEXT.index(word), TEXT.index(word) + len(word), entity, "model") for word, entity in words.items()
    )


@pytest.fixture
def data(tmp_path):
    note = AnnotatedNote("100-01", TEXT, tuple(spans(GOLD)), patient_id="100")
    FORMATS["i2b2-2014"].write([note], tmp_path / "data" / "i2b2-2014", annotated=True)
    predicted = tmp_path / "predicted"
    predicted.mkdir()
    records = [{"start": one.start, "end": one.end, "entity": str(one.entity)} for one in spans(PREDICTED)]
    (predicted / "i2b2-2014.jsonl").write_text(json.dumps({"id": "100-01", "spans": records}) + "\n")
    return tmp_path


def tables(data, paper, **options):
    target = data / "out.json"
    reproduction.reproduce(paper, data / "data", options.get("predicted", data / "predicted"), target, None)
    found = {}
    for table in json.loads(target.read_text())["tables"]:
        found.setdefault(table["number"], {row["row"]: row for row in table["rows"]})
    return found


def ours(row, *keys):
    return [row[f"ours {key}"] for key in keys]


def test_tokens_by_tokenization(data):
    found = tables(data, "lin-2020")["5.1"]
    assert found["space"]["gold"] == 15184
    # At white space 9 tokens are identifiers: Okafor and Clinic are missed, "seen" is wrong.
    assert ours(found["space"], "gold", "missed", "false") == [9, 2, 1]
    assert ours(found["space"], "recall", "precision") == pytest.approx([100 * 7 / 9, 100 * 7 / 8])
    # The date and the telephone number are three words each.
    assert ours(found["space and punctuation"], "gold", "missed", "false") == [13, 2, 1]
    # The full stop at the end is not the number's.
    assert ours(found["nltk"], "gold", "missed", "false") == [9, 2, 1]


def test_the_confusion_matrix_holds_every_token(data):
    found = tables(data, "lin-2020")["5.3"]
    assert ours(found["actual yes"], "predicted_yes", "predicted_no") == [7, 2]
    assert ours(found["actual no"], "predicted_yes", "predicted_no") == [1, len(TEXT.split()) - 10]


def test_multi_class_figures_need_the_right_category(data):
    row = tables(data, "lin-2020")["5.4"]["Palimpsest"]
    assert row["recall"] == pytest.approx(100 * 7 / 9)
    # Cities and facilities are both locations of the guideline, and a fax number is a contact.
    assert row["multi_recall"] == pytest.approx(100 * 7 / 9)
    assert row["multi_precision"] == pytest.approx(100 * 7 / 8)


def test_tokens_by_category(data):
    found = tables(data, "lin-2020")["A.1"]
    assert ours(found["Name"], "gold", "missed", "false") == [3, 1, 1]
    assert ours(found["Location"], "gold", "missed", "false") == [3, 1, 0]
    assert ours(found["Age"], "recall") == [100.0]
    assert found["Name"]["recall"] == 98.43


def test_names_of_the_datasets_that_are_there(data):
    row = tables(data, "lin-2020")["5.12"]["Palimpsest"]
    assert row["i2b2-2014 recall"] == pytest.approx(100 * 2 / 3)
    assert row["physionet recall"] is None


def test_methods_count_words_of_group_b(data):
    found = tables(data, "murugadoss-2021")["2"]
    assert found["nference (Mayo + i2b2)"]["recall"] == 0.992
    # Ana Brennock, 3/14/2021, Eastmere, Okafor, 617-555-0100; the age and the clinic are outside the group.
    assert found["Palimpsest"]["recall"] == pytest.approx(5 / 6)
    assert found["Palimpsest"]["precision"] == pytest.approx(5 / 6)


def test_words_by_entity(data):
    found = tables(data, "murugadoss-2021")["S4"]
    assert ours(found["Names"], "gold", "missed", "false") == [3, 1, 1]
    assert ours(found["DOCTOR"], "gold", "missed", "precision") == [1, 1, None]
    assert ours(found["HOSPITAL"], "gold", "missed") == [2, 1]
    assert ours(found["PHONE"], "recall") == [1.0]


def test_entities_match_by_ends_and_label(data):
    found = tables(data, "kocaman-2023")
    assert ours(found["1"]["Name"], "precision", "recall", "f1") == [0.5, 0.5, 0.5]
    assert ours(found["1"]["Location"], "precision", "recall") == [0.5, 0.5]
    assert ours(found["4"]["City"], "precision", "recall", "f1") == [0.0, 0.0, 0.0]
    assert ours(found["4"]["Patient"], "f1") == [1.0]
    # 7 gold entities, 7 predicted ones without the time; 5 agree in both ends and the coarse label.
    assert ours(found["1"]["Micro-Avg."], "f1") == pytest.approx([2 * 5 / (7 + 7)])
    assert ours(found["4"]["Micro-Avg."], "f1") == pytest.approx([2 * 3 / (7 + 7)])
    assert ours(found["4"]["Zip"], "precision", "recall", "f1") == [None] * 3
    assert ours(found["4"]["Fax"], "precision", "recall", "f1") == [0.0, None, None]


def test_a_score_of_nothing_is_missing(data):
    found = tables(data, "lin-2020")["A.1"]
    assert ours(found["ID"], "gold", "recall", "precision", "f1") == [0, None, None, None]


def test_words_of_conll_and_the_seconds_of_a_document(data):
    (data / "data" / "conll-2003.txt").write_text(
        "-DOCSTART- -X- O O\n\nJAKARTA NNP I-NP I-LOC\n\nUmar NNP I-NP I-PER\nSaid NNP I-NP I-PER\ntold VBD I-VP O\n"
        "Asian JJ I-NP I-MISC\nReuters NNP I-NP I-ORG\n"
    )
    text = "JAKARTA\nUmar Said told Asian Reuters"
    records = [
        {"start": text.index(word), "end": text.index(word) + len(word), "entity": "PATIENT"}
        for word in ("Umar", "told")
    ]
    (data / "predicted" / "conll-2003.jsonl").write_text(json.dumps({"id": "conll-2003-1", "spans": records}) + "\n")
    target = data / "out.json"
    reproduction.reproduce("murugadoss-2024", data / "data", data / "predicted", target, None)
    of_words, of_conll, of_seconds = json.loads(target.read_text())["tables"]
    row = of_conll["rows"][-1]
    assert (row["row"], row["recall"], row["precision"]) == ("Palimpsest", 0.25, 0.5)
    assert of_words["rows"][-1]["recall"] is not None
    # Spans of a file took no time here.
    assert of_seconds["rows"][-1]["seconds"] is None


def test_the_engine_reads_the_notes_where_no_spans_are_given(data, capsys):
    reproduction.reproduce("lin-2020", data / "data", None, None, None)
    printed = capsys.readouterr().out
    assert "table 5.12" in printed
    assert "without i2b2-2006, physionet: their figures are missing" in printed
    assert not [word for word in GOLD if word in printed and not word.isdigit()]


def test_what_cannot_be_done_is_said(data, tmp_path):
    with pytest.raises(DeidError, match="lin-2020, murugadoss-2021"):
        reproduction.reproduce("smith-1999", data / "data")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds none of i2b2-2014"):
        reproduction.reproduce("kocaman-2023", tmp_path / "empty")


@pytest.mark.parametrize("name", sorted(published_papers()))
def test_published_rows_are_consistent(name):
    """F1 as printed follows from precision and recall as printed, but for rounding: a check for typing errors."""
    paper = published_papers()[name]
    rounding = 0.011 if paper.scale > 1 else 0.0151
    for table in paper.tables:
        for row, values in table.rows:
            figures = dict(zip(table.columns, values, strict=True))
            precision, recall, f1 = (figures.get(key) for key in ("precision", "recall", "f1"))
            if precision and recall and f1:
                assert 2 * precision * recall / (precision + recall) == pytest.approx(f1, abs=rounding), (
                    table.number,
                    row,
                )
            gold, missed = figures.get("gold"), figures.get("missed")
            if gold and missed is not None and recall and row not in PRINTED_OTHERWISE:
                assert (gold - missed) / gold == pytest.approx(
                    recall / paper.scale, abs=0.0011 if paper.scale > 1 else 0.008
                ), (table.number, row)
