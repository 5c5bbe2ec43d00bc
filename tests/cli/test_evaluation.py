"""``deid evaluate`` on corpora as people have them."""

import json

import pytest

from tests.support.command_line import NOTE, deid, lines, write

GOOD = {"id": "a", "text": NOTE, "spans": [{"start": 12, "end": 18, "entity": "PROVIDER"}]}
OWN = {"id": "b", "text": "Ann on ward 7", "spans": [{"start": 0, "end": 3, "entity": "PERSON"}]}
FOUND = ({"id": "a", "spans": GOOD["spans"]}, {"id": "b", "spans": []})


def put(folder, files):
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())
    return folder


def in_format(tmp_path, name):
    """A good note, and one with a label of its own."""
    if name == "jsonl":
        return write(tmp_path / "gold.jsonl", GOOD, OWN)
    if name == "brat":
        files = {"a.txt": NOTE, "a.ann": "T1\tPROVIDER 12 18\tOkafor\n"}
        return put(tmp_path / "gold", files | {"b.txt": OWN["text"], "b.ann": "T1\tPERSON 0 3\tAnn\n"})
    document = "<deIdi2b2><TEXT>{}</TEXT><TAGS>{}</TAGS></deIdi2b2>"
    tag = '<NAME id="P0" start="{}" end="{}" text="{}" TYPE="{}" />'
    files = {
        "a.xml": document.format(NOTE, tag.format(12, 18, "Okafor", "DOCTOR")),
        "b.xml": document.format(OWN["text"], tag.format(0, 3, "Ann", "PERSON")),
    }
    return put(tmp_path / "gold", files)


@pytest.mark.parametrize("name", ["jsonl", "brat", "i2b2-2014"])
def test_a_note_with_an_unknown_label_is_left_out_alike_in_every_format(tmp_path, name):
    gold, predicted = in_format(tmp_path, name), write(tmp_path / "p.jsonl", FOUND[0])
    result = deid("evaluate", gold, predicted, "--format", name)
    assert result.returncode == 1
    assert b"'PERSON' is not a label of" in result.stderr
    assert b"labels of your own" in result.stderr
    assert b"1 notes (1 of 2 left out)" in result.stdout
    assert b"Ann" not in result.stdout + result.stderr
    about = tmp_path / "about.yaml"
    about.write_text(f"path: {gold.name}\nformat: {name}\nlabels: {{PERSON: PATIENT}}\n")
    mapped = deid("evaluate", about, write(tmp_path / "p.jsonl", *FOUND), "--json", tmp_path / "s.json")
    assert (mapped.returncode, mapped.stderr) == (0, b"")
    assert json.loads((tmp_path / "s.json").read_text())["figures"][0]["value"] == 0.5


def test_what_a_gold_set_does_not_annotate_counts_on_neither_side(tmp_path):
    write(tmp_path / "gold.jsonl", GOOD, OWN)
    about = tmp_path / "about.yaml"
    about.write_text("path: gold.jsonl\nlabels: {PERSON: null}\nignored_labels: [WARD]\nwithout: [DATE]\n")
    date = {"start": 22, "end": 31, "entity": "DATE"}
    predicted = write(tmp_path / "p.jsonl", {"id": "a", "spans": [*GOOD["spans"], date]}, FOUND[1])
    result = deid("evaluate", about, predicted, "--json", "-")
    assert result.returncode == 0, result.stderr
    scores = json.loads(result.stdout)["figures"]
    assert [f["value"] for f in scores[:2]] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("files", "arguments", "reason"),
    [
        ({"a.text": "x"}, ["--format", "i2b2-2014"], b"no notes of this format (i2b2-2014)"),
        (
            {"a.txt": "x", "a.ann": "T1\tPLANET 0 1\tx\n"},
            ["--format", "brat"],
            b"no note can be scored, 1 were left out",
        ),
    ],
)
def test_an_evaluation_of_nothing_is_an_error(tmp_path, files, arguments, reason):
    result = deid("evaluate", put(tmp_path / "gold", files), *arguments)
    assert (result.returncode, result.stdout) == (2, b"")
    assert reason in result.stderr


