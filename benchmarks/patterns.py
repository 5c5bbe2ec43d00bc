"""Words a second of the pattern detector on one core.

    python benchmarks/patterns.py [notes.jsonl …]

Each line holds ``{"text": …}``. Without files, invented notes are read. Also prints the cost of one long line, which must grow with its length only.
"""

import argparse
import json
import time
from collections import Counter
from pathlib import Path

from deid_tasks.detect.patterns import PatternDetector
from deid_tasks.text import Document

_INVENTED = """Patient Name: Okafor, Maria T   DOB: 4/5/1961   MRN: RH1234567
Ms. Okafor is a 63-year-old woman who comes for follow-up of atrial fibrillation and gout. She was seen on 3/14/2021 by
Dr. Lim at Mercy Hospital. No chest pain, no dyspnoea, no oedema. BP 132/78, pulse 72, O2 sat 98% on room air.
Continue apixaban 5 mg twice daily and allopurinol 100 mg once daily. Return in 3 months; call 617-555-0123 with questions.
Electronically signed by Ana Brandt, MD on 03/14/2021 08:35
"""


def main() -> None:
    """Read, time, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    texts = [json.loads(line)["text"] for path in arguments.files for line in path.open(encoding="utf-8")]
    documents = [Document(str(i), text) for i, text in enumerate(texts or [_INVENTED] * 2_000)]
    detector = PatternDetector()
    detector.detect(documents[:50])
    best = float("inf")
    for _ in range(arguments.repeats):
        begin = time.process_time()
        spans = detector.detect(documents)
        best = min(best, time.process_time() - begin)
    words = sum(len(document.text.split()) for document in documents)
    found = Counter(span.entity.value for one in spans for span in one)
    print(
        f"{len(documents):,} notes, {words:,} words, {sum(found.values()):,} spans: {words / best:,.0f} words/s on one core"
    )
    print("  ".join(f"{entity} {count:,}" for entity, count in found.most_common()))
    line = " ".join(document.text.replace("\n", " ") for document in documents)
    for characters in (100_000, 1_000_000, 10_000_000):
        note = Document("long", (line * (characters // len(line) + 1))[:characters])
        begin = time.process_time()
        detector.detect([note])
        print(f"one line of {characters:>10,} characters: {time.process_time() - begin:6.2f} s")


if __name__ == "__main__":
    main()
