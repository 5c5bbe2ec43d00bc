"""What a large language model adds as a judge of uncertain spans, and what it costs.

    python -m benchmarks.detection.judge --settings judge.yaml

It needs an endpoint that speaks OpenAI's chat completions. ``judge.yaml`` holds the keys of the section ``judge``: at
least ``model``, and ``base_url`` unless it is http://127.0.0.1:8000/v1. No figure of it is stored in this repository
before a model has been measured.

The engine reads notes of the ``dev`` world with public resources, with the judge and without it. The proposer is the
same engine with a lower threshold of its model, so that the judge has more to decide. It is the judge that an engine
asks whose settings have this section. Differences are to the engine as shipped, paired by patient, with 95 % bootstrap
intervals.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import yaml
from pydantic import ValidationError

from benchmarks.support.corpora import SCORES, Row, fresh, hospital_rows, score, score_cells
from benchmarks.support.results import parser_of, results
from deid_tasks.core.entities import Category
from deid_tasks.core.span import Span
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.judge import JudgeDecision
from deid_tasks.engine.judge.span_judge import SpanJudge
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import run_detectors
from deid_tasks.engine.resolve import Detection, resolve_batch
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.evidence.evaluate.intervals import Array, Bootstrap
from deid_tasks.settings import EngineSettings, JudgeSettings

_BATCH = 50
_THOUSAND = 1_000


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("--settings", type=Path, help="YAML of the section judge: the endpoint and its model")
    parser.add_argument("--notes", type=int, default=300)
    parser.add_argument("--threshold", type=float, default=0.1, help="of the proposer's model")
    arguments = parser.parse_args()
    if arguments.settings is None:
        parser.error("--settings is missing: the judge needs an endpoint and a model")
    settings = _settings(arguments.settings)
    rows, _ = hospital_rows(arguments.notes)
    rows = rows[: arguments.notes]
    shipped = EngineSettings.public()
    found: dict[str, list[Detection]] = {}
    judges = {"engine": SpanJudge(settings), "proposer": SpanJudge(settings)}
    for name, engine_settings in (("engine", shipped), ("proposer", _with_threshold(shipped, arguments.threshold))):
        found[name], found[f"{name} and judge"] = _find(rows, engine_settings, judges[name])
    spans = {name: [list(one.spans) for one in each] for name, each in found.items()}
    with results("judge", f"{settings.model} as a judge of uncertain spans", arguments) as out:
        out.table(f"Words, {len(rows)} notes", {"engine": "", **SCORES})
        for name, each in spans.items():
            out.add(name, *score_cells(score(rows, each, frozenset(Category))))
        columns = {"to the engine": "", "metric": "", "difference": "+.4f", "low": "+.4f", "high": "+.4f"}
        out.table("Differences", columns)
        for row in _differences(rows, spans):
            out.add(*row)
        columns = dict.fromkeys(("asked", "kept in the text", "failed", "requests", "tokens in", "tokens out"), ",.0f")
        out.table("Of 1,000 notes", {"engine": "", **columns, "dollars": ".2f"})
        for name, judge in judges.items():
            decided = [one.decision for each in found[f"{name} and judge"] for one in each.judged]
            usage = judge.usage
            tokens = (usage.tokens_in, usage.tokens_out) if usage.is_counted else (None, None)
            counts = (len(decided), decided.count(JudgeDecision.KEPT), decided.count(JudgeDecision.FAILED))
            values = (*counts, usage.requests, *tokens, usage.dollars(settings))
            out.add(name, *(None if value is None else value * _THOUSAND / len(rows) for value in values))


def _settings(path: Path) -> JudgeSettings:
    try:
        return JudgeSettings.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise SystemExit(f"{path}: {error}") from None


def _with_threshold(settings: EngineSettings, threshold: float) -> EngineSettings:
    models = tuple(one.model_copy(update={"threshold": threshold}) for one in settings.detect.transformers)
    return settings.model_copy(update={"detect": settings.detect.model_copy(update={"transformers": models})})


def _find(rows: Sequence[Row], settings: EngineSettings, judge: SpanJudge) -> tuple[list[Detection], list[Detection]]:
    """Return what an engine finds in each note without the judge and with it; the models read once."""
    engine = build_engine(settings)
    judged = replace(engine, judge=judge)
    without: list[Detection] = []
    with_judge: list[Detection] = []
    for first in range(0, len(rows), _BATCH):
        documents = fresh([row.document for row in rows[first : first + _BATCH]])
        spans = run_detectors(documents, BatchContext(engine))
        without += resolve_batch(documents, spans, engine)
        with_judge += resolve_batch(documents, spans, judged)
    return without, with_judge


def _differences(rows: Sequence[Row], found: dict[str, list[list[Span]]]) -> list[tuple[str, str, float, float, float]]:
    """Return the paired differences of recall and precision to the first system."""
    patients = sorted({row.document.patient_id or row.group for row in rows})
    index = {patient: number for number, patient in enumerate(patients)}
    table: Array = np.zeros((len(patients), len(found), 4))
    for column, spans in enumerate(found.values()):
        for row, one in zip(rows, spans, strict=True):
            words = split_words(row.document.text)
            gold, marked = mark_words(words, row.gold).keys(), mark_words(words, one).keys()
            correct = len(gold & marked)
            table[index[row.document.patient_id or row.group], column] += (correct, len(gold), correct, len(marked))
    bootstrap = Bootstrap(table, _THOUSAND)
    sums = table.sum(axis=0)
    differences = []
    for column, name in enumerate(found):
        if column == 0:
            continue
        for metric, (part, whole) in {"recall": (0, 1), "precision": (2, 3)}.items():
            value = sums[column, part] / sums[column, whole] - sums[0, part] / sums[0, whole]
            interval = bootstrap.difference(column, 0, metric, 0.95)
            differences.append((name, metric, float(value), interval.lower, interval.upper))
    return differences


if __name__ == "__main__":
    main()
