"""Recall and precision of the default engine on public resources, on external notes and on open data sets.

    python -m benchmarks.detection.external_notes                    # about 1 minute of one core
    python -m benchmarks.detection.external_notes --corpora FOLDER   # also the open sets, about 5 minutes

The external notes (benchmarks/external_notes) are in many styles that no training saw. Their sets ``read`` to
``read_10`` hold notes whose errors were read, and rules written after them; of the sets ``blind`` to ``blind_4``
only scores were looked at.
Intervals are 95 % bootstraps over notes, over templates if a set has them.
"""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.support.corpora import OPEN_SETS, SCORES, Row, open_set_rows, score, score_cells
from benchmarks.support.external_notes import SETS, external_notes
from benchmarks.support.results import parser_of, results
from deid_tasks.core.entities import Category
from deid_tasks.core.span import Span
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import find_identifiers
from deid_tasks.engine.text import Document
from deid_tasks.settings import EngineSettings

_BATCH = 100


def sets(corpora: Path | None) -> Iterator[tuple[str, list[Row], frozenset[Category]]]:
    """Yield name, documents and annotated categories of each set."""
    for name in SETS:
        notes = external_notes(name)
        rows = [Row(Document(n.note_id, n.text), list(n.spans), [], n.note_id) for n in notes]
        yield f"external, {name}", rows, frozenset(Category)
    for name, categories in OPEN_SETS.items() if corpora else ():
        assert corpora is not None
        yield name, open_set_rows(corpora / f"{name}.jsonl"), categories


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("--corpora", type=Path, help="folder of the open sets")
    arguments = parser.parse_args()
    context = BatchContext(build_engine(EngineSettings.public()))
    with results("external-notes", "The default engine on public resources", arguments) as out:
        columns = {"set": "", "documents": ",d", "words": ",d", **SCORES, "missed": ",d", "wrong": ",d"}
        out.table("External notes and open sets", columns)
        for name, rows, categories in sets(arguments.corpora):
            found: list[list[Span]] = []
            for first in range(0, len(rows), _BATCH):
                documents = [row.document for row in rows[first : first + _BATCH]]
                found += [list(one.spans) for one in find_identifiers(documents, context)]
            evaluation = score(rows, found, categories)
            missed = evaluation.find().counts.false_negatives
            wrong = evaluation.find(metric="precision").counts.false_positives
            out.add(name, len(rows), evaluation.words, *score_cells(evaluation), missed, wrong)


if __name__ == "__main__":
    main()
