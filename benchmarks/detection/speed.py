"""Speed and memory of the engine, beside the figures that are required of it. ``benchmarks.detection.comparison`` has
other systems beside it.

    OMP_NUM_THREADS=1 python -m benchmarks.detection.speed            # the whole table: about 15 minutes of one core
    OMP_NUM_THREADS=1 python -m benchmarks.detection.speed --quick    # a tenth of every amount
    … --only path lexicon                                             # some rows

Speeds are words between blanks per second of processor time of one process, the best of some runs. Every row runs in a
process of its own, so that peak memory is that row's. Two processes are compared by the clock, only if nothing else
runs, and beside two bare loops: two hyperthreads of one core are not two cores.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.support.corpora import count_words, fresh, hospital_rows, invented_terms, without_repeats
from benchmarks.support.results import parser_of, results
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.detect.inclusion import InclusionList
from deid_tasks.engine.detect.lexicon_detector import LexiconDetector
from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.lexicon import Lexicon, compile_lexicon, default_lexicon
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import find_identifiers
from deid_tasks.engine.text import Document
from deid_tasks.settings import EngineSettings

Figures = dict[str, Any]
BATCH = 500
"""Notes of one batch, as runs and commands read them."""


def cpu(work: Callable[[], object], repeats: int = 3) -> float:
    """Return the processor seconds of the fastest run."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def run_all(documents: Sequence[Document], context: BatchContext) -> None:
    """Detect in batches, as a worker does; documents start with nothing computed."""
    for first in range(0, len(documents), BATCH):
        find_identifiers(fresh(documents[first : first + BATCH]), context)


def compiled(terms: int, folder: Path) -> Lexicon:
    """Return the lexicon of ``terms`` invented rows."""
    return compile_lexicon(invented_terms(terms), folder / str(terms))


def dictionary_engine(lexicon: Lexicon) -> EngineParts:
    """Return an engine without a neural network."""
    settings = EngineSettings.public()
    detectors = (PatternDetector(), LexiconDetector(lexicon))
    return EngineParts(detectors, lexicon, None, settings.merge, settings.recover, 10**9, "")


