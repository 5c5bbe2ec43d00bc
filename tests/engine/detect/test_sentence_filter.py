"""The sentence filter: which texts the larger models read, and what a detector without the filter would have found."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from deid_tasks.engine.cascade import CascadeDetector, build_readers
from deid_tasks.engine.detect.model_files import find_model
from deid_tasks.engine.detect.sentence_cache import SentenceCache
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.detect.sentence_filter import SentenceFilter
from deid_tasks.engine.detect.transformer import TransformerDetector
from deid_tasks.engine.text import Document
from deid_tasks.settings import EngineSettings, SentenceFilterSettings, TransformerSettings
from tests.support.tiny_model import write_lookup_model

LABELS = ["O", "B-PER", "I-PER", "B-HOSPITAL"]
TEXTS = ["a no fever", "no fever", "b seen", "", "seen by d"]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``first`` knows a and b, ``second`` a and d; ``filter`` knows a alone."""
    folder = tmp_path_factory.mktemp("models")
    write_lookup_model(folder / "first", LABELS, {"a": "B-PER", "b": "B-PER"})
    write_lookup_model(folder / "second", LABELS, {"a": "B-PER", "d": "B-PER"})
    write_lookup_model(folder / "filter", LABELS, {"a": "B-PER"})
    return folder


def reader_of(models: Path, *, cascade: bool, **chosen: object) -> TransformerDetector | CascadeDetector:
    described: dict[str, object] = {"model": str(models / "first"), "outside_bias": 0}
    if cascade:
        described["second_stage"] = {"model": str(models / "second"), "outside_bias": 0, "band": [0.001, 0.999]}
    described["sentence_filter"] = {"model": str(models / "filter"), "threshold": 0.5, **chosen}
    [reader] = build_readers([TransformerSettings.model_validate(described)])
    return reader


def found(reader: TransformerDetector | CascadeDetector) -> list[list[str]]:
    return [
        [text[span.start : span.end] for span in answer.spans]
        for text, answer in zip(TEXTS, reader.read(TEXTS), strict=True)
    ]


@pytest.mark.parametrize(
    ("cascade", "kept", "passed"),
    [
        (False, [["a"], [], [], [], []], [[], [], ["b"], [], []]),
        (True, [["a"], [], [], [], []], [[], [], [], [], ["d"]]),
    ],
)
def test_the_models_read_what_the_filter_keeps_and_nothing_else(models, cascade, kept, passed):
    reader = reader_of(models, cascade=cascade)
    assert found(reader) == kept
    other = reader.of_passed_over()
    assert other is not None
    assert other.name == "transformer:passed_over"
    assert found(other) == passed
    assert found(reader) == kept  # the first one filters as before


def test_the_larger_model_does_not_see_what_is_passed_over(models):
    reader = reader_of(models, cascade=False)
    assert isinstance(reader, TransformerDetector)
    reader.read(TEXTS)
    tokens = {path.parent.name: count for path, count in reader.tokens_read.items()}
    # Each text with its two special tokens; the empty one is no window.
    assert tokens == {"filter": 3 + 2 + 2 + 3 + 4 * 2, "first": 3 + 2}
    assert reader.sentence_filter is not None
    assert reader.sentence_filter.passed_over == 4


def test_a_lower_threshold_keeps_more(models):
    # The tables give a word that they do not know a probability of about 0.05.
    assert found(reader_of(models, cascade=False, threshold=0.01)) == [["a"], [], ["b"], [], []]


def test_an_answer_depends_on_its_text_alone(models):
    reader = reader_of(models, cascade=True)
    assert list(reader.read(TEXTS)) == [reader.read([text])[0] for text in TEXTS]


def test_the_filter_is_part_of_the_fingerprint(models):
    one, other = reader_of(models, cascade=True), reader_of(models, cascade=True, model=str(models / "second"))
    without = build_readers([TransformerSettings.model_validate({"model": str(models / "first")})])[0]
    assert len({one.sha256, other.sha256, without.sha256}) == 3
    assert without.of_passed_over() is None


def test_stages_are_told_apart(models):
    cascade = [name for name, _ in reader_of(models, cascade=True).stages()]
    assert cascade == ["transformer, sentence filter", "transformer", "transformer, second stage"]
    alone = [name for name, _ in reader_of(models, cascade=False).stages()]
    assert alone == ["transformer, sentence filter", "transformer"]


def test_a_cached_answer_equals_the_answer_of_reading_again(models, tmp_path):
    notes = [Document(str(number), text) for number, text in enumerate(TEXTS)]
    cached = SentenceDetector(
        reader_of(models, cascade=True), cache=SentenceCache(tmp_path / "x.sqlite", b"k" * 32, "1", 1_000_000)
    )
    first = cached.detect(notes)
    assert cached.detect(notes) == first == SentenceDetector(reader_of(models, cascade=True)).detect(notes)
    assert cached.counts["cached"] == 4  # the empty text has no sentence


@pytest.mark.parametrize("threshold", [0, 1, -0.1])
def test_a_threshold_is_between_zero_and_one(threshold):
    with pytest.raises(ValidationError, match="threshold"):
        SentenceFilterSettings(threshold=threshold)


def test_the_shipped_filter_stands_before_the_shipped_models():
    [model] = EngineSettings.public().detect.transformers
    assert model.sentence_filter is not None
    assert [part.model for part in model.parts] == ["minilm", "filter", "mpnet"]
    weights = {name: (find_model(name) / "model.onnx").stat().st_size for name in ("filter", "minilm")}
    assert weights["filter"] * 2 < weights["minilm"]


def test_the_shipped_filter_passes_over_prose_and_keeps_names():
    shipped = SentenceFilter(SentenceFilterSettings())
    prose = [
        "Lungs are clear to auscultation bilaterally.",
        "No nausea, vomiting or diarrhea was reported.",
        "The wound is healing well without drainage.",
    ]
    named = [
        "He and Jane were comfortable with that plan.",
        "dw dr okonjo, will f/u",
        "Seen by Priya Raman on 3/14.",
        "lives w his bro in Tacoma",
        "pt is 94 yo and works as a welder",
        "MRN 00482213",
        "K. Abiodun",
    ]
    assert shipped.keeps([*prose, *named]) == [len(prose) + index for index in range(len(named))]
