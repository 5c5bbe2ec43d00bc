"""Operating points: the trade of recall for precision by the bias of the models."""

import json

import pytest

from deid_tasks.engine.build import build_engine
from deid_tasks.engine.text import Document
from deid_tasks.evidence.evaluate import Scorer
from deid_tasks.platform.runs.ablation import GoldDocument
from deid_tasks.platform.runs.operating_points import most_precise, score_biases
from deid_tasks.settings import EngineSettings
from tests.support.markup import read_markup

MARKED = (
    "saw [PATIENT:Oyelaran] w/ bullous changes, d/w [PROVIDER:Thibodeaux] re wife [RELATIVE:Anneke]",
    "[PROVIDER:Dr. Marchetti] of [FACILITY:Penobscot Bay Rehab] called [PATIENT:Quill], torsades last night",
    "[INITIALS:kp] spoke w [RELATIVE:Rosalind] at [ORGANIZATION:Harlow Freight]; Kocher clamp, Zoll R",
)
BIASES = [-6.0, -1.0, 8.0]


def notes():
    for number, marked in enumerate(MARKED):
        text, spans = read_markup(marked)
        yield GoldDocument(Document(str(number), text), spans, str(number), None)


@pytest.fixture(scope="module")
def points():
    settings = EngineSettings.public()
    return score_biases(
        notes, lambda bias: build_engine(settings.with_outside_bias(bias)), BIASES, Scorer(resamples=100)
    )


def test_a_lower_bias_finds_more_and_marks_more(points):
    assert [point.outside_bias for point in points] == BIASES
    recalls = [point.evaluation.recall for point in points]
    assert recalls == sorted(recalls, reverse=True)
    assert recalls[0] > recalls[-1]
    marked = [point.reliability.words for point in points]
    assert marked == sorted(marked, reverse=True)
    assert marked[0] > marked[-1]


def test_scores_are_those_of_the_marked_words(points):
    for point in points:
        counts = point.evaluation.find(metric="precision").counts
        assert point.reliability.words == counts.true_positives + counts.false_positives


def test_the_most_precise_point_has_the_recall_that_is_asked_for(points):
    chosen = most_precise(points, recall=points[1].evaluation.recall)
    assert chosen is not None
    assert chosen.evaluation.recall >= points[1].evaluation.recall
    assert chosen.evaluation.precision == max(
        point.evaluation.precision for point in points if point.evaluation.recall >= points[1].evaluation.recall
    )
    assert most_precise(points, recall=1.01) is None


def test_the_bias_reaches_every_model_and_both_stages():
    settings = EngineSettings.public().with_outside_bias(2.5)
    for model in settings.detect.transformers:
        assert model.outside_bias == 2.5
        assert model.second_stage.outside_bias == 2.5
    assert EngineSettings.public().detect.transformers[0].outside_bias == -1.5


def test_the_command_prints_points_names_one_and_writes_them(tmp_path, capsys):
    from deid_tasks.cli.app import app

    lines = []
    for number, marked in enumerate(MARKED):
        text, spans = read_markup(marked)
        found = [{"start": s.start, "end": s.end, "entity": str(s.entity)} for s in spans]
        lines.append(json.dumps({"id": str(number), "text": text, "spans": found}))
    gold = tmp_path / "gold.jsonl"
    gold.write_text("\n".join(lines))
    out = tmp_path / "points.json"
    arguments = ["operating-points", str(gold), "--biases", "8,-6", "--recall", "0.3", "--json", str(out)]
    app(arguments, standalone_mode=False)
    printed = capsys.readouterr().out
    assert "+8.00" in printed
    assert "certify it on other gold notes" in printed
    document = json.loads(out.read_text())
    assert [row["outside_bias"] for row in document["points"]] == [-6.0, 8.0]
    assert document["chosen"] in (-6.0, 8.0)
    assert all(word not in printed + out.read_text() for word in ("Oyelaran", "Thibodeaux", "Quill"))


@pytest.mark.parametrize(("biases", "said"), [("a,b", "numbers separated by commas"), ("-11", "between -10 and 10")])
def test_bad_biases_are_one_clear_error(biases, said, tmp_path):
    from deid_tasks.cli.app import app
    from deid_tasks.core.errors import DeidError

    gold = tmp_path / "gold.jsonl"
    gold.write_text("")
    with pytest.raises(DeidError, match=said):
        app(["operating-points", str(gold), "--biases", biases], standalone_mode=False)
