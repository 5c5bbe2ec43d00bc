"""Forms of identifiers as American notes write them: dictated, exported, nursed; and what stands beside them and is
none. Each line of ``forms/`` is a text with its identifiers marked; those of ``none.txt`` have none.
"""

import re
from pathlib import Path

import pytest

from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.text import Document

_MARK = re.compile(r"\[([A-Z_]+):((?:[^\[\]])*)\]")
DETECTOR = PatternDetector()
FORMS = Path(__file__).parent / "forms"


def mark(text: str) -> str:
    shown, position = "", 0
    for span in DETECTOR.detect([Document("n", text)])[0]:
        shown += f"{text[position : span.start]}[{span.entity}:{text[span.start : span.end]}]"
        position = span.end
    return shown + text[position:]


def _lines(file: Path) -> list[str]:
    """The texts of a file, without blank lines and headings ("# dates")."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line.replace("\\n", "\n") for line in lines if line and not line.startswith("# ")]


@pytest.mark.parametrize("expected", [line for file in sorted(FORMS.glob("*.txt")) for line in _lines(file)])
def test_only_what_is_marked_is_found(expected: str) -> None:
    assert mark(_MARK.sub(r"\2", expected)) == expected
