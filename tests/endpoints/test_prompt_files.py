"""The shipped prompts."""

import json

import pytest

from deid_tasks.comparison.llm.quotes import align_quotes
from deid_tasks.core.entities import Entity
from deid_tasks.endpoints import prompt_files
from deid_tasks.endpoints.answers import read_entities

PACKAGE = prompt_files._FOLDER.parents[1]
FINDING = ("identifiers-1", "published-1", "rewrite-1")
EXAMPLES = json.loads(prompt_files._examples_file().read_text())
LABELS = json.loads((PACKAGE / "comparison/systems/llm/labels.json").read_text())


@pytest.mark.parametrize("name", FINDING)
def test_each_label_is_one_of_our_entities(name):
    prompt = prompt_files.load_prompt(name)
    assert prompt.labels
    assert {LABELS[label] for label in prompt.labels} <= set(map(str, Entity))


@pytest.mark.parametrize("name", ["identifiers-1", "published-1"])
def test_the_instruction_explains_each_label(name):
    prompt = prompt_files.load_prompt(name)
    assert not [label for label in prompt.labels if label not in prompt.instruction]


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_each_quote_of_an_example_stands_in_its_note(example):
    quotes = [(label, quote) for label, found in example["identifiers"].items() for quote in found]
    aligned = align_quotes(example["text"], quotes, 100)
    assert (aligned.unaligned, aligned.similar) == (0, 0)
    assert set(example["identifiers"]) <= set(prompt_files.load_prompt("identifiers-1").labels)


def test_the_examples_of_a_prompt_are_answers_that_can_be_read():
    prompt = prompt_files.load_prompt("published-1")
    content = prompt.messages("note", 10)[1]["content"]
    answers = [line.removeprefix("Output JSON:\n") for line in content.split("\n") if line.startswith("{")]
    assert len(answers) == 10
    assert all(read_entities(answer, prompt.labels).unknown_labels == 0 for answer in answers)
    assert "Saint Aurea Hospital" in answers[0]


def test_more_shots_begin_with_the_same_messages():
    prompt = prompt_files.load_prompt("identifiers-1")
    assert prompt.messages("x", 10)[:3] == prompt.messages("y", 1)[:3]


def test_a_change_of_the_words_is_another_digest(tmp_path, monkeypatch):
    before = prompt_files.load_prompt("judge-1").digest
    folder = tmp_path / "judge-1"
    folder.mkdir()
    for path in (prompt_files._FOLDER / "judge-1").iterdir():
        (folder / path.name).write_text(path.read_text() + "\n")
    (folder / "instruction.txt").write_text("Something else.")
    (tmp_path / "examples.json").write_text("[]")
    monkeypatch.setattr(prompt_files, "_FOLDER", tmp_path)
    prompt_files.load_prompt.cache_clear()
    assert prompt_files.load_prompt("judge-1").digest != before
    prompt_files.load_prompt.cache_clear()
