"""The cascade: which words are uncertain, what the second-stage model reads, how both answers are combined, and when
the gate asks.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from deid_tasks.core.entities import Entity
from deid_tasks.engine.cascade import CascadeDetector, SecondStageGate, build_readers, combine_probabilities
from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.detect.reader import Answer, TextSpan
from deid_tasks.engine.detect.transformer import TransformerDetector
from deid_tasks.engine.detect.word_probabilities import COLUMN, ENTITIES, WordProbabilities
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.shapes import ShapedWords
from deid_tasks.settings import DetectSettings, MergeSettings, RecoverSettings, TransformerSettings
from tests.support.tiny_model import write_lookup_model, write_tiny_model

NOTHING: list[TextSpan] = []
LABELS = ["O", "B-PER", "I-PER", "B-HOSPITAL"]
TEXTS = [
    "PT seen by Dr. Okafor on 3/14.",
    "no fever, no cough; dr ames to see.",
    "DOB:4/5/61Sex:M MRN:123",
    "",
    "a b c d 12 " * 30,
]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Knows a, b and c; its probability of an identifier is about 0.98 for them, and 0.05 for other words."""
    says = {"a": "B-PER", "b": "I-PER", "c": "B-HOSPITAL"}
    return write_lookup_model(tmp_path_factory.mktemp("models") / "first", LABELS, says)


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Knows a and d, and neither b nor c."""
    return write_lookup_model(tmp_path_factory.mktemp("models") / "second", LABELS, {"a": "B-PER", "d": "B-PER"})


def settings_of(folder: Path, **changes: object) -> TransformerSettings:
    return TransformerSettings.model_validate({"model": str(folder), "outside_bias": 0, **changes})


def cascade(folder: Path, gate: SecondStageGate | None = None, **second: object) -> CascadeDetector:
    settings = settings_of(folder, second_stage={"outside_bias": 0, **second})
    assert settings.second_stage is not None
    return CascadeDetector(settings, settings.second_stage, gate=gate)


def marked(detector: TransformerDetector | CascadeDetector, text: str) -> str:
    for span in reversed(detector.detect([Document("n", text)])[0]):
        text = f"{text[: span.start]}[{span.entity}:{text[span.start : span.end]}]{text[span.end :]}"
    return text


@pytest.mark.parametrize(
    ("weight", "expected"),
    [(0.25, "[PATIENT:a b] no d"), (0.75, "[PATIENT:a] b no [PATIENT:d]"), (1, "[PATIENT:a] b no [PATIENT:d]")],
)
def test_the_second_stage_reads_where_the_first_is_uncertain(
    first: Path, second: Path, weight: float, expected: str
) -> None:
    uncertain = cascade(first, model=str(second), weight=weight, band=[0.001, 0.999])
    assert marked(uncertain, "a b no d") == expected
    assert uncertain.second_stage_texts == 1
    certain = cascade(first, model=str(second), weight=weight, band=[0.2, 0.3])
    assert marked(certain, "a b no d") == "[PATIENT:a b] no d"
    assert certain.second_stage_texts == 0
    assert len({uncertain.sha256, certain.sha256, TransformerDetector(settings_of(first)).sha256}) == 2


@pytest.mark.parametrize(
    ("text", "expected", "words_read"),
    [
        ("a no d", "[PATIENT:a] no [PATIENT:d]", 3),
        ("no " * 30 + "a no d" + " no" * 30, "no " * 30 + "[PATIENT:a] no [PATIENT:d]" + " no" * 30, 25),
        ("a" + " no" * 20 + " d", "[PATIENT:a]" + " no" * 20 + " d", 13),
        ("a" + " no" * 20 + " d a", "[PATIENT:a]" + " no" * 20 + " [PATIENT:d] [PATIENT:a]", 23),
        (
            "d" + " no" * 40 + " a" + " no" * 40 + " a",
            "d" + " no" * 40 + " [PATIENT:a]" + " no" * 40 + " [PATIENT:a]",
            38,
        ),
    ],
)
def test_the_second_stage_reads_uncertain_words_with_their_context(
    first: Path, second: Path, text: str, expected: str, words_read: int
) -> None:
    # Only the words that the first model knows are uncertain; d is read where it is in their context.
    detector = cascade(first, model=str(second), band=[0.9, 0.999])
    assert marked(detector, text) == expected
    tokens = {path.parent.name: count for path, count in detector.tokens_read.items()}
    stretches = 2 if words_read == 38 else 1
    assert tokens["second"] == words_read + 2 * stretches  # each with its special tokens


class RecordingGate(SecondStageGate):
    """Says that the answer changes the result of texts that hold a word, and records what it was asked."""

    def __init__(self, word: str) -> None:
        super().__init__(MergeSettings(), RecoverSettings(), None)
        object.__setattr__(self, "word", word)
        object.__setattr__(self, "asked", [])

    def changes_result(
        self, name: str, texts: Sequence[str], one: Sequence[Sequence[TextSpan]], other: Sequence[Sequence[TextSpan]]
    ) -> list[bool]:
        assert name == "transformer"
        self.asked.extend((text, list(a), list(b)) for text, a, b in zip(texts, one, other, strict=True))
        return [self.word in text for text in texts]


def test_the_gate_decides_which_uncertain_texts_the_second_stage_reads(first: Path, second: Path) -> None:
    gate = RecordingGate("yes")
    detector = cascade(first, gate, model=str(second), band=[0.001, 0.999])
    assert marked(detector, "a b yes d") == "[PATIENT:a] b yes [PATIENT:d]"
    assert marked(detector, "a b no d") == "[PATIENT:a b] no d"
    assert detector.second_stage_texts == 1
    assert [text for text, _, _ in gate.asked] == ["a b yes d", "a b no d"]
    (_, all_marked, none_marked), _ = gate.asked
    assert (all_marked[0].start, all_marked[-1].end) == (0, 9)  # every word whose probability lies in the band
    assert none_marked == []  # no probability lies above the band


def test_without_the_gate_the_second_stage_reads_every_uncertain_text(first: Path, second: Path) -> None:
    gate = RecordingGate("yes")
    detector = cascade(first, gate, model=str(second), band=[0.001, 0.999], is_gated=False)
    assert marked(detector, "a b no d") == "[PATIENT:a] b no [PATIENT:d]"
    assert detector.second_stage_texts == 1
    assert gate.asked == []


def test_the_first_stage_is_a_detector_of_its_own(first: Path, second: Path) -> None:
    detector = cascade(first, model=str(second), band=[0.001, 0.999])
    assert detector.first_stage.name == "transformer:alone"
    assert marked(detector.first_stage, "a b no d") == "[PATIENT:a b] no d"
    assert detector.first_stage.sha256 == TransformerDetector(settings_of(first)).sha256
    assert not detector.reads_rules  # neither model has rule features


def test_another_gate_chooses_among_the_answers_of_both_stages(first: Path, second: Path) -> None:
    def detector(word: str) -> CascadeDetector:
        return cascade(first, RecordingGate(word), model=str(second), band=[0.001, 0.999])

    texts = ["a b yes d", "a b no d"]
    answers = detector("yes").read(texts)
    other = detector("no")
    chosen = other.choose_again(texts, answers)
    assert chosen[0] == Answer(answers[0].stages.first, answers[0].stages)
    assert chosen[1] is None  # the second-stage model has not read it
    assert other.second_stage_texts == 0
    assert [one.spans for one in chosen[:1]] == [one.spans for one in other.read(texts[:1])]
    assert detector("yes").choose_again(texts[:1], chosen[:1]) == answers[:1]


def test_the_mean_of_two_models(tmp_path: Path) -> None:
    one, two = write_tiny_model(tmp_path / "one"), write_tiny_model(tmp_path / "two", seed=5)
    second = {"model": str(two), "outside_bias": -1, "band": [0, 1], "weight": 0.5}
    settings = settings_of(one, outside_bias=-1, second_stage=second)
    [both] = build_readers([settings])
    together = both.read(TEXTS)
    assert together == [both.read([text])[0] for text in TEXTS]
    alone = [TransformerDetector(settings_of(folder, outside_bias=-1)).read(TEXTS) for folder in (one, two)]
    assert together not in alone


def test_several_models_are_told_apart_by_their_names(first: Path, second: Path) -> None:
    one = TransformerSettings(model=str(first))
    two = TransformerSettings.model_validate(
        {"model": str(second), "name": "names", "second_stage": {"model": str(first)}}
    )
    found = build_readers([one, two])
    assert [(type(r), r.name) for r in found] == [
        (TransformerDetector, "transformer:first"),
        (CascadeDetector, "transformer:names"),
    ]
    assert [r.name for r in build_readers([one])] == ["transformer"]
    with pytest.raises(ValidationError, match="two models have the same name"):
        DetectSettings(transformers=(one, one))


def probabilities(*values: float) -> WordProbabilities:
    """Words of PATIENT probabilities; a span begins at each above one half."""
    count = len(values)
    empty = np.zeros(count, np.uint8)
    positions = np.arange(count, dtype=np.int32)
    words = ShapedWords(positions, positions + 1, empty, empty, np.zeros(count, np.uint32), np.array([0, count]))
    entities = np.zeros((count, len(ENTITIES)), np.float32)
    entities[:, COLUMN[Entity.PATIENT]] = values
    return WordProbabilities(np.array([0]), words, entities, np.array(values) > 0.5)


@pytest.mark.parametrize(
    ("weight", "offset", "expected", "begins"),
    [
        (0.25, 0, [0.7, 0.35, 0.3], [True, False, False]),
        (0.5, 0, [0.5, 0.5, 0.3], [False, True, False]),
        (0.75, 0, [0.3, 0.65, 0.3], [False, True, False]),
        (1, 0, [0.1, 0.8, 0.3], [False, True, False]),
        (1, 1, [0.9, 0.1, 0.8], [True, False, True]),
    ],
)
def test_combining_keeps_the_words_that_the_second_stage_did_not_read(weight, offset, expected, begins):
    first, second = probabilities(0.9, 0.2, 0.3), probabilities(0.1, 0.8)
    found = combine_probabilities(first, second, weight, np.arange(offset, offset + 2))
    assert found.identifier.tolist() == pytest.approx(expected)
    assert found.begins.tolist() == begins
    assert first.identifier.tolist() == pytest.approx([0.9, 0.2, 0.3])  # the argument is left as it was


def changes(text: str, words: str, entity: Entity = Entity.PATIENT, gate: SecondStageGate | None = None) -> bool:
    """Whether it changes the result that ``words`` of ``text`` are ``entity``."""
    start = text.index(words)
    known = gate or SecondStageGate(MergeSettings(), RecoverSettings(), PatternDetector())
    found = [TextSpan(start, start + len(words), entity, 0.6)]
    [one] = known.changes_result("transformer", [text], [found], [NOTHING])
    [other] = known.changes_result("transformer", [text], [NOTHING], [found])
    assert one == other
    return one


@pytest.mark.parametrize(
    ("text", "words", "is_changed"),
    [
        ("Spoke with Okafor about refills.", "Okafor", True),
        ("Okafor called about refills.", "Okafor", False),
        ("Walked four minutes of the Bruce protocol.", "Bruce", False),
        ("Bruce walked four minutes.", "Bruce", True),
        ("Pathology: T2N1M0, margins clear.", "T2N1M0", False),
        ("Seen on 03/14/2021 for cough.", "03/14/2021", False),
        ("Seen on 03/14/2021 for cough, Okafor", "03/14/2021 for cough, Okafor", True),
        ("Stable, discharged.", "Stable,", False),
        ("No cough -- none.", "--", False),
    ],
)
def test_an_answer_that_patterns_or_medical_terms_override_changes_nothing(text, words, is_changed):
    entity = Entity.DATE if words.startswith("03") and len(words) == 10 else Entity.PATIENT
    assert changes(text, words, entity) is is_changed


def test_without_patterns_and_recovery_every_answer_changes_the_result():
    bare = SecondStageGate(MergeSettings(), RecoverSettings(enabled=False), None)
    assert changes("Seen on 03/14/2021 for cough.", "03/14/2021", Entity.DATE, bare)
    assert changes("Walked four minutes of the Bruce protocol.", "Bruce", gate=bare)


def test_another_entity_for_the_same_words_changes_nothing():
    gate = SecondStageGate(MergeSettings(), RecoverSettings(), PatternDetector())
    answers = [[[TextSpan(0, 6, entity, 0.6)]] for entity in (Entity.PATIENT, Entity.PROVIDER)]
    assert gate.changes_result("transformer", ["Okafor called."], *answers) == [False]


def test_many_texts_are_answered_in_order():
    gate = SecondStageGate(MergeSettings(), RecoverSettings(), PatternDetector())
    texts = ["Okafor here.", "", "Bruce protocol", "Okafor here."]
    one = [[TextSpan(0, 6, Entity.PATIENT, 0.6)], [], [TextSpan(0, 5, Entity.PATIENT, 0.6)], []]
    assert gate.changes_result("transformer", texts, one, [NOTHING] * 4) == [True, False, False, False]
