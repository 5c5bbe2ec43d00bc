"""The neural detector: what it finds, where, and that nothing but the sentence decides it."""

import json
import random
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import ModelError
from deid_tasks.core.span import check_spans
from deid_tasks.engine.detect.onnx_runner import OnnxRunner
from deid_tasks.engine.detect.token_model import TokenModel
from deid_tasks.engine.detect.transformer import TransformerDetector
from deid_tasks.engine.detect.window import Windows
from deid_tasks.engine.text import Document
from deid_tasks.settings import ModelSettings, TransformerSettings
from tests.support.tiny_model import write_lookup_model, write_tiny_model

MARKUP = re.compile(r"\[([A-Z_]+):([^\]]+)\]")


@pytest.fixture(scope="session")
def shipped() -> TransformerDetector:
    return TransformerDetector(TransformerSettings())


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny"))


def detector(folder: Path, **changes: object) -> TransformerDetector:
    return TransformerDetector(TransformerSettings.model_validate({"model": str(folder), **changes}))


def marked(detector: TransformerDetector, text: str) -> str:
    """``text`` with the spans found written into it."""
    for span in reversed(detector.detect([Document("n", text)])[0]):
        text = f"{text[: span.start]}[{span.entity}:{text[span.start : span.end]}]{text[span.end :]}"
    return text


@pytest.mark.parametrize(
    "text",
    [
        "Seen by Dr. [PROVIDER:Okonjo] on [DATE:3/14/2021].",
        "Her daughter [RELATIVE:Marisela] called from [PHONE:(617) 555-0143].",
        "Pt is a [AGE:54] yo man with chest pain.",
        "MRN: [MRN:48213377]",
        "No fever, chills or cough.",
        "BP 132/78, HR 88, T 98.6",
        "Bruce protocol, Foley in place, Crohn's disease stable on Lipitor 40 mg.",
    ],
)
def test_shipped_model_reads_plain_cases(shipped: TransformerDetector, text: str) -> None:
    assert marked(shipped, MARKUP.sub(r"\2", text)) == text


def test_offsets_are_code_points(shipped: TransformerDetector) -> None:
    text = "Μεταφορά 🚑🚑 — İzmir’den. Seen by Dr. Ñúñez-Łoś on 3/14/2021, cafe\u0301."
    spans = shipped.detect([Document("n", text)])[0]
    check_spans(spans, len(text))
    assert "3/14/2021" in {text[span.start : span.end] for span in spans}
    assert any("Ñúñez" in text[span.start : span.end] for span in spans)


NOTES = [
    "PT seen by Dr. Okafor on 3/14.\n\nNo fever.",
    "no fever, no cough; dr ames to see.",
    "No fever.\nNo fever.\n\nA: b c d.",
    "x" * 40 + " seen by " + "12 " * 60,
    "",
    "   \n ",
    "DOB:4/5/61Sex:M MRN:123",
]


def test_same_spans_whatever_stands_beside(tiny: Path) -> None:
    documents = [Document(str(i), text) for i, text in enumerate(NOTES)]
    alone = [detector(tiny).detect([document])[0] for document in documents]
    assert any(alone), "a test of nothing"
    assert detector(tiny).detect(documents) == alone
    assert detector(tiny, threads=3, batch_word_pieces=40).detect(documents) == alone
    order = list(range(len(documents)))
    random.Random(3).shuffle(order)
    assert detector(tiny).detect([documents[i] for i in order]) == [alone[i] for i in order]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(alphabet="abzAZ019 .,/\n-éß漢", max_size=60), min_size=1, max_size=6))
def test_any_text_gives_valid_spans_that_do_not_depend_on_the_batch(tiny: Path, texts: list[str]) -> None:
    model = _once(tiny)
    together = model.detect([Document(str(i), text) for i, text in enumerate(texts)])
    for text, spans in zip(texts, together, strict=True):
        check_spans(spans, len(text))
        assert model.detect([Document("n", text)])[0] == spans


_CACHE: dict[Path, TransformerDetector] = {}


def _once(folder: Path) -> TransformerDetector:
    return _CACHE.setdefault(folder, detector(folder))


def test_shipped_model_is_batch_invariant(shipped: TransformerDetector) -> None:
    documents = [
        Document(str(i), f"{text} Seen by Dr. Adeyemi{'!' * i} on 4/{i + 1}/19.") for i, text in enumerate(NOTES)
    ]
    assert shipped.detect(documents) == [shipped.detect([document])[0] for document in documents]


