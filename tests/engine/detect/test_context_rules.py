"""Context rules: what they find, what they leave, which are refused and where, and that none can slow a worker down."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from deid_tasks.core.errors import SettingsError
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.detect.context_rules import ContextRuleDetector
from deid_tasks.engine.text import Document
from deid_tasks.settings import ContextRule, ContextSettings, load_institution
from deid_tasks.settings.expressions import check_expression

_ROOT = Path(__file__).parents[3]
_MARK = re.compile(r"\[([A-Z_]+):((?:[^\[\]])*)\]")
_PROTOCOL: dict[str, Any] = {
    "name": "protocol",
    "entity": "OTHER_ID",
    "pattern": r"\b\d{2}-\d{3,4}\b",
    "prefix": "(?i)protocol|study",
    "exclude": r"(?i)\bmg\b",
}


def detector(*rules: dict[str, Any]) -> ContextRuleDetector:
    return ContextRuleDetector([ContextRule.model_validate(rule) for rule in rules])


def mark(text: str, found: ContextRuleDetector) -> str:
    shown, position = "", 0
    for span in found.detect([Document("n", text)])[0]:
        shown += f"{text[position : span.start]}[{span.entity}:{text[span.start : span.end]}]"
        position = span.end
    return shown + text[position:]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"window": 12}, "On protocol [OTHER_ID:07-123]; by protocol 10-200 mg"),
        ({}, "PROTOCOL: [OTHER_ID:07-123]"),
        ({}, "07-123 stands alone; 07-124 comes before the study"),
        ({}, "protocol\n07-123"),
        ({"across_lines": True}, "protocol\n[OTHER_ID:07-123]"),
        ({"window": 6}, "protocol number 07-123, study [OTHER_ID:08-123]"),
        ({"window": 2, "unit": "words"}, "study no. [OTHER_ID:07-123] and also later on 08-123"),
        (
            {"prefix": None, "suffix": "(?i)enrolled", "window": 12},
            "Study 07-123 was closed; [OTHER_ID:08-123] enrolled",
        ),
        ({"suffix": "arm"}, "study [OTHER_ID:07-123], arm B"),
        ({"exclude": "withdrawn"}, "study 07-123 withdrawn"),
        ({"pattern": r"no\. (\d{2})", "exclude": None}, "study no. [OTHER_ID:12]"),
        ({"prefix": "Muñoz"}, "Muñoz – [OTHER_ID:07-123]"),
    ],
)
def test_what_stands_around_decides(changes: dict[str, Any], expected: str) -> None:
    assert mark(_MARK.sub(r"\2", expected), detector(_PROTOCOL | changes)) == expected


def test_of_two_rules_the_earlier_one_stands() -> None:
    first = {"name": "a", "entity": "MRN", "pattern": r"\d{2}-\d{3}"}
    assert mark("study 07-123", detector(first, _PROTOCOL)) == "study [MRN:07-123]"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"pattern": "(?=a)b"}, "is not a valid RE2"),
        ({"pattern": r"(a)\1"}, "is not a valid RE2"),
        ({"pattern": "("}, "is not a valid RE2"),
        ({"pattern": r"\d{0,4}"}, "matches the empty string"),
        ({"prefix": "x*"}, "matches the empty string"),
        ({"pattern": r"\d+"}, "repeats without an end at character 3"),
        ({"pattern": r"ab.*c"}, "repeats without an end at character 4"),
        ({"pattern": r"ab{2,}"}, "repeats without an end"),
        ({"entity": "SOUL"}, "Input should be"),
        ({"window": 0}, "greater than or equal to 1"),
        ({"colour": "red"}, "Extra inputs"),
    ],
)
def test_bad_rules_are_refused_with_their_line(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    document = yaml.safe_load((_ROOT / "dags" / "institutions" / "riverside.yaml").read_text())
    document["work_dir"] = str(tmp_path)
    good = {"name": "good", "entity": "MRN", "pattern": "a"}
    document["detect"]["context"] = {"rules": [good, _PROTOCOL | change]}
    file = tmp_path / "riverside.yaml"
    file.write_text(yaml.safe_dump(document, sort_keys=False))
    key = next(iter(change))
    with pytest.raises(SettingsError, match=re.escape(reason)) as caught:
        load_institution(file)
    assert f"detect.context.rules.1.{key}: " in str(caught.value)
    message = re.search(r"\(line (\d+)\)", str(caught.value))
    assert message
    assert file.read_text().splitlines()[int(message[1]) - 1].strip().removeprefix("- ").startswith(f"{key}:")


def test_two_rules_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="rules 0 and 1 are both named 'protocol'"):
        ContextSettings.model_validate({"rules": [_PROTOCOL, _PROTOCOL]})


@pytest.mark.parametrize("expression", [r"a\*", "[*+]", "[]+]", "[^]*]x", r"\Qa*\E", "a{2,3}", "a{2}", r"[[:alpha:]+]"])
def test_signs_that_repeat_nothing_are_let_through(expression: str) -> None:
    check_expression(expression, is_bounded=True)


class CountingExpression:
    """A compiled expression that counts the bytes it searches."""

    def __init__(self, expression: Any) -> None:
        self.expression = expression
        self.bytes_searched = 0

    def search(self, text: bytes) -> Any:
        self.bytes_searched += len(text)
        return self.expression.search(text)


@pytest.mark.parametrize("pattern", ["a.{0,900}b|a", "(?:a{1,30}){1,30}b", "(?:a|aa){1,400}c", r"\d{1,40}"])
@pytest.mark.parametrize("unit", ["characters", "words"])
def test_the_cost_of_a_rule_grows_with_the_length_of_a_note(pattern: str, unit: str) -> None:
    """RE2 is linear in what it searches; around each match it searches no more than the window."""
    rule = {"name": "slow", "entity": "OTHER_ID", "pattern": pattern, "prefix": "(a+)+x", "window": 100, "unit": unit}
    slow = detector(rule)
    [compiled] = slow._rules
    for piece in ("a", "1 "):
        searched = []
        for size in (6_000, 48_000):
            counting = CountingExpression(compiled.prefix)
            slow._rules = [replace(compiled, prefix=counting)]
            slow.detect([Document("n", piece * size)])
            searched.append(counting.bytes_searched)
        assert searched[1] <= 12 * searched[0]


def test_the_example_of_the_documentation_works(tmp_path: Path) -> None:
    page = (_ROOT / "docs" / "how-to" / "write-context-rules.md").read_text()
    example = re.search(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert example
    rules = yaml.safe_load(example[1])["detect"]["context"]["rules"]
    found = detector(*rules)
    assert mark("study no. 07-123", found) == "study no. [OTHER_ID:07-123]"
    assert mark("bed-AB12 is clean", found) == "bed-[LOCATION_OTHER:AB12] is clean"


def test_the_engine_runs_them() -> None:
    from deid_tasks.settings import EngineSettings

    settings = EngineSettings.public()
    detect = settings.detect.model_copy(
        update={
            "detectors": ("patterns", "context"),
            "context": ContextSettings.model_validate({"rules": [_PROTOCOL]}),
        }
    )
    with_rules = build_engine(settings.model_copy(update={"detect": detect}))
    assert [one.name for one in with_rules.detectors] == ["patterns", "context"]
    without = build_engine(settings.model_copy(update={"detect": settings.detect}))
    assert with_rules.fingerprint != without.fingerprint
