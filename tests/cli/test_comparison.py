"""``deid compare``, as a person runs it."""

import json

from tests.support.command_line import NOTE, deid, write


def gold(tmp_path):
    spans = [{"start": 12, "end": 18, "entity": "PROVIDER"}, {"start": 22, "end": 31, "entity": "DATE"}]
    return write(tmp_path / "gold.jsonl", {"id": "a", "text": NOTE, "spans": spans})


def test_the_systems_are_listed(tmp_path):
    result = deid("compare", "--list")
    assert result.returncode == 0
    assert b"presidio" in result.stdout
    assert b"hf:FOLDER" in result.stdout


def test_table_page_and_json(tmp_path):
    result = deid(
        *("compare", gold(tmp_path), "--systems", "palimpsest,pydeid", "--option", "palimpsest.models=false"),
        *("--cache", tmp_path / "cache", "--report", tmp_path / "page.html", "--json", tmp_path / "c.json"),
        HOME=str(tmp_path),
    )
    # One of the two systems cannot be installed.
    assert result.returncode == 1, result.stderr
    assert b"pyDeid did not run (NotInstalled)" in result.stdout
    document = json.loads((tmp_path / "c.json").read_text())
    ours, other = document["sets"][0]["rows"]
    assert ours["figures"]["recall"]["true_positives"] >= 1
    assert other["figures"] is None
    page = (tmp_path / "page.html").read_text()
    assert "did not run" in page
    for text in (page, json.dumps(document), result.stdout.decode()):
        assert "Okafor" not in text


def test_an_unknown_system_is_one_line(tmp_path):
    result = deid("compare", gold(tmp_path), "--systems", "presidoi", "--cache", tmp_path / "cache")
    assert result.returncode == 2
    assert b"'presidoi' is not a known system" in result.stderr
    assert b"Traceback" not in result.stderr


def test_no_system_is_one_line(tmp_path):
    result = deid("compare", gold(tmp_path), "--systems", " , ", "--cache", tmp_path / "cache")
    assert (result.returncode, result.stdout) == (2, b"")
    assert b"--systems has no name of a system" in result.stderr


def test_a_folder_that_is_not_there_is_one_line(tmp_path):
    result = deid("compare", gold(tmp_path), "--systems", f"hf:{tmp_path}/none", "--cache", tmp_path / "cache")
    assert result.returncode == 2
    assert f"hf:{tmp_path}/none: no such folder".encode() in result.stderr


def test_a_policy_is_no_group(tmp_path):
    result = deid("compare", gold(tmp_path), "--policy", "A")
    assert result.returncode == 2
    assert b"--policy is one of expert, safe-harbor" in result.stderr
    assert b"write --group A" in result.stderr
