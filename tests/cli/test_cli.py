"""The command line, as people and outside measurements use it."""

import json
from pathlib import Path

import pytest
import typer.main

from deid_tasks.cli.app import app
from tests.support.command_line import NOTE, deid, lines, write


def test_detect_keeps_the_contract(tmp_path):
    notes = write(
        tmp_path / "n.jsonl", {"id": 7, "text": NOTE, "ward": "3W"}, {"id": "é", "text": "Zoë 🙂 called 617-555-0199."}
    )
    result = deid("detect", notes, "-o", tmp_path / "s.jsonl")
    assert result.returncode == 0, result.stderr
    first, second = lines(tmp_path / "s.jsonl")
    assert (first["id"], first["ward"], second["id"]) == ("7", "3W", "é")
    assert "text" not in first
    found = {(NOTE[s["start"] : s["end"]], s["entity"], s["category"]) for s in first["spans"]}
    assert {("Okafor", "PROVIDER", "NAME"), ("3/14/2021", "DATE", "DATE")} <= found
    assert any(entity == "PHONE" for _, entity, _ in found)
    assert all(
        set(span) == {"start", "end", "entity", "category", "detector", "score", "form"} for span in first["spans"]
    )
    text = "Zoë 🙂 called 617-555-0199."
    assert any(text[s["start"] : s["end"]] == "617-555-0199" for s in second["spans"])


def test_a_policy_and_a_scheme_of_labels_decide_what_detect_writes(tmp_path):
    text = "DOB 1928, 54 years old in 2019. Seen 3/14/2021 at 14:35 by Dr. Okafor in Dayton, OH 45402."
    notes = write(tmp_path / "n.jsonl", {"id": "a", "text": text})

    def found(*options):
        result = deid("detect", notes, "-o", tmp_path / "s.jsonl", *options)
        assert result.returncode == 0, result.stderr
        return {text[s["start"] : s["end"]]: s for s in lines(tmp_path / "s.jsonl")[0]["spans"]}

    everything, ours = found(), found("--policy", "safe-harbor")
    assert {"2019", "3/14/2021", "Okafor", "OH", "45402"} <= set(everything)
    assert {"3/14/2021", "Okafor", "45402"} <= set(ours)
    assert not {"2019", "OH"} & set(ours)
    assert ours["3/14/2021"]["form"] == "full_date"
    assert ours["Okafor"]["form"] == "clinician"
    labelled = found("--labels", "jsl-7", "--titles", "in")
    assert labelled["Dr. Okafor"]["label"] == "NAME"
    assert labelled["45402"]["label"] == "LOCATION"
    assert all(span["form"] != "time_of_day" for span in labelled.values())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--policy", "strict"), b"policy 'strict' is not known; there are expert, safe-harbor"),
        (("--labels", "mine"), b"--labels is one of ours, jsl-7, jsl-13"),
        (("--titles", "maybe"), b"--titles is found, in or out, not 'maybe'"),
    ],
)
def test_an_unknown_policy_scheme_or_extent_is_one_line(tmp_path, options, message):
    notes = write(tmp_path / "n.jsonl", {"id": "a", "text": "on 3/14/2021"})
    result = deid("detect", notes, *options)
    assert result.returncode == 2
    assert message in result.stderr
    assert b"Traceback" not in result.stderr


def test_bad_lines_are_reported_by_number_and_the_rest_goes_on(tmp_path):
    good = json.dumps({"id": "a", "text": "on 3/14/2021"}).encode()
    secret = b"Marigold Featherstone"
    bad = [
        b"{broken " + secret,
        b'["' + secret + b'"]',
        b'{"id": "x"}',
        b'{"id": "x", "text": 3}',
        b"\xff\xfe" + secret,
    ]
    source = tmp_path / "n.jsonl"
    source.write_bytes(b"\n".join([good, *bad, b"", good]) + b"\n")
    result = deid("detect", source, "-o", tmp_path / "s.jsonl")
    assert result.returncode == 1
    assert len(lines(tmp_path / "s.jsonl")) == 2
    for number in range(2, 7):
        assert f"n.jsonl:{number}:".encode() in result.stderr
    assert secret not in result.stderr + result.stdout


def test_standard_input_and_output():
    result = deid("detect", "-", stdin=json.dumps({"id": "a", "text": ""}) + "\n")
    assert json.loads(result.stdout) == {"id": "a", "spans": []}


def test_a_missing_file_is_one_line(tmp_path):
    result = deid("detect", tmp_path / "none.jsonl")
    assert result.returncode == 2
    assert b"none.jsonl" in result.stderr
    assert b"Traceback" not in result.stderr


