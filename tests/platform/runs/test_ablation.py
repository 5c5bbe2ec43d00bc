"""Ablation: what changes without each part of the engine, on notes whose answer is known."""

import re
from dataclasses import replace

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.inclusion import InclusionList
from deid_tasks.engine.detect.lexicon_detector import LexiconDetector
from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.detect.reader import Answer, TextSpan
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.detect.templates import Template, TemplateDetector
from deid_tasks.engine.detect.transformer import TransformerDetector
from deid_tasks.engine.lexicon import Lexicon, LexiconTerm
from deid_tasks.engine.parts import EngineParts
from deid_tasks.engine.text import Document
from deid_tasks.evidence.evaluate import Scorer
from deid_tasks.platform.runs.ablation import GoldDocument, score_variants, variants_of
from deid_tasks.settings import MergeSettings, ModelSettings, RecoverSettings, SentenceFilterSettings
from tests.support.tiny_model import write_lookup_model

TERMS = [
    LexiconTerm("provider", "last", "Quillfeather", 1),
    LexiconTerm("medical", "eponym", "Kawasaki disease", 1),
]


class Eager:
    """A model that takes an eponym for a name."""

    name = "transformer:eager"

    def detect(self, documents):
        return [
            [Span(m.start(), m.end(), Entity.PROVIDER, self.name) for m in re.finditer("Kawasaki", document.text)]
            for document in documents
        ]


@pytest.fixture(scope="module")
def engine():
    lexicon = Lexicon.build(TERMS)
    return EngineParts(
        (PatternDetector({}), LexiconDetector(lexicon), Eager()),
        lexicon,
        None,
        MergeSettings(),
        RecoverSettings(),
        10**6,
        "f",
    )


def note(number, markup):
    text, spans = "", []
    for part in markup.split("["):
        inside, closed, after = part.partition("]")
        if closed:
            entity, _, value = inside.partition(":")
            spans.append(Span(len(text), len(text) + len(value), Entity(entity)))
            text += value + after
        else:
            text += part
    record = PatientRecord("P1", terms=(PatientTerm(TermKind.LAST, "Thessaly"),)) if number % 2 else None
    return GoldDocument(Document(str(number), text, "P1" if record else None, "letter"), spans, str(number), record)


MARKUP = "Dr. [PROVIDER:Quillfeather] saw [PATIENT:Thessaly] on [DATE:03/14/2021]; Kawasaki disease was ruled out."


def test_each_part_is_worth_what_it_finds(engine):
    notes = [note(number, MARKUP) for number in range(1, 41, 2)]
    ablated, recovered = score_variants(iter(notes), engine, Scorer(resamples=100))
    scores = {one.name: (one.evaluation.recall, one.evaluation.precision) for one in ablated}
    assert scores["full"] == (1.0, 1.0)
    assert scores["without_recovery"][0] == 1.0
    assert scores["without_recovery"][1] < 1.0
    assert scores["without_patterns"][0] == pytest.approx(2 / 5)
    assert scores["without_patient"][0] < 1.0
    assert scores["without_lexicon"][0] <= 1.0
    assert scores["without_dictionaries"][0] < scores["without_patient"][0] + 1e-9
    changes = {one.name: one for one in ablated}
    assert changes["full"].recall_change.lower == changes["full"].recall_change.upper == 0.0
    assert changes["without_patterns"].recall_change.upper < 0
    assert changes["without_recovery"].precision_change.upper < 0
    assert (recovered.notes, recovered.recovered["PROVIDER"]) == (20, 20)
    assert recovered.share == pytest.approx(1 / 6)


def test_the_variants_are_the_parts_that_the_engine_has(engine):
    assert [variant.name for variant in variants_of(engine)] == [
        "full",
        "without_dictionaries",
        "without_recovery",
        "without_confidence",
        "without_propagation",
        "without_lexicon",
        "without_patient",
        "without_patterns",
        "without_transformer",
        "without_transformer:eager",
    ]


class Reading:
    """A model that takes every word in capitals for a name."""

    name, sha256 = "transformer", "0"

    def read(self, texts):
        return [
            Answer([TextSpan(m.start(), m.end(), Entity.PROVIDER, 0.9) for m in re.finditer("[A-Z]{3,}", t)])
            for t in texts
        ]


def test_the_inclusion_list_and_the_templates_are_parts_too(engine):
    text, spans = "blue sky ames today", [Span(9, 13, Entity.PROVIDER)]
    rule = Template.of(text, 0, len(text), spans)
    neural = SentenceDetector(Reading(), InclusionList.of(b"k" * 32, ["WXYV on file."]))
    own = replace(engine, detectors=(*engine.detectors[:2], TemplateDetector([rule]), neural))
    names = [variant.name for variant in variants_of(own)]
    assert {"without_inclusion", "without_templates", "without_transformer"} <= set(names)
    notes = [
        note(number, "WXYV on file.\n\nblue sky [PROVIDER:moy] today\n\nThen [PROVIDER:QUAXX] again")
        for number in range(20)
    ]
    ablated, _ = score_variants(notes, own, Scorer(resamples=100))
    scores = {one.name: (one.evaluation.recall, one.evaluation.precision) for one in ablated}
    assert scores["full"] == (1.0, 1.0)
    assert scores["without_inclusion"][0] == 1.0
    assert scores["without_inclusion"][1] < 1.0
    assert scores["without_templates"] == (0.5, 1.0)
    assert scores["without_transformer"] == (0.5, 1.0)


def test_the_sentence_filter_is_a_part_too(engine, tmp_path):
    labels = ["O", "B-PER"]
    model = write_lookup_model(tmp_path / "model", labels, {"m": "B-PER", "z": "B-PER"})
    chosen = SentenceFilterSettings(model=str(write_lookup_model(tmp_path / "filter", labels, {"m": "B-PER"})))
    chosen = chosen.model_copy(update={"threshold": 0.5})
    reader = TransformerDetector(ModelSettings(model=str(model), outside_bias=0), sentence_filter=chosen)
    own = replace(engine, detectors=(*engine.detectors[:2], SentenceDetector(reader)))
    assert "without_sentence_filter" in {variant.name for variant in variants_of(own)}
    notes = [note(number, "seen by [PROVIDER:moyka]\n\nseen by [PROVIDER:zekva]") for number in range(20)]
    scores = {one.name: one.evaluation.recall for one in score_variants(notes, own, Scorer(resamples=100))[0]}
    assert scores["full"] == scores["without_recovery"] == 0.5
    assert scores["without_sentence_filter"] == 1.0
    assert scores["without_transformer"] == 0.0


def test_notes_without_anything_are_no_trouble(engine):
    ablated, recovered = score_variants([note(2, "quiet night"), note(4, "")], engine, Scorer(resamples=100))
    assert all(one.evaluation.recall == 1.0 for one in ablated)
    assert recovered.share == 0.0