def path(scale: float) -> Figures:
    """Measure patterns, lexicon, patient lexicon, merge and recovery together."""
    rows, records = hospital_rows(int(2_000 * scale))
    documents = [row.document for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        context = BatchContext(dictionary_engine(compiled(int(1_000_000 * scale), Path(folder))), records)
        run_all(documents[:BATCH], context)
        seconds = cpu(lambda: run_all(documents, context))
    return {"patterns + lexicon + patient + recovery, words per core-second": count_words(documents) / seconds}


def lexicon(scale: float) -> Figures:
    """Measure the lexicon alone at three sizes; the sizes take turns, so that other load affects all of them."""
    rows, _ = hospital_rows(int(2_000 * scale))
    documents = [row.document for row in rows]
    words = count_words(documents)
    sizes = [int(size * scale) for size in (10_000, 1_000_000, 10_000_000)]
    with tempfile.TemporaryDirectory() as folder:
        found = {size: LexiconDetector(compiled(size, Path(folder))) for size in sizes}
        best = dict.fromkeys(sizes, float("inf"))
        for _ in range(5):
            for size, detector in found.items():
                best[size] = min(best[size], cpu(lambda: detector.detect(documents), 1))  # noqa: B023 - called before the loop goes on
    small, middle, large = (words / best[size] for size in sizes)
    return {
        f"lexicon, {sizes[1]:,} terms, words per core-second": middle,
        f"lexicon, {sizes[2]:,} terms against {sizes[0]:,}, times": large / small,
    }


def build(scale: float) -> Figures:
    """Measure compiling, without the time of reading the rows, and opening as a worker does."""
    terms = int(5_000_000 * scale)
    reading = cpu(lambda: sum(1 for _ in invented_terms(terms)), 1)
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        compiled(terms, Path(folder))
        seconds = time.process_time() - began - reading
        opening = cpu(lambda: Lexicon.open(Path(folder) / str(terms)))
        size = sum(file.stat().st_size for file in Path(folder).rglob("*"))
        opened = Lexicon.open(Path(folder) / str(terms))
        private = _private_bytes(Path(folder))
        del opened
    return {
        f"lexicon build, {terms:,} terms, core-seconds": seconds,
        f"lexicon build, {terms:,} terms, peak MB": peak_mb(),
        f"lexicon load, {size / 1e6:,.0f} MB, core-seconds": opening,
        "lexicon load, MB that are not shared": private / 1e6,
    }


def _private_bytes(folder: Path) -> int:
    """Return the bytes of the mapped files that are private copies of this process and cannot be shared."""
    private, is_inside = 0, False
    for line in Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines():
        fields = line.split()
        if "-" in fields[0] and not fields[0].endswith(":"):
            is_inside = str(folder) in line
        elif is_inside and fields[0] == "Anonymous:":
            private += int(fields[1]) * 1_024
    return private


def ensemble(scale: float) -> Figures:
    """Measure the whole engine on text in which no sentence repeats, then on notes that repeat sentences as usual."""
    rows, records = hospital_rows(int(600 * scale))
    documents = without_repeats(rows)
    engine = build_engine(EngineSettings.public())
    context = BatchContext(engine, records)
    run_all(documents[:5], context)
    once = count_words(documents) / cpu(lambda: run_all(documents, context), 1)
    with_cache = engine_with_cache(engine, [row.document for row in rows])
    rows_after, records_after = hospital_rows(int(1_200 * scale))
    after = [row.document for row in rows_after[len(rows) :]]
    return {
        "full ensemble, no sentence repeated, words per core-second": once,
        "full ensemble, hospital with inclusion list and cache, times that": count_words(after)
        / cpu(lambda: run_all(after, BatchContext(with_cache, records_after)), 1)
        / once,
    }


def engine_with_cache(engine: EngineParts, seen: Sequence[Document]) -> EngineParts:
    """Return the engine with sentences of ten or more patients on its inclusion list, and ``seen`` in its cache."""
    from dataclasses import replace

    from deid_tasks.engine.detect.sentence_cache import SentenceCache

    patients: dict[str, set[str | None]] = {}
    for document in seen:
        for a, b in document.sentences:
            patients.setdefault(document.text[a:b], set()).add(document.patient_id)
    common = [text for text, whose in patients.items() if len(whose) >= 10]
    inclusion = InclusionList.of(bytes(32), common)
    folder = tempfile.mkdtemp(prefix="bench-")
    cache = SentenceCache(Path(folder) / "cache.sqlite", bytes(32), "1", 1_000_000_000)
    detectors = tuple(
        SentenceDetector(one.reader, inclusion, cache) if isinstance(one, SentenceDetector) else one
        for one in engine.detectors
    )
    made = replace(engine, detectors=detectors)
    run_all(seen, BatchContext(made))
    return made


def memory(scale: float) -> Figures:
    """Measure memory over many short notes, each a sentence with its own numbers: automata grow with text."""
    count = int(1_000_000 * scale)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "notes.jsonl"
        rows, _ = hospital_rows(2_000)
        sentences = [row.document.text[a:b] for row in rows for a, b in row.document.sentences]
        with source.open("w", encoding="utf-8") as file:
            for number in range(count):
                date = f"{1 + number % 12}/{1 + number % 28}/2021"
                text = f"{sentences[number % len(sentences)]}\nMRN {number:07d}, seen {date}."
                file.write(json.dumps({"id": str(number), "text": text}) + "\n")
        few, many = (float(_wait([_start("stream", one, source)])[0]) for one in (10_000, count))
    return {
        f"peak memory, {count:,} notes against 10,000, times": many / few,
        "peak memory, 10,000 notes, MB": few,
    }


def stream(count: int, source: Path) -> float:
    """Return the peak MB of a process that takes ``count`` notes through detection to JSON, without a model."""
    from deid_tasks.cli.jsonl import Problems, read_lines
    from deid_tasks.evidence.annotation.formats.jsonl import span_record

    context = BatchContext(dictionary_engine(default_lexicon()))
    lines = islice(read_lines(source, Problems()), count)
    with tempfile.TemporaryFile("w", encoding="utf-8") as target:
        while batch := list(islice(lines, BATCH)):
            documents = [Document(line.note_id, line.text) for line in batch]
            for document, found in zip(documents, find_identifiers(documents, context), strict=True):
                record = {"id": document.note_id, "spans": [span_record(one) for one in found.spans]}
                target.write(json.dumps(record) + "\n")
    return peak_mb()


def pair(scale: float) -> Figures:
    """Measure two concurrent workers against one, by the clock; and two bare loops, the limit of the machine."""
    busy = _busy()
    if busy > 0.1:
        return {f"two processes against one: not measured, other processes use {busy:.0%} of the machine": float("nan")}
    return {
        "two processes against one, times": _together("work", scale),
        "two bare loops against one, times": _together("spin", scale),
    }


def _together(part: str, scale: float) -> float:
    begun = time.perf_counter()
    _wait([_start(part, scale)])
    one = time.perf_counter() - begun
    begun = time.perf_counter()
    _wait([_start(part, scale), _start(part, scale)])
    return 2 * one / (time.perf_counter() - begun)


def _busy(seconds: float = 2.0) -> float:
    """Return the share of all cores' time that is in use."""

    def times() -> tuple[int, int]:
        fields = [int(one) for one in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
        return sum(fields), fields[3] + fields[4]

    total, idle = times()
    time.sleep(seconds)
    after, idle_after = times()
    return 1 - (idle_after - idle) / max(1, after - total)


def spin(scale: float) -> Figures:
    """Run a loop in a processor's registers and cache."""
    value = 1
    for _ in range(int(60_000_000 * scale)):
        value = value * 6_364_136_223_846_793_005 & 0xFFFFFFFF | 1
    return {}


def work(scale: float) -> Figures:
    """Do the work of one process in ``pair``."""
    rows, records = hospital_rows(int(2_000 * scale))
    context = BatchContext(dictionary_engine(default_lexicon()), records)
    for _ in range(5):
        run_all([row.document for row in rows], context)
    return {}


def peak_mb() -> float:
    """Return the peak memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024


def _start(part: str, argument: float, source: Path | None = None) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "benchmarks.detection.speed", "--part", part, "--argument", str(argument)]
    if source:
        command += ["--source", str(source)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _wait(processes: list["subprocess.Popen[str]"]) -> list[str]:
    outputs = [process.communicate()[0] for process in processes]
    if any(process.returncode for process in processes):
        raise SystemExit("a part of the benchmark failed; its error is above")
    return [output.strip().splitlines()[-1] for output in outputs]


PARTS: dict[str, Callable[[float], Figures]] = {
    "path": path,
    "lexicon": lexicon,
    "build": build,
    "ensemble": ensemble,
    "memory": memory,
    "pair": pair,
}
REQUIRED = {
    "patterns + lexicon + patient": ("≥ 100,000", "500,000"),
    "terms, words per core-second": ("≥ 1,000,000", "3,000,000"),
    "terms against": ("≥ 0.6", "0.9"),
    "terms, core-seconds": ("≤ 60", "15"),
    "terms, peak MB": ("≤ 2,000", "1,000"),
    "MB, core-seconds": ("≤ 1", "0.1"),
    "no sentence repeated": ("≥ 4,000", "8,000"),
    "inclusion list and cache": ("≥ 3", "6"),
    "notes against": ("1", ""),
    "two processes": ("≥ 1.9", ""),
}
"""The required and the desired value by a part of the row's title."""


def main() -> None:
    """Run the chosen rows."""
    parser = parser_of(__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of every amount")
    parser.add_argument("--only", nargs="*", choices=[*PARTS])
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("--argument", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--source", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part:
        parts: dict[str, Callable[..., Any]] = {
            **PARTS,
            "work": work,
            "spin": spin,
            "stream": lambda count: stream(int(count), arguments.source),
        }
        print(json.dumps(parts[arguments.part](arguments.argument)))
        return
    with results("detection-speed", "Speed and memory of the engine", arguments) as out:
        scale = 0.1 if arguments.quick else 1.0
        out.table(f"EngineParts, scale {scale:g}", {"what": "", "measured": ",.10g", "required": "", "aim": ""})
        for name in arguments.only or PARTS:
            for what, value in json.loads(_wait([_start(name, scale)])[0]).items():
                required, aim = next((bounds for key, bounds in REQUIRED.items() if key in what), ("", ""))
                out.add(what, round(value) if abs(value) >= 1_000 else value, required, aim)


if __name__ == "__main__":
    main()