def test_obfuscate_a_folder_with_a_kept_key(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.txt").write_text(NOTE, encoding="utf-8")
    key = {"PALIMPSEST_SECRET_DEID_KEY": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}
    outputs = [deid("obfuscate", folder, **key).stdout for _ in range(2)]
    assert outputs[0] == outputs[1]
    text = json.loads(outputs[0])["text"]
    assert "Okafor" not in text
    assert "3/14/2021" not in text
    assert "Bruce protocol" in text
    without_key = deid("obfuscate", folder)
    assert b"no key given" in without_key.stderr
    assert without_key.stdout != outputs[0]


def test_a_short_key_is_refused(tmp_path):
    notes = write(tmp_path / "n.jsonl", {"id": "a", "text": NOTE})
    result = deid("obfuscate", notes, PALIMPSEST_SECRET_DEID_KEY="c2hvcnQ=")
    assert result.returncode == 2
    assert b"at least 32" in result.stderr


def test_evaluate_prints_and_writes_the_scores(tmp_path):
    gold = write(
        tmp_path / "gold.jsonl",
        {
            "id": "a",
            "text": NOTE,
            "spans": [{"start": 12, "end": 18, "label": "NAME"}, {"start": 22, "end": 31, "entity": "DATE"}],
        },
        {"id": "b", "text": "May 5", "spans": [{"start": 0, "end": 5, "entity": "DATE"}]},
    )
    predicted = write(
        tmp_path / "p.jsonl",
        {"id": "b", "spans": []},
        {"id": "a", "spans": [{"start": 22, "end": 31, "entity": "DATE"}]},
    )
    result = deid("evaluate", gold, predicted, "--json", tmp_path / "scores.json")
    assert result.returncode == 0, result.stderr
    figures = json.loads((tmp_path / "scores.json").read_text())["figures"]
    scores = {(f["metric"], f["entity"]): f["value"] for f in figures if (f["view"], f["stratum"]) == ("word", "")}
    assert scores["recall", "ALL"] == pytest.approx(3 / 6)
    assert scores["precision", "ALL"] == 1.0
    assert b"2 notes" in result.stdout


def test_evaluate_counts_a_missing_prediction_as_nothing_found(tmp_path):
    gold = write(
        tmp_path / "gold.jsonl", {"id": "a", "text": "May 5", "spans": [{"start": 0, "end": 5, "entity": "DATE"}]}
    )
    predicted = write(tmp_path / "p.jsonl")
    result = deid("evaluate", gold, predicted, "--json", tmp_path / "scores.json")
    assert result.returncode == 1
    assert b"note 'a': has no line" in result.stderr
    assert json.loads((tmp_path / "scores.json").read_text())["figures"][0]["value"] == 0.0


def test_a_note_of_1_mb_and_one_long_line_run_through(tmp_path):
    notes = write(tmp_path / "n.jsonl", {"id": "long", "text": "pt stable 12 " * 80_000}, {"id": "a", "text": NOTE})
    result = deid("detect", notes, "-o", tmp_path / "s.jsonl")
    assert result.returncode == 0, result.stderr
    assert [record["id"] for record in lines(tmp_path / "s.jsonl")] == ["long", "a"]


def test_the_schema_is_the_one_beside_the_institutions():
    shipped = Path(__file__).parents[2] / "dags" / "institutions" / "schema.json"
    assert json.loads(deid("schema").stdout) == json.loads(shipped.read_text(encoding="utf-8"))


def test_every_command_with_an_institution_honours_the_folder_of_the_environment(monkeypatch):
    monkeypatch.setenv("PALIMPSEST_INSTITUTIONS", "/srv/palimpsest/institutions")
    folders = {}
    for words, command in commands(typer.main.get_command(app)):
        options = {option: one for one in command.params for option in one.opts}
        if {"--institution", "--institutions"} & options.keys():
            folders[words] = options["--institutions"].resolve_envvar_value(command.context_class(command))
    assert {"bench", "explain", "dbt", "tables upgrade"} <= folders.keys()
    assert set(folders.values()) == {"/srv/palimpsest/institutions"}, folders


def commands(command, words=()):
    """Yield each command that does something, with the words that call it."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield " ".join(words), command
    for name, one in (inner or {}).items():
        yield from commands(one, (*words, name))


def test_evaluate_reads_a_corpus_and_the_engine_itself_finds(tmp_path):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    tags = '<NAME id="P0" start="12" end="18" text="Okafor" TYPE="DOCTOR" comment="" />'
    (corpus / "110-01.xml").write_text(f"<deIdi2b2><TEXT>{NOTE}</TEXT><TAGS>{tags}</TAGS></deIdi2b2>")
    result = deid(
        "evaluate", corpus, "--format", "i2b2-2014", "--json", tmp_path / "s.json", "--report", tmp_path / "r.html"
    )
    assert result.returncode == 0, result.stderr
    figures = json.loads((tmp_path / "s.json").read_text())["figures"]
    assert figures[0]["true_positives"] == 1
    assert "<svg" in (tmp_path / "r.html").read_text()
    assert b"Okafor" not in result.stdout + (tmp_path / "r.html").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["evaluate", "x", "--format", "word"], b"--format is one of jsonl"),
        (["evaluate", "x", "--group", "D"], b"--group is A, B or C"),
        (["evaluate", "/nowhere", "--format", "i2b2-2014"], b"neither a file nor a folder"),
        (["evaluate", "x", "--group", "A", "--policy", "gdpr"], b"--group A is for policy expert"),
        (["evaluate", "x", "--without", "CLOCK"], b"'CLOCK' is not an entity"),
        (["evaluate", "x", "p", "--settings", "s.yaml"], b"--settings is of the engine that reads the notes"),
        (["ablate"], b"give either a file of gold notes or --institution"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments, reason):
    result = deid(*arguments)
    assert result.returncode == 2
    assert reason in result.stderr
    assert result.stderr.count(b"\n") <= 2


def test_ablate_prints_the_engine_without_each_part(tmp_path):
    gold = write(
        tmp_path / "g.jsonl", {"id": "a", "text": NOTE, "spans": [{"start": 12, "end": 18, "entity": "PROVIDER"}]}
    )
    result = deid("ablate", gold)
    assert result.returncode == 0, result.stderr
    for part in (b"full", b"without patterns", b"without transformer", b"without recovery", b"recovery retained"):
        assert part in result.stdout