def test_a_gold_note_without_spans_is_refused_and_an_empty_list_is_valid(tmp_path):
    gold = write(tmp_path / "g.jsonl", {"id": "a", "text": "x"}, {"id": "b", "text": "x", "spans": []})
    result = deid("evaluate", gold, write(tmp_path / "p.jsonl", {"id": "b", "spans": []}))
    assert result.returncode == 1
    assert b"g.jsonl:1: has no list 'spans'" in result.stderr
    assert b"1 notes (1 of 2 left out)" in result.stdout


def test_zero_of_zero_is_a_dash(tmp_path):
    gold = write(tmp_path / "g.jsonl", GOOD, {"id": "b", "text": "x", "spans": []})
    result = deid("evaluate", gold, write(tmp_path / "p.jsonl", {"id": "a", "spans": []}, FOUND[1]))
    rows = {row.split()[0]: row.split()[1:4] for row in result.stdout.decode().splitlines() if row.strip()}
    assert rows["PROVIDER"] == rows["ALL"] == ["0.0000", "–", "–"]


def test_predictions_of_a_folder_of_text_files_fit_its_annotations(tmp_path):
    folder = put(tmp_path / "gold", {"a.txt": NOTE, "a.ann": "T1\tPROVIDER 12 18\tOkafor\n", "b.txt": NOTE})
    put(folder / "more", {"a.txt": "Seen by Dr. Nguyen", "a.ann": "T1\tPROVIDER 12 18\tNguyen\n"})
    predicted = tmp_path / "p.jsonl"
    assert deid("detect", folder, "-o", predicted).returncode == 0
    result = deid("evaluate", folder, predicted, "--format", "brat", "--json", tmp_path / "s.json")
    headline = json.loads((tmp_path / "s.json").read_text())["figures"][0]
    assert (headline["value"], headline["true_positives"]) == (1.0, 2)
    assert result.returncode == 1
    assert b"1 predictions match no gold note that was read, among them 'b'" in result.stderr


def test_notes_with_one_id_are_joined_in_the_order_of_both_files(tmp_path):
    twice = {"id": "b", "text": NOTE, "spans": GOOD["spans"]}
    gold = write(tmp_path / "g.jsonl", GOOD, twice, twice)
    found, nothing = {"id": "b", "spans": GOOD["spans"]}, {"id": "b", "spans": []}
    # Not in the order of the gold notes: the lines of b are held until that of a is read.
    result = deid("evaluate", gold, write(tmp_path / "p.jsonl", found, nothing, FOUND[0]), "--json", "-")
    assert (result.returncode, result.stderr) == (0, b"")
    assert json.loads(result.stdout)["figures"][0]["true_positives"] == 2
    third = deid("evaluate", gold, write(tmp_path / "p.jsonl", found, nothing, nothing, FOUND[0]))
    assert third.returncode == 1
    assert b"1 predictions match no gold note that was read, among them 'b'" in third.stderr


def test_a_note_that_the_engine_quarantines_counts_as_nothing_found(tmp_path):
    broken = {"id": "broken", "text": "Ann \ud800 Lee", "spans": [{"start": 0, "end": 3, "entity": "PATIENT"}]}
    gold = tmp_path / "g.jsonl"
    gold.write_text("".join(json.dumps(note) + "\n" for note in (GOOD, broken)))
    result = deid("evaluate", gold, "--json", "-")
    assert result.returncode == 1
    assert b"note 'broken': was quarantined; counted as nothing found" in result.stderr
    headline = json.loads(result.stdout)["figures"][0]
    assert (headline["true_positives"], headline["false_negatives"]) == (1, 1)


