"""What an evaluation counts, and how it says so."""

import json

import pytest

from deid_tasks.cli.counted import counted_sentence
from deid_tasks.comparison.gold import covered, narrowed
from deid_tasks.core.entities import Category, Entity, Group
from deid_tasks.evidence.annotation.formats import AnnotatedNote
from deid_tasks.settings import PolicySettings
from tests.support.command_line import deid, write
from tests.support.markup import both

GOLD = "at 14:30 on [DATE:3/14/2021] by [PROVIDER:Okafor], aged 54"
FOUND = "at [TIME:14:30] on [DATE:3/14/2021] by [PROVIDER:Okafor], aged [AGE:54]"


@pytest.fixture
def files(tmp_path):
    text, *sides = both(GOLD, FOUND)
    gold, found = (
        [{"start": one.start, "end": one.end, "entity": str(one.entity)} for one in spans] for spans in sides
    )
    return (
        write(tmp_path / "gold.jsonl", {"id": "a", "text": text, "spans": gold}),
        write(tmp_path / "found.jsonl", {"id": "a", "spans": found}),
    )


def test_expert_counts_what_it_leaves_and_without_leaves_it_out(files, tmp_path):
    def evaluated(*options):
        result = deid("evaluate", *files, "--json", tmp_path / "s.json", *options)
        assert result.returncode == 0, result.stderr
        document = json.loads((tmp_path / "s.json").read_text())
        assert " ".join(result.stdout.decode().split()).startswith(document["counted"])
        return document, result.stdout.decode()

    document, printed = evaluated()
    assert document["figures"][1]["false_positives"] == 3
    assert "so do TIME and ages up to 89" in document["counted"]
    by_entity, by_category = printed.split("by category")
    [total] = [line.split() for line in by_entity.splitlines() if line.startswith("ALL")]
    assert total[4:] == ["4", "7", "0", "3"], "gold words, predicted, missed, false"
    assert by_entity.count("\nDATE") == by_category.split("other views")[0].count("\nDATE") == 1
    document, _ = evaluated("--without", "TIME,AGE")
    assert document["figures"][1]["false_positives"] == 0
    assert document["without"] == ["AGE", "TIME"]


def test_what_was_marked_as_another_entity_on_text_left_out_is_not_wrong():
    text, gold, found = both("aged [AGE:54], at 14:30", "aged [DATE:54], at [DATE:14:30]")
    without = frozenset({Entity.AGE, Entity.TIME})
    note = narrowed(AnnotatedNote("a", text, gold), frozenset(Category), without)
    assert (note.spans, covered(note, found, frozenset(Category), without)) == ((), [])


@pytest.mark.parametrize(
    ("policy", "group", "without", "sentence"),
    [
        ({}, "C", set(), "all entities of group C count, and so do TIME and ages up to 89, which policy expert"),
        ({"keep": (), "age_groups": (0, 40)}, "A", set(), "all entities of group A count"),
        ({}, "B", {Entity.TIME}, "leaves in the text; left out on both sides: TIME"),
        ({"preset": "safe-harbor"}, "C", set(), "them in the text: state, COUNTRY"),
        ({"preset": "gdpr"}, "C", set(), "all forms count: policy gdpr leaves none in the text"),
    ],
)
def test_the_sentence_names_what_counts_and_what_does_not(policy, group, without, sentence):
    said = counted_sentence(PolicySettings(**policy), Group(group), frozenset(without))
    assert sentence in said.replace("state, country,", "state, COUNTRY,")
