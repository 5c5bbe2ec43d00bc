"""What the confidence model is told of a span, and what it does with spans of models, rules and dictionaries."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import ModelError
from deid_tasks.core.span import Span
from deid_tasks.engine.recover.confidence import (
    ConfidenceModel,
    assess,
    collect_evidence,
    default_model,
    evidence_features,
)
from deid_tasks.engine.recover.confidence.features import group_of
from deid_tasks.engine.recover.confidence.model import INTERCEPT
from deid_tasks.engine.recover.document_terms import document_terms
from deid_tasks.engine.text import Document

TEXT = "Ms. Okafor was seen.\nCreat  2.1\nOkafor agreed."
OKAFOR, CREAT, AGAIN = (
    Span(4, 10, Entity.PATIENT, "transformer", 0.99),
    Span(21, 26, Entity.PROVIDER, "transformer", 0.55),
    Span(32, 38, Entity.PATIENT, "transformer", 0.7),
)


def terms_of(text: str):
    return next(iter(document_terms([Document("n", text)])))


def features_of(text: str, spans: list[Span], **by_detector: list[Span]) -> list[dict[str, float]]:
    found = by_detector or {"transformer": spans}
    return [dict(features) for _, features in evidence_features(terms_of(text), spans, [], found)]


def test_evidence_names_who_found_a_part_of_a_span():
    spans = [Span(4, 10, Entity.PATIENT, "patterns"), CREAT, AGAIN]
    recovered = [Span(40, 45, Entity.CITY, "transformer", 0.6)]
    by_detector = {
        "transformer": [OKAFOR, CREAT, AGAIN, recovered[0]],
        "patterns": [Span(0, 10, Entity.PATIENT, "patterns")],
        "lexicon": [Span(32, 38, Entity.PATIENT, "lexicon")],
    }
    one, two, three, four = collect_evidence(spans, recovered, by_detector)
    assert (one.has_rule, one.has_own, one.model_score, one.is_of_models_alone) == (True, False, 0.99, False)
    assert (two.has_rule, two.has_own, two.model_score, two.is_of_models_alone) == (False, False, 0.55, True)
    assert (three.has_own, three.is_of_models_alone) == (True, False)
    assert four.is_recovered


def test_what_propagation_marked_is_not_of_models_alone():
    (one,) = collect_evidence([Span(32, 38, Entity.PATIENT, "propagation", 0.99)], [], {"transformer": [OKAFOR]})
    assert not one.is_of_models_alone


def test_features_tell_title_layout_and_mentions_elsewhere():
    name, lab, again = features_of(TEXT, [OKAFOR, CREAT, AGAIN])
    assert name["title_before"]
    assert "opens_line" not in name
    assert lab["opens_line"]
    assert lab["wide_gap_after"]
    assert again["certain_elsewhere"] == 1
    assert lab["certain_elsewhere"] == 0
    assert name["unmarked_elsewhere"] == again["unmarked_elsewhere"] == 0
    (alone,) = features_of(TEXT, [AGAIN])
    assert alone["unmarked_elsewhere"] == 0.5


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("97110", "shape:digits"),
        ("T12", "shape:letters and digits"),
        ("fovea", "shape:lower"),
        ("ND", "shape:short capitals"),
        ("K", "shape:letter"),
        ("SMITH", "shape:capitals"),
        ("Smith", "shape:title"),
        ("McKay", "shape:mixed"),
        ("Anna Smith", "shape:words:title"),
        ("ANNA SMITH", "shape:words:capitals"),
        ("bike park", "shape:words:lower"),
        ("12/24", "shape:words:digits"),
    ],
)
def test_each_span_has_one_shape(value: str, shape: str):
    text = f"seen {value} today"
    (features,) = features_of(text, [Span(5, 5 + len(value), Entity.PATIENT, "transformer", 0.8)])
    assert [name for name in features if name.startswith("shape:")] == [shape]


@given(st.text(max_size=60), st.data())
def test_features_of_any_text_are_finite(text: str, data: st.DataObject):
    start = data.draw(st.integers(0, max(0, len(text) - 1)))
    end = data.draw(st.integers(start + 1, max(start + 1, len(text))))
    if end > len(text):
        return
    span = Span(start, end, Entity.CITY, "transformer", data.draw(st.floats(0, 1)))
    (features,) = features_of(text, [span])
    assert all(-3 <= value <= 3 for value in features.values())
    assert 0 <= default_model().probability(features, group_of(span.entity)) <= 1


def model_by_score(low: float = -10.0) -> ConfidenceModel:
    """A model that believes only what stands after a title."""
    return ConfidenceModel({(INTERCEPT, ""): low, ("title_before", ""): 20.0})


def test_a_span_of_models_below_the_threshold_is_recovered():
    kept, recovered = assess(
        terms_of(TEXT), [OKAFOR, CREAT], [], {"transformer": [OKAFOR, CREAT]}, 0.2, model_by_score()
    )
    assert [span.start for span in kept] == [OKAFOR.start]
    assert [span.start for span in recovered] == [CREAT.start]
    assert kept[0].score > 0.99


def test_rules_and_dictionaries_keep_their_spans():
    by_detector = {"transformer": [CREAT], "patterns": [CREAT], "lexicon": [AGAIN]}
    lexicon = replace(AGAIN, detector="lexicon", score=1.0)
    kept, recovered = assess(terms_of(TEXT), [CREAT, lexicon], [], by_detector, 0.2, model_by_score())
    assert not recovered
    assert kept[0].score < 0.01, "a rule's span has its probability"
    assert kept[1] == lexicon, "a dictionary's span keeps its score"


def test_what_rules_recovered_stays_recovered():
    kept, recovered = assess(terms_of(TEXT), [], [OKAFOR], {"transformer": [OKAFOR]}, 0.2, model_by_score())
    assert (kept, recovered) == ([], [OKAFOR])


def test_a_threshold_of_zero_removes_nothing():
    kept, recovered = assess(terms_of(TEXT), [OKAFOR, CREAT], [], {"transformer": [OKAFOR, CREAT]}, 0.0)
    assert len(kept) == 2
    assert not recovered


def test_groups_share_weights_of_people_and_numbers():
    assert group_of(Entity.PATIENT) == group_of(Entity.RELATIVE) == "PERSON"
    assert group_of(Entity.MRN) == group_of(Entity.ACCOUNT) == "ID"
    assert group_of(Entity.CITY) == "CITY"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "feature\tweight\nintercept\t1\n",
        "feature\tgroup\tweight\nmodel\t\t1\n",
        "feature\tgroup\tweight\nintercept\t\tnan\n",
        "feature\tgroup\tweight\nintercept\t\tone\n",
    ],
)
def test_damaged_weights_are_refused_by_name(tmp_path, content: str):
    path = tmp_path / "weights.tsv"
    path.write_text(content)
    with pytest.raises(ModelError, match=r"weights\.tsv"):
        ConfidenceModel.open(path)


def test_a_missing_file_is_refused_by_name(tmp_path):
    with pytest.raises(ModelError, match=r"none\.tsv"):
        ConfidenceModel.open(tmp_path / "none.tsv")
