"""Each row of the rules' tables is decided by its own example, and finds there what is marked."""

import re
from typing import Any

import pytest

from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.detect.patterns.detector import FORM_TABLES, RULES
from deid_tasks.engine.detect.patterns.forms import Form, FormTable
from deid_tasks.engine.text import Document

_MARK = re.compile(r"\[([A-Z_]+):((?:[^\[\]])*)\]")
DETECTOR = PatternDetector()
ROWS = [
    pytest.param(table, form, id=f"{table.name}: {form.name}".replace(" ", "-"))
    for table in FORM_TABLES
    for form in table.forms
]


def mark(text: str) -> str:
    shown, position = "", 0
    for span in DETECTOR.detect([Document("n", text)])[0]:
        shown += f"{text[position : span.start]}[{span.entity}:{text[span.start : span.end]}]"
        position = span.end
    return shown + text[position:]


@pytest.mark.parametrize(("table", "form"), ROWS)
def test_the_example_of_a_form_is_decided_by_that_form(
    monkeypatch: pytest.MonkeyPatch, table: FormTable[Any, Any], form: Form[Any, Any]
) -> None:
    deciding = []
    find = table.find

    def recorded(reading: Any) -> Form[Any, Any] | None:
        deciding.append(find(reading))
        return deciding[-1]

    monkeypatch.setattr(table, "find", recorded)
    assert mark(_MARK.sub(r"\2", form.example)) == form.example
    assert form in deciding


def test_names_of_rules_and_of_rows_are_unique() -> None:
    names = [rule.name for rule in RULES]
    assert sorted(names) == sorted(set(names))
    for table in FORM_TABLES:
        rows = [form.name for form in table.forms]
        assert sorted(rows) == sorted(set(rows)), table.name
