"""Weights are fitted on observed spans, written, and read again."""

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.recover.confidence import ConfidenceModel, SpanEvidence
from deid_tasks.engine.recover.confidence.model import INTERCEPT
from deid_tasks.engine.text import Document
from deid_tasks.learning.confidence import (
    FittingNote,
    Observation,
    fit_weights,
    fitting_notes,
    observe,
    write_weights,
)
from deid_tasks.settings import EngineSettings

EVIDENCE = SpanEvidence(Span(0, 1, Entity.CITY), False, 0.5, False, False)


def observation(share: float, group: str = "CITY", **features: float) -> Observation:
    return Observation(features, group, share, 1, 1.0, EVIDENCE)


def test_a_feature_of_identifiers_has_a_positive_weight():
    seen = [observation(1.0, title=1.0)] * 50 + [observation(0.0, lower=1.0)] * 50
    weights = fit_weights(seen)
    assert weights["title", ""] > 0 > weights["lower", ""]
    model = ConfidenceModel(weights)
    assert model.probability({"title": 1.0}, "CITY") > 0.9
    assert model.probability({"lower": 1.0}, "CITY") < 0.1


def test_groups_differ_where_their_spans_do():
    seen = [observation(1.0, "CITY", title=1.0)] * 40 + [observation(0.0, "INITIALS", title=1.0)] * 40
    model = ConfidenceModel(fit_weights(seen))
    assert model.probability({"title": 1.0}, "CITY") > 0.8
    assert model.probability({"title": 1.0}, "INITIALS") < 0.2


def test_probabilities_are_calibrated_on_what_they_were_fitted_on():
    seen = [observation(float(number < 30), near=1.0) for number in range(100)]
    seen += [observation(float(number < 90)) for number in range(100)]
    model = ConfidenceModel(fit_weights(seen, penalty=0.01))
    assert model.probability({"near": 1.0}, "CITY") == pytest.approx(0.3, abs=0.01)
    assert model.probability({}, "CITY") == pytest.approx(0.9, abs=0.01)


def test_rare_features_have_no_weight():
    weights = fit_weights([observation(1.0, rare=1.0)] * 3 + [observation(0.0)] * 20)
    assert ("rare", "") not in weights


def test_written_weights_are_read_again(tmp_path):
    weights = fit_weights([observation(1.0, title=1.0)] * 30 + [observation(0.0)] * 30)
    path = tmp_path / "weights.tsv"
    write_weights(weights, path)
    read = ConfidenceModel.open(path).weights
    assert read[INTERCEPT, ""] == weights[INTERCEPT, ""]
    assert read["title", ""] == weights["title", ""]


def test_spans_of_the_engine_are_observed_with_their_gold():
    text = "Dr. Okafor saw her on 3/14/2021."
    gold = (Span(4, 10, Entity.PROVIDER),)
    found = observe([FittingNote(Document("n", text), gold)], build_engine(EngineSettings.public()))
    by_entity = {one.evidence.span.entity: one for one in found}
    assert by_entity[Entity.PROVIDER].share == 1
    assert by_entity[Entity.DATE].share == 0
    assert by_entity[Entity.DATE].evidence.has_rule


def test_the_notes_of_the_package_are_marked():
    notes = list(fitting_notes())
    assert len(notes) >= 150
    assert sum(len(note.spans) for note in notes) > 2_500
    assert any(not note.spans for note in notes)
