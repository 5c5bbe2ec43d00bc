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