def test_predictions_without_an_id_or_in_a_table_are_refused(tmp_path):
    gold = write(tmp_path / "g.jsonl", {**GOOD, "id": "None"})
    nameless = deid("evaluate", gold, write(tmp_path / "p.jsonl", {"spans": GOOD["spans"]}))
    assert nameless.returncode == 1
    assert b"p.jsonl:1: needs an 'id'" in nameless.stderr
    (tmp_path / "p.csv").write_text("id,start,end\na,0,3\n")
    table = deid("evaluate", gold, tmp_path / "p.csv")
    assert table.returncode == 2
    assert b"p.csv: a table holds no spans" in table.stderr


@pytest.mark.parametrize("start", [0.5, True])
def test_an_offset_that_is_no_whole_number_is_refused(tmp_path, start):
    gold = write(
        tmp_path / "g.jsonl", {"id": "a", "text": NOTE, "spans": [{"start": start, "end": 18, "entity": "DATE"}]}
    )
    result = deid("evaluate", gold, write(tmp_path / "p.jsonl", FOUND[0]))
    assert result.returncode == 2
    assert b"g.jsonl:1: has a span without start, end and entity" in result.stderr
    whole = write(
        tmp_path / "g.jsonl", {"id": "a", "text": NOTE, "spans": [{"start": 12.0, "end": "18", "entity": "DATE"}]}
    )
    assert deid("evaluate", whole, write(tmp_path / "p.jsonl", FOUND[0])).returncode == 0


def test_a_text_with_inline_tags_is_not_cut_at_the_first(tmp_path):
    document = "<deIdi2b2><TEXT>Ann <PHI>Lee</PHI> was seen</TEXT><TAGS></TAGS></deIdi2b2>"
    result = deid("evaluate", put(tmp_path / "gold", {"a.xml": document}), "--format", "i2b2-2014")
    assert result.returncode == 2
    assert b"a.xml: has elements inside TEXT" in result.stderr


def test_a_description_that_is_no_mapping_is_named(tmp_path):
    (tmp_path / "about.yaml").write_text("- gold.jsonl\n")
    result = deid("evaluate", tmp_path / "about.yaml")
    assert (result.returncode, b"about.yaml: is not a mapping of keys" in result.stderr) == (2, True)


def test_the_errors_are_listed_as_they_are_counted(tmp_path):
    text = "Ann Lee saw Dr. Okafor on 3/14 in Leeds"
    gold_spans = [(0, 7, "PATIENT"), (16, 22, "PROVIDER"), (34, 39, "CITY")]
    found = [(0, 3, "PATIENT"), (16, 22, "DATE"), (26, 30, "DATE")]
    gold, predicted = (
        {"id": "a", "text": text, "spans": [{"start": a, "end": b, "entity": e} for a, b, e in spans]}
        for spans in (gold_spans, found)
    )
    files = write(tmp_path / "g.jsonl", gold), write(tmp_path / "p.jsonl", predicted)
    target = tmp_path / "e.jsonl"
    result = deid("evaluate", *files, "--errors", target, "--json", tmp_path / "s.json")
    assert result.returncode == 0, result.stderr
    listed = lines(target)
    assert [tuple(error.values()) for error in listed] == [
        ("a", 4, 7, "missed", "PATIENT", None, 1),
        ("a", 16, 22, "other category", "PROVIDER", "DATE", 1),
        ("a", 26, 30, "wrong", None, "DATE", 2),
        ("a", 34, 39, "missed", "CITY", None, 1),
    ]
    headline = json.loads((tmp_path / "s.json").read_text())["figures"][0]
    assert headline["false_negatives"] == sum(e["words"] for e in listed if e["kind"] == "missed")
    assert headline["false_positives"] == sum(e["words"] for e in listed if e["kind"] == "wrong")
    assert target.stat().st_mode & 0o077 == 0
    assert deid("evaluate", *files, "--errors", target, "--errors-with-text").returncode == 0
    assert [error["text"] for error in lines(target)] == ["Lee", "Okafor", "3/14", "Leeds"]
    alone = deid("evaluate", *files, "--errors-with-text")
    assert (alone.returncode, b"needs --errors" in alone.stderr) == (2, True)
