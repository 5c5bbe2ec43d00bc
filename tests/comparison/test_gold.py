"""Gold sets: files, descriptions, and text that counts on neither side."""

import json

import pytest

from deid_tasks.comparison.gold import ComparedNote, cut_out, narrowed, read_compared_set
from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span

TEXT = "Maria came on 3/14/2021 at 8:30 AM, bed 4"


def write(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def span(text, part, entity=Entity.DATE):
    return Span(text.index(part), text.index(part) + len(part), entity)


def test_jsonl_with_entities_or_categories(tmp_path):
    spans = [{"start": 0, "end": 5, "label": "NAME"}, {"start": 14, "end": 23, "entity": "DATE"}]
    path = write(tmp_path / "ward.jsonl", {"id": 1, "text": TEXT, "spans": spans, "patient_id": "p"})
    gold = read_compared_set(path)
    assert (gold.name, gold.words) == ("ward", 9)
    assert [one.entity for one in gold.notes[0].spans] == [Entity.PATIENT, Entity.DATE]
    assert gold.notes[0].group == "p"


def test_a_description_says_what_is_annotated(tmp_path):
    spans = [{"start": 0, "end": 5, "label": "NAME"}, {"start": 36, "end": 41, "label": "ROOM"}]
    write(tmp_path / "notes.jsonl", {"id": "a", "text": TEXT, "spans": spans, "template": 7})
    about = tmp_path / "about.yaml"
    about.write_text(
        "path: notes.jsonl\nname: ward\ncategories: [NAME, DATE]\nwithout: [TIME]\n"
        "ignored_labels: [ROOM]\ngroup_by: template\n"
    )
    gold = read_compared_set(about)
    (note,) = gold.notes
    assert (gold.name, gold.categories, note.group) == ("ward", frozenset({Category.NAME, Category.DATE}), "7")
    assert {TEXT[one.start : one.end] for one in note.ignored} == {"8:30 AM", "bed 4"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("path: x\nformat: word\n", "the format is one of"),
        ("path: x\ncolour: red\n", "colour"),
        ("a: [", "not valid YAML"),
    ],
)
def test_a_bad_description_is_one_clear_error(tmp_path, text, message):
    path = tmp_path / "about.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_compared_set(path)


def test_a_bad_line_names_file_and_line_and_no_text(tmp_path):
    path = write(
        tmp_path / "n.jsonl",
        {"id": "a", "text": TEXT, "spans": []},
        {"id": "b", "text": TEXT, "spans": [{"start": 99}]},
    )
    with pytest.raises(InputError, match=r"n\.jsonl:2") as raised:
        read_compared_set(path)
    assert "Maria" not in str(raised.value)


def test_an_empty_set_is_an_error(tmp_path):
    with pytest.raises(InputError, match="holds no notes"):
        read_compared_set(write(tmp_path / "n.jsonl"))


def test_own_labels_are_mapped_in_every_format(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    marks = (("WHO", "Maria"), ("BED", "bed 4"), ("SKIP", "8:30 AM"))
    lines = [f"T{n}\t{label} {TEXT.index(t)} {TEXT.index(t) + len(t)}\t{t}\n" for n, (label, t) in enumerate(marks, 1)]
    (tmp_path / "a.ann").write_text("".join(lines))
    about = tmp_path / "about.yaml"
    about.write_text("path: .\nformat: brat\nlabels: {WHO: PATIENT, BED: null}\nignored_labels: [SKIP]\n")
    (note,) = read_compared_set(about).notes
    assert [(one.start, one.entity) for one in note.spans] == [(0, Entity.PATIENT)]
    assert [TEXT[one.start : one.end] for one in note.ignored] == ["8:30 AM"]


def test_limit(tmp_path):
    path = write(tmp_path / "n.jsonl", *({"id": number, "text": "x", "spans": []} for number in range(5)))
    assert len(read_compared_set(path, limit=2).notes) == 2


def test_times_of_day_are_ignored_where_they_are_not_annotated_but_not_gold():
    note = ComparedNote("a", TEXT, (span(TEXT, "3/14/2021"), span(TEXT, "8:30 AM", Entity.TIME)), "a")
    less = narrowed(note, frozenset(Category), frozenset({Entity.TIME}))
    assert [one.entity for one in less.spans] == [Entity.DATE]
    # A system that marks date and time in one span keeps credit for the date.
    whole = Span(TEXT.index("3/14"), TEXT.index(" AM") + 3, Entity.DATE)
    assert [TEXT[one.start : one.end] for one in cut_out([whole], less.ignored)] == ["3/14/2021 at "]


@pytest.mark.parametrize("text", ["ratio 1:2000", "3/14/2021", "BP 120/80", "grade 3 amputation", "12:345"])
def test_what_is_no_time_of_day_is_not_ignored(text):
    note = narrowed(ComparedNote("a", text, (), "a"), frozenset(Category), frozenset({Entity.TIME}))
    assert note.ignored == ()


def test_cut_out_leaves_both_sides():
    found = cut_out(
        [Span(0, 10, Entity.DATE), Span(12, 14, Entity.DATE)], [Span(3, 5, Entity.TIME), Span(12, 20, Entity.TIME)]
    )
    assert [(one.start, one.end) for one in found] == [(0, 3), (5, 10)]
