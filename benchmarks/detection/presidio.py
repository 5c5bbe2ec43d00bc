"""The engine and Microsoft Presidio on the same notes, block by block in turns: words a second of processor time, and how right each is."""

import json
import subprocess
import time
from pathlib import Path

from benchmarks.support.corpora import OPEN_SETS, Row, fresh, hospital, open_set, score, words_of
from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.parts import BatchContext
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
"""What its entities are among ours; other numbers are identifiers of another kind."""
SCORE = 0.35
"""Presidio's documentation asks for a threshold; below this lie its context-free guesses at numbers."""


class Peer:
    """A Presidio process."""

    def __init__(self, python: Path, model: str) -> None:
        script = Path(__file__).parent / "peer" / "presidio_process.py"
        self._process = subprocess.Popen(
            [str(python), str(script), model], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        if self._answer() != "ready":
            raise SystemExit(f"{python} could not start Presidio with {model}: see benchmarks/peer/presidio.py")

    def read(self, texts: list[str]) -> tuple[float, list[list[Span]]]:
        """Processor seconds and spans of each text."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(texts) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._answer())
        return answer["seconds"], [
            [
                Span(start, end, entity, "presidio", score)
                for start, end, kind, score in spans
                if score >= SCORE and (entity := PRESIDIO.get(kind, Entity.OTHER_ID)) is not None
            ]
            for spans in answer["spans"]
        ]

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def compare(python: Path, model: str, corpora: Path | None, most: int) -> None:
    """Print one line a set and engine."""
    settings = EngineSettings.public()
    full = build_engine(settings)
    rules = settings.detect.model_copy(update={"detectors": ("patterns",)})
    ours = {
        "Palimpsest, public resources": BatchContext(full),
        "Palimpsest, without a neural network": BatchContext(
            build_engine(settings.model_copy(update={"detect": rules}))
        ),
    }
    sets: dict[str, tuple[list[Row], frozenset[Category]]] = {"dev world": (hospital(most)[0], frozenset(Category))}
    for name, categories in OPEN_SETS.items() if corpora else ():
        assert corpora is not None
        sets[name] = (open_set(corpora / f"{name}.jsonl")[:most], categories)
    peer = Peer(python, model)
    print(
        f"\nBeside Presidio with {Path(model).name}, in turns of {BLOCK} documents:\n"
        "| set | engine | word recall | word precision | words per core-second | times Presidio |\n|---|---|---|---|---|---|"
    )
    warm = [row.document for row in hospital(most)[0][:BLOCK]]
    for context in ours.values():
        find_identifiers(fresh(warm), context)
    peer.read([document.text for document in warm])
    for title, (rows, categories) in sets.items():
        seconds = dict.fromkeys([*ours, "Presidio"], 0.0)
        found: dict[str, list[list[Span]]] = {name: [] for name in seconds}
        for first in range(0, len(rows), BLOCK):
            block = [row.document for row in rows[first : first + BLOCK]]
            for name, context in ours.items():
                documents = fresh(block)
                began = time.process_time()
                detections = find_identifiers(documents, context)
                seconds[name] += time.process_time() - began
                found[name] += [list(one.spans) for one in detections]
            taken, spans = peer.read([document.text for document in block])
            seconds["Presidio"] += taken
            found["Presidio"] += [sorted(one) for one in spans]
        words = words_of([row.document for row in rows])
        for name, spans_of in found.items():
            evaluation = score(rows, spans_of, categories)
            print(
                f"| {title} | {name} | {evaluation.recall:.3f} | {evaluation.precision:.3f} | {words / seconds[name]:,.0f} |"
                f" {seconds['Presidio'] / seconds[name]:,.1f} |",
                flush=True,
            )
    peer.close()
