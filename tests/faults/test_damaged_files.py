"""Whatever a file holds, its reader reads it or refuses it with one of the product's errors, which quote no note."""

import json
import zlib

import pytest

from benchmarks.faults.bad_notes import CANARY
from benchmarks.faults.file_checks import READ, REFUSED, DamagedFiles
from benchmarks.faults.readers import READERS
from deid_tasks.core.errors import DeidError, SettingsError
from deid_tasks.core.yaml_text import parse_yaml
from deid_tasks.settings import load_engine_settings

FILES = 12
SLOW = {"shipped model", "model from elsewhere", "lexicon"}
"""Readers of files of many megabytes: the campaign tries them."""


@pytest.mark.parametrize("name", sorted(set(READERS) - SLOW))
def test_a_damaged_file_is_read_or_refused(name, tmp_path):
    files = DamagedFiles(READERS[name], tmp_path / "files")
    # The seeds differ by reader, and are the same in every run.
    first = zlib.crc32(name.encode())
    for seed in range(first, first + FILES):
        found = files.check(seed)
        assert found.outcome in {READ, REFUSED}, (seed, found)
        assert not found.fault, (seed, found)


BEGIN = "[" * 50_000
LONG = b"1" * 5_000
FOUND = [
    # The reader, the file, and what stands in it in place of what.
    ("jsonl", "notes.jsonl", b'"start": 12', b'"start": 1e999'),
    ("jsonl", "notes.jsonl", b'"start": 12', b'"start": ' + LONG),
    ("jsonl", "notes.jsonl", b'"spans": [', b'"spans": 5, "x": ['),
    ("label-studio", "notes.json", b'"start": 12', b'"start": 1e999'),
    ("label-studio", "notes.json", b'"start": 12', b'"start": ' + LONG),
    ("doccano", "notes.jsonl", b"[12,", b"[1e999,"),
    ("doccano", "notes.jsonl", b"[12,", b"[" + LONG + b","),
    ("i2b2-2006", "notes.xml", b'version="1.0"', b'version="1.0" encoding="no-such-code"'),
    ("conll", "notes.conll", b"B-PROVIDER", CANARY.encode()),
    ("conll", "notes.conll", b"B-PROVIDER", b"B-" + CANARY.encode()),
    ("physionet", "id.phrase", b"HCPName ", b""),
    ("removal from task lists", "notes.jsonl", b'"start": 12', b'"start": ' + LONG),
    ("institution", "riverside.yaml", b"title:", b"x: " + BEGIN.encode() + b"\ntitle:"),
    ("institution", "riverside.yaml", b"2024-01-01", b"2024-13-41"),
    ("institution", "riverside.yaml", b"shard_notes: 500", b"shard_notes: " + LONG),
    ("training settings", "training.yaml", b"seed: 3", b"seed: " + LONG),
    ("training settings", "training.yaml", b"seed: 3", b"seed: " + BEGIN.encode()),
    ("dbt's contract", "models.yml", b"models:", b"x: " + BEGIN.encode() + b"\nmodels:"),
    ("certificate", "certificate.json", b'"notes": 9', b'"notes": ' + LONG),
    ("certificate", "certificate.json", b'"recall_min"', b'"recall_least"'),
    ("vault of a shard", "shard.vault", b"\0\0\0\0\0\0\0\xb4", b"\0\0\xff\0\0\0\0\xb4"),
    ("vault of a shard", "shard.vault", b"\0\0\0\0\0\0\0\xb4", b"\xff\0\0\0\0\0\0\xb4"),
    ("harvest", "20240101T000000Z/templates.json", b'"PROVIDER"', b'"NOBODY"'),
    ("harvest", "20240101T000000Z/templates.json", None, BEGIN.encode()),
    ("approved harvest", "harvest/CURRENT", None, b"\xff\xfe"),
    ("approved harvest", "harvest/CURRENT", None, b"../../elsewhere"),
    ("approved harvest", "harvest/*/metadata.json", b'"version"', b'"versions"'),
    ("approved harvest", "harvest/*/metadata.json", None, BEGIN.encode()),
    ("known people", "people/[0-9a-f]*", b'"people": 40', b'"peoples":40'),
    ("known people", "people/[0-9a-f]*", b'"people": 40', b'"people": []'),
    ("task manifest", "export.json", b'"notes": 3', b'"notes": ' + LONG),
    ("secrets", "store", None, BEGIN.encode()),
    ("shipped model", "config.json", None, BEGIN.encode()),
    ("task manifest", "export.json", None, b"\xff\xfe"),
    ("model from elsewhere", "tokenizer.json", None, b"{}"),
]


