"""What only the model found and is none: figures, fragments, headings, everyday words in small letters."""

from pathlib import Path

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.recover import recover
from deid_tasks.engine.text import Document

CASES = Path(__file__).parent / "noise"


def cases(file: str) -> list[tuple[str, str]]:
    """Each row of a file: a text with one span marked, and the detector that found it."""
    rows = (CASES / file).read_text(encoding="utf-8").splitlines()[1:]
    return [(marked.replace("\\n", "\n"), detector) for marked, detector in (row.split("\t") for row in rows)]


def run(marked: str, detector: str, score: float = 1.0) -> tuple[bool, bool]:
    start = marked.index("[")
    name, value = marked[start + 1 : marked.index("]")].split(":", 1)
    text = marked[:start] + value + marked[marked.index("]") + 1 :]
    result = recover(Document("n", text), [Span(start, start + len(value), Entity(name), detector, score)])
    return bool(result.kept), bool(result.recovered)


@pytest.mark.parametrize(("marked", "detector"), cases("given_back.tsv"))
def test_given_back(marked, detector):
    assert run(marked, detector) == (False, True)


@pytest.mark.parametrize(("marked", "detector"), cases("kept.tsv"))
def test_kept(marked, detector):
    assert run(marked, detector) == (True, False)


@pytest.mark.parametrize("marked", ["gave Zyrtec at [TIME:7].", "RN Kostas bed [LOCATION_OTHER:4] 1509"])
def test_one_figure_is_noise_where_the_model_is_not_sure(marked):
    assert run(marked, "transformer", score=0.8) == (False, True)


def test_what_the_patients_record_holds_is_never_noise():
    span = Span(0, 4, Entity.PATIENT, "transformer")
    result = recover(Document("n", "hall walks"), [span], None, [Span(0, 4, Entity.PATIENT, "patient")])
    assert result.kept == (span,)
