"""Every row of the threat model names a test, and each of these tests exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "threat-model.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| threat")]


def test_every_threat_has_a_test():
    assert len(ROWS) > 25
    for row in ROWS:
        assert re.search(r"`tests/[\w/]+\.py::test_\w+`", row), row


@pytest.mark.parametrize(("file", "name"), NAMED, ids=lambda value: value.rsplit("/", 1)[-1])
def test_the_test_exists(file, name):
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