@pytest.mark.parametrize(("name", "file", "old", "new"), FOUND, ids=[f"{one[0]}-{i}" for i, one in enumerate(FOUND)])
def test_what_the_campaign_found_is_refused_and_quotes_nothing(name, file, old, new, tmp_path):
    READERS[name].write(tmp_path)
    [path] = tmp_path.glob(file)
    content = path.read_bytes()
    if old == b"\0\0\0\0\0\0\0\xb4":
        # The length of the first frame.
        old, new = content[:8], new[:7] + content[7:8]
    assert old is None or old in content
    path.write_bytes(new if old is None else content.replace(old, new, 1))
    with pytest.raises(DeidError) as caught:
        READERS[name].read(tmp_path)
    assert CANARY not in str(caught.value)
    assert len(str(caught.value)) < 4_000


def test_an_offset_beyond_unicode_is_no_control_character(tmp_path):
    READERS["i2b2-2014"].write(tmp_path)
    path = next(tmp_path.rglob("*.xml"))
    content = path.read_text(encoding="utf-8")
    assert 'code="11"' in content
    path.write_text(content.replace('code="11"', f'code="{0x110000 + 11}"', 1), encoding="utf-8")
    with pytest.raises(DeidError, match="names no control character"):
        READERS["i2b2-2014"].read(tmp_path)


def test_every_byte_of_the_known_people_counts(tmp_path):
    READERS["known people"].write(tmp_path)
    [path] = (one for one in (tmp_path / "people").iterdir() if one.name != "CURRENT")
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    with pytest.raises(DeidError, match="damaged"):
        READERS["known people"].read(tmp_path)


def test_the_newest_annotation_is_told_whatever_its_id_is(tmp_path):
    READERS["label-studio"].write(tmp_path)
    path = tmp_path / "notes.json"
    tasks = json.loads(path.read_text(encoding="utf-8"))
    done = tasks[0]["annotations"][0]
    tasks[0]["annotations"] = [done | {"id": 1}, done | {"id": "one"}, done | {"id": None}]
    path.write_text(json.dumps(tasks))
    READERS["label-studio"].read(tmp_path)


class TestHostileSettings:
    def test_mappings_that_merge_each_other_do_not_grow_without_bound(self):
        levels = ["a0: &a0 {" + ", ".join(f"k{n}: 1" for n in range(9)) + "}"]
        levels += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 12)]
        with pytest.raises(ValueError, match="repeat more than 1,000,000 values"):
            parse_yaml("\n".join(levels))

    def test_aliases_that_repeat_lists_without_bound_are_refused(self, tmp_path):
        levels = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
        path = tmp_path / "engine.yaml"
        path.write_text("\n".join(levels) + "\npolicy: {keep: *a29}\n")
        with pytest.raises(SettingsError, match=r"engine\.yaml: is not valid YAML: its aliases repeat"):
            load_engine_settings(path)

    def test_a_list_that_holds_itself_is_refused(self):
        with pytest.raises(ValueError, match=r"holds itself \(line 1\)"):
            parse_yaml("a: &a [*a]")

    def test_thousands_of_wrong_values_are_one_short_message(self, tmp_path):
        path = tmp_path / "engine.yaml"
        path.write_text("policy:\n  keep: [" + ", ".join(f"'NOBODY{n}'" for n in range(5_000)) + "]\n")
        with pytest.raises(SettingsError, match=r"\(line 2\).*and 4980 more") as caught:
            load_engine_settings(path)
        assert len(str(caught.value)) < 20_000

    @pytest.mark.parametrize(
        "text",
        [
            "!!python/object/apply:os.system [true]",
            "a: !!python/name:os.system",
            "a: *nobody",
            "a: \x00",
            "a: [" * 9_000,
        ],
    )
    def test_objects_and_broken_documents_are_refused(self, text, tmp_path):
        path = tmp_path / "engine.yaml"
        path.write_text(text)
        with pytest.raises(SettingsError, match=r"engine.yaml: is not valid YAML: \w"):
            load_engine_settings(path)

    @pytest.mark.parametrize("value", ["../../x", "x'; drop table note; --", "X", "a" * 99, "a b", "a\n", ""])
    def test_a_name_that_could_leave_its_folder_or_its_statement_is_refused(self, value, institution):
        content = institution.model_dump(mode="json") | {"institution": value}
        with pytest.raises(ValueError, match="institution"):
            type(institution).model_validate(content)
