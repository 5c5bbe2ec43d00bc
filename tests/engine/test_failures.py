"""Nothing is swallowed: a note at fault is quarantined with class and code location, any other error fails the shard."""

import io
import json
import logging
from dataclasses import replace

import pytest

from deid_tasks.core.errors import DeidError, LexiconError, ModelError, WarehouseError
from deid_tasks.core.notes import note_batch
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.failures import Failure, WithheldTexts, is_fault_of_note
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.settings import EngineSettings

SECRET = "Marigold Featherstone"
TEXTS = ["No complaints.", f"Seen with {SECRET}, MRN 7654321.", "Lungs clear."]
RULES = EngineSettings.public().model_copy(
    update={"detect": EngineSettings.public().detect.model_copy(update={"detectors": ("patterns",)})}
)


class Failing:
    """A detector that fails on one note as it is told, with the note's text in the message."""

    name = "failing"

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def detect(self, documents):
        for document in documents:
            if SECRET in document.text:
                raise self.error
        return [[] for _ in documents]


@pytest.fixture(scope="module")
def engine():
    return build_engine(RULES, bytes(32))


def run(engine, error, texts=TEXTS, **more):
    context = BatchContext(replace(engine, detectors=(*engine.detectors, Failing(error))))
    batch = note_batch({"note_id": str(number), "text": text} for number, text in enumerate(texts))
    return deidentify(batch, context, **more).to_pylist()


@pytest.mark.parametrize("detect_only", [False, True])
@pytest.mark.parametrize(
    "error",
    [
        ValueError(SECRET),
        RuntimeError(SECRET),
        KeyError(SECRET),
        IndexError(SECRET),
        RecursionError(SECRET),
        AssertionError(SECRET),
        ZeroDivisionError(SECRET),
        UnicodeEncodeError("utf-8", SECRET, 0, 1, SECRET),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_note_at_fault_is_quarantined_alone(engine, error, detect_only):
    rows = run(engine, error, detect_only=detect_only)
    assert [row["outcome"] == "quarantined" for row in rows] == [False, True, False]
    assert (rows[1]["reason"], rows[1]["error_class"]) == ("engine_error", type(error).__name__)
    module, function, line = rows[1]["error_location"].split(":")
    assert (module, function) == ("deid_tasks.engine.pipeline", "run_detectors")
    assert line.isdigit()
    assert [row["error_class"] for row in (rows[0], rows[2])] == [None, None]


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError("disk"),
        FileNotFoundError("missing"),
        ConnectionResetError("gone"),
        TimeoutError("slow"),
        ModuleNotFoundError("torch"),
        SystemError("interpreter"),
        ModelError("damaged"),
        LexiconError("damaged"),
        WarehouseError("down"),
        type("Fail", (RuntimeError,), {"__module__": "onnxruntime.capi.onnxruntime_pybind11_state"})("graph"),
        type("OutOfMemoryError", (RuntimeError,), {"__module__": "torch"})("CUDA"),
        KeyboardInterrupt(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_that_no_note_causes_fails_the_shard(engine, error):
    with pytest.raises(type(error)):
        run(engine, error)


def test_an_error_inside_a_runtime_is_the_machines():
    inside = {"__name__": "torch.nn.functional"}
    exec("def linear():\n    raise RuntimeError('CUDA error')\n", inside)
    with pytest.raises(RuntimeError) as raised:
        inside["linear"]()
    assert not is_fault_of_note(raised.value)


def test_every_obfuscator_failure_is_an_outcome_too(engine, monkeypatch):
    def failing(self, document, *_):
        raise ValueError(document.text)

    monkeypatch.setattr(type(engine.obfuscator), "obfuscate", failing)
    batch = note_batch({"note_id": "1", "text": TEXTS[1]} for _ in range(1))
    [row] = deidentify(batch, BatchContext(engine)).to_pylist()
    assert (row["outcome"], row["error_class"], row["deid_text"]) == ("quarantined", "ValueError", None)
    assert row["error_location"].startswith("deid_tasks.engine.pipeline:_BatchRun._rewrite:")


def test_a_failed_audit_withholds_the_note(engine, monkeypatch):
    def failing(*_):
        raise ValueError(SECRET)

    monkeypatch.setattr("deid_tasks.engine.pipeline.audit", failing)
    batch = note_batch([{"note_id": "1", "text": TEXTS[1]}])
    [row] = deidentify(batch, BatchContext(engine)).to_pylist()
    assert (row["outcome"], row["deid_text"]) == ("quarantined", None)


def test_no_text_reaches_logs_or_results(engine, caplog):
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logging.getLogger("deid_tasks").addHandler(handler)
    try:
        with caplog.at_level(logging.DEBUG):
            rows = run(engine, ValueError(TEXTS[1]))
    finally:
        logging.getLogger("deid_tasks").removeHandler(handler)
    records = [record for record in caplog.records if record.name == "deid_tasks.engine.pipeline"]
    assert [record.getMessage() for record in records] == [
        f"note 1 was quarantined: engine_error (ValueError at {rows[1]['error_location']})"
    ]
    structured = {key: records[0].__dict__[key] for key in ("note_id", "reason", "error_class", "error_location")}
    assert json.loads(json.dumps(structured))["note_id"] == "1"
    printed = caplog.text + stream.getvalue() + json.dumps(rows[1], default=str) + json.dumps(structured)
    for word in ("Marigold", "Featherstone", "7654321"):
        assert word not in printed


def test_the_location_is_the_innermost_frame_of_the_package():
    try:
        json.loads("{")
    except ValueError as error:
        failure = Failure.of(error)
    assert failure.error_class == "json.decoder.JSONDecodeError"
    assert failure.location.startswith("json.decoder:JSONDecoder.raw_decode:")
    assert Failure.of(ValueError("never raised")) == Failure("ValueError", "")


def _quote():
    int(SECRET)


def _quote_in_a_cause():
    try:
        _quote()
    except ValueError:
        raise WarehouseError("the warehouse is down")  # noqa: B904 - the block must drop the cause


def test_a_text_that_may_quote_a_note_is_withheld():
    with pytest.raises(DeidError, match=r"^ValueError at .*test_failures:_quote:") as caught, WithheldTexts():
        _quote()
    assert SECRET not in str(caught.value)
    assert caught.value.__suppress_context__


def test_our_errors_pass_without_their_causes_and_so_do_the_classes_given():
    with pytest.raises(WarehouseError, match="the warehouse is down") as caught, WithheldTexts():
        _quote_in_a_cause()
    assert caught.value.__suppress_context__
    with pytest.raises(ValueError, match=SECRET), WithheldTexts(ValueError):
        _quote()
