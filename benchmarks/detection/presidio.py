"""The engine and Microsoft Presidio on the same notes, in turns: words per second of processor time, recall and
precision.

``benchmarks.detection.speed --peer`` runs it.
"""

import json
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.support.corpora import OPEN_SETS, Row, count_words, fresh, hospital_rows, open_set_rows, score
from benchmarks.support.results import Results
from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import find_identifiers
from deid_tasks.settings import EngineSettings

BLOCK = 20
PRESIDIO: dict[str, Entity | None] = {
    "PERSON": Entity.PATIENT,
    "LOCATION": Entity.CITY,
    "ORGANIZATION": Entity.ORGANIZATION,
    "DATE_TIME": Entity.DATE,
    "PHONE_NUMBER": Entity.PHONE,
    "EMAIL_ADDRESS": Entity.EMAIL,
    "URL": Entity.URL,
    "IP_ADDRESS": Entity.IP,
    "US_SSN": Entity.SSN,
    "MEDICAL_LICENSE": Entity.LICENSE,
    "US_DRIVER_LICENSE": Entity.LICENSE,
    "US_BANK_NUMBER": Entity.ACCOUNT,
    "CREDIT_CARD": Entity.ACCOUNT,
    "NRP": None,
}
"""Our entity by Presidio's; every other of its entities is another identifier."""
MIN_SCORE = 0.35
"""The minimum score of Presidio's spans: numbers without context score less."""


class Peer:
    """A Presidio process."""

    def __init__(self, python: Path, model: str) -> None:
        script = Path(__file__).parent / "peer" / "presidio_process.py"
        self._process = subprocess.Popen(
            [str(python), str(script), model], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        if self._answer() != "ready":
            raise SystemExit(
                f"{python} could not start Presidio with {model}; see benchmarks/detection/peer/presidio_process.py"
            )

    def read(self, texts: list[str]) -> tuple[float, list[list[Span]]]:
        """Return processor seconds, and the spans of each text."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(texts) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._answer())
        return answer["seconds"], [
            [
                Span(start, end, entity, "presidio", score)
                for start, end, kind, score in spans
                if score >= MIN_SCORE and (entity := PRESIDIO.get(kind, Entity.OTHER_ID)) is not None
            ]
            for spans in answer["spans"]
        ]

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def compare(out: Results, python: Path, model: str, corpora: Path | None, most: int) -> None:
    """Add a row for each set and engine.

    Args:
        out: Where the table is added.
        python: The Python of Presidio's virtual environment.
        model: Its spaCy model.
        corpora: The folder of the open sets; ``None`` for the dev world alone.
        most: How many documents of each set are read.
    """
    engines = {name: BatchContext(engine) for name, engine in _own_engines().items()}
    rows, _ = hospital_rows(most)
    sets: dict[str, tuple[list[Row], frozenset[Category]]] = {"dev world": (rows, frozenset(Category))}
    for name, categories in OPEN_SETS.items() if corpora else ():
        assert corpora is not None
        sets[name] = (open_set_rows(corpora / f"{name}.jsonl")[:most], categories)
    peer = Peer(python, model)
    columns = {"recall": ".3f", "precision": ".3f", "words per core-second": ",.0f", "times Presidio": ",.1f"}
    out.table(
        f"Beside Presidio with {Path(model).name}, in turns of {BLOCK} documents", {"set": "", "engine": "", **columns}
    )
    warm_up = [row.document for row in rows[:BLOCK]]
    for context in engines.values():
        find_identifiers(fresh(warm_up), context)
    peer.read([document.text for document in warm_up])
    for title, (rows, categories) in sets.items():
        seconds, found = _read_in_turns(rows, engines, peer)
        words = count_words([row.document for row in rows])
        for name, spans in found.items():
            scores = score(rows, spans, categories)
            speeds = words / seconds[name], seconds["Presidio"] / seconds[name]
            out.add(title, name, scores.recall, scores.precision, *speeds)
    peer.close()


def _own_engines() -> dict[str, EngineParts]:
    settings = EngineSettings.public()
    rules = settings.detect.model_copy(update={"detectors": ("patterns",)})
    return {
        "Palimpsest, public resources": build_engine(settings),
        "Palimpsest, without a neural network": build_engine(settings.model_copy(update={"detect": rules})),
    }


def _read_in_turns(
    rows: Sequence[Row], engines: Mapping[str, BatchContext], peer: Peer
) -> tuple[dict[str, float], dict[str, list[list[Span]]]]:
    """Return processor seconds, and the spans of each document, by engine."""
    seconds = dict.fromkeys([*engines, "Presidio"], 0.0)
    found: dict[str, list[list[Span]]] = {name: [] for name in seconds}
    for first in range(0, len(rows), BLOCK):
        block = [row.document for row in rows[first : first + BLOCK]]
        for name, context in engines.items():
            documents = fresh(block)
            began = time.process_time()
            detections = find_identifiers(documents, context)
            seconds[name] += time.process_time() - began
            found[name] += [list(one.spans) for one in detections]
        taken, spans = peer.read([document.text for document in block])
        seconds["Presidio"] += taken
        found["Presidio"] += [sorted(one) for one in spans]
    return seconds, found