def test_each_distinct_sentence_is_read_once(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    logits = TokenModel.logits
    monkeypatch.setattr(TokenModel, "logits", lambda self, windows: read.append(len(windows)) or logits(self, windows))
    found = detector(tiny).detect([Document(str(i), "No fever.\n\nSeen by dr ames.\n\nNo fever.") for i in range(5)])
    assert read == [2]
    assert all(spans == found[0] for spans in found)


def test_long_sentence_is_read_to_its_end(shipped: TransformerDetector) -> None:
    filler = "the lungs are clear and the abdomen is soft and " * 30
    text = f"{filler}she was seen by Dr. Okonjo on 3/14/2021 {filler}and by Dr. Marchetti on 4/15/2021"
    found = {text[span.start : span.end] for span in shipped.detect([Document("n", text)])[0]}
    assert {"Okonjo", "3/14/2021", "Marchetti", "4/15/2021"} <= found


def test_a_lower_outside_bias_finds_more(tiny: Path) -> None:
    documents = [Document(str(i), text) for i, text in enumerate(NOTES)]

    def covered(bias: float) -> int:
        return sum(len(span) for spans in detector(tiny, outside_bias=bias).detect(documents) for span in spans)

    assert covered(10) < covered(0) < covered(-10)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: (f / "model.onnx").write_bytes((f / "model.onnx").read_bytes()[:-9] + b"\0" * 9),
        "model.onnx is damaged"),
        (lambda f: (f / "tokenizer.json").write_text("{}"), "tokenizer.json is damaged"),
        (lambda f: (f / "config.json").write_text("{"), "is not JSON"),
        (lambda f: (f / "config.json").write_text("{}"), "no id2label"),
        (lambda f: (f / "tokenizer.json").unlink(), "tokenizer.json missing"),
        (lambda f: (f / "model.onnx").rename(f / "pytorch_model.bin"), "pytorch_model.bin may run code"),
        (lambda f: _relabel(f, {"0": "O", "1": "B-DRAGON"}), "label 'DRAGON' is not known"),
        (
            lambda f: _relabel(f, {"0": "O", "1": "B-WARD"}, palimpsest={"labels": {"WARD": "HOSPITAL"}}),
            "palimpsest.labels.: 'WARD' is mapped to 'HOSPITAL', which is not an entity",
        ),
    ],
)  # fmt: skip
def test_what_is_not_sound_is_refused(tiny: Path, tmp_path: Path, damage: object, message: str) -> None:
    folder = shutil.copytree(tiny, tmp_path / "model")
    damage(folder)  # type: ignore[operator]
    with pytest.raises(ModelError, match=message):
        detector(folder)


def test_an_unknown_name_lists_what_ships() -> None:
    with pytest.raises(ModelError, match=r"no model 'nothing'.*minilm"):
        TransformerDetector(TransformerSettings(model="nothing"))


def _relabel(folder: Path, labels: dict[str, str], **more: object) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "id2label": labels, **more}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pt a b.", "pt [PATIENT:a b]."),
        ("pt a a.", "pt [PATIENT:a] [PATIENT:a]."),
        ("a c", "[PATIENT:a] [FACILITY:c]"),
        ("no d", "no d"),
        ("b/b", "[PATIENT:b/b]"),
        ("no. b, no", "no. [PATIENT:b], no"),
    ],
)
def test_another_tools_export_with_bio_labels(tmp_path: Path, text: str, expected: str) -> None:
    labels = ["O", "B-PER", "I-PER", "B-HOSPITAL", "B-MISC"]
    says = {"a": "B-PER", "b": "I-PER", "c": "B-HOSPITAL", "d": "B-MISC"}
    model = detector(write_lookup_model(tmp_path / "export", labels, says))
    assert marked(model, text) == expected


def test_float_models_are_batched_and_give_the_same(tmp_path: Path) -> None:
    folder = write_tiny_model(tmp_path, is_quantised=False)
    assert not OnnxRunner(folder / "model.onnx", 0, ModelSettings()).reads_alone
    documents = [Document(str(i), text) for i, text in enumerate(NOTES)]
    alone = [detector(folder).detect([document])[0] for document in documents]
    assert any(alone)
    for pieces in (1, 40, 200):
        assert detector(folder, batch_word_pieces=pieces).detect(documents) == alone


def test_a_failure_of_the_runtime_is_not_a_notes(tiny: Path) -> None:
    class Broken:
        def run(self, outputs: object, feed: object) -> None:
            raise RuntimeError("out of memory")

    runner = OnnxRunner(tiny / "model.onnx", 0, ModelSettings())
    runner._session = Broken()
    windows = Windows(*(np.zeros(3, np.int64) for _ in range(3)), bounds=np.array([0, 3]))
    with pytest.raises(ModelError, match=r"onnxruntime failed \(RuntimeError\)"):
        runner.logits(windows)


def test_the_hash_follows_the_files(tiny: Path, tmp_path: Path) -> None:
    other = write_tiny_model(tmp_path, seed=1)
    assert detector(tiny).sha256 == detector(tiny).sha256 != detector(other).sha256


def test_every_entity_has_an_output_in_the_shipped_model(shipped: TransformerDetector) -> None:
    labels = TokenModel(Path(__file__).parents[3] / "deid_tasks" / "models" / "minilm", ModelSettings()).labels
    assert {label.entity for label in labels if label.entity} == set(Entity)
