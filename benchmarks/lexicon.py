"""Words a second, build and load time of the lexicon at 10,000 and 1,000,000 terms, on one core.

OMP_NUM_THREADS=1 python benchmarks/lexicon.py [--terms 10000 1000000] [--words 400000]
"""

import argparse
import random
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from deid_tasks.detect.lexicon import LexiconDetector
from deid_tasks.detect.patient import PatientDetector
from deid_tasks.lexicon import Lexicon, LexiconTerm, compile_lexicon, default_lexicon
from deid_tasks.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.reference import read_tsv
from deid_tasks.text import Document

PATIENTS = 500


def name(chance: random.Random) -> str:
    """An invented name."""
    return "".join(chance.choices("abcdefghijklmnoprstuvwyz", k=chance.randint(4, 9))).title()


def rows(count: int) -> Iterator[LexiconTerm]:
    """A third full names, a third providers, a third family names."""
    chance = random.Random(count)
    for number in range(count):
        if number % 3:
            yield LexiconTerm(
                "provider" if number % 3 == 1 else "patient_name", "full", f"{name(chance)} {name(chance)}"
            )
        else:
            yield LexiconTerm("patient_name", "last", name(chance))


def notes(words: int) -> list[Document]:
    """Notes of everyday and medical words, 300 words each, with a name here and there."""
    chance = random.Random(0)
    common = [row["word"] for row in read_tsv("common_words.tsv")]
    weights = [10 ** float(row["zipf"]) for row in read_tsv("common_words.tsv")]
    medical = [row["term"] for row in read_tsv("medical_terms.tsv")]
    documents = []
    for number in range(words // 300):
        text = chance.choices(common, weights, k=270)
        text += [chance.choice(medical) for _ in range(12)] + [name(chance) for _ in range(6)]
        chance.shuffle(text)
        documents.append(Document(str(number), " ".join(text).capitalize() + ".", f"p{number % PATIENTS}"))
    return documents


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The best of some runs."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def main() -> None:
    """Print one line a size, then one for the patient detector."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--terms", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--words", type=int, default=400_000)
    arguments = parser.parse_args()
    documents = notes(arguments.words)
    texts = [document.text for document in documents]
    words = sum(len(text.split()) for text in texts)
    print(f"public lexicon, built in memory: {seconds(lambda: Lexicon.build(()), 1):.2f} s")
    for count in arguments.terms:
        terms = list(rows(count))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder)
            build = seconds(lambda: compile_lexicon(terms, path), 1)  # noqa: B023 - called at once
            load = seconds(lambda: Lexicon.open(path))  # noqa: B023
            size = sum(file.stat().st_size for file in path.rglob("*")) / 1e6
            lexicon = Lexicon.open(path)
            match = seconds(lambda: lexicon.match(lexicon.scan(texts)))  # noqa: B023
            detector = LexiconDetector(lexicon)
            detect = seconds(lambda: detector.detect(documents))  # noqa: B023
        print(
            f"{count:>9,} terms: build {build:.1f} s, {size:.0f} MB, load {load * 1000:.0f} ms, "
            f"match {words / match / 1e6:.2f} M words/s, detect {words / detect / 1e6:.2f} M words/s"
        )
    chance = random.Random(1)
    records = {
        f"p{number}": PatientRecord(
            f"p{number}",
            terms=(
                PatientTerm(TermKind.FIRST, name(chance)),
                PatientTerm(TermKind.LAST, name(chance)),
                PatientTerm(TermKind.PHONE, f"415555{number:04d}"),
                PatientTerm(TermKind.STREET, f"{number + 10} {name(chance)} Street"),
            ),
        )
        for number in range(PATIENTS)
    }
    default_lexicon()
    cold = seconds(lambda: PatientDetector(records).detect(documents), 1)
    warm = PatientDetector(records)
    print(
        f"patient detector: {words / cold / 1e6:.2f} M words/s cold, {words / seconds(lambda: warm.detect(documents)) / 1e6:.2f} warm"
    )
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
