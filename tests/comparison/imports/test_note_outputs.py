"""Outputs of other tools, on files made in their formats; the tools were not run."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import deid_tasks.comparison
from deid_tasks.comparison.imports.files_system import ImportedOutputs
from deid_tasks.comparison.imports.note_outputs import OUTPUT_READERS
from deid_tasks.comparison.protocol import SystemNote, parse_answer
from deid_tasks.core.errors import InputError

TEXT = "Ms. Ana Brennock came on 3/14/2021.\nSeen by Dr. Okafor, tel 617-555-0100 [MRI] 👍 at Müller clinic."


def span(word):
    start = TEXT.index(word)
    return start, start + len(word)


def mist(folder):
    sets = [
        {"type": "NAME", "hasID": False, "hasSpan": True, "attrs": [], "annots": [[*span("Ana Brennock")], [*span("Okafor")]]},
        {"type": "DATE", "attrs": [{"name": "kind", "type": "string"}], "annots": [[*span("3/14/2021"), "full"]]},
        {"type": "lex", "attrs": [], "annots": [[0, 3], [4, 7]]},
        {"type": "PHONE", "attrs": [], "annots": [[*span("617-555-0100")]]},
        {"type": "HOSPITAL", "attrs": [], "annots": [[*span("Müller")]]},
    ]  # fmt: skip
    document = {"signal": TEXT, "metadata": {"phasesDone": ["tag"]}, "asets": sets, "version": 2}
    (folder / "n%2F1.json").write_text(json.dumps(document))


def brat(folder):
    start, end = span("3/14/2021")
    lines = [
        "T1\tNAME {} {}\tAna Brennock".format(*span("Ana Brennock")),
        f"T2\tDATE {start} {start + 4};{start + 5} {end}\t3/14 2021",
        "R1\tLinked Arg1:T1 Arg2:T2",
        "T3\tDOCTOR {} {}\tOkafor".format(*span("Okafor")),
        "T4\tPHONE {} {}\t617-555-0100".format(*span("617-555-0100")),
        "T5\tHOSPITAL {} {}\tMüller".format(*span("Müller")),
    ]
    (folder / "n%2F1.ann").write_text("\n".join(lines) + "\n")


def scrubber(folder):
    (folder / "n%2F1.nphi.txt").write_text(
        "Ms. [PERSONALNAME] [PERSONALNAME] came on [DATE].\r\nSeen by Dr. [PERSONALNAME], tel [ALPHANUMERICID] [MRI] 👍 at [ADDRESS] clinic."
    )


def physionet(folder):
    text = (
        "Ms. [**Known patient firstname 12**] [**Last Name (STitle) 4**] came on [**2021-3-14**].\n"
        "Seen by Dr. [**Last Name (PRE) 7**], tel [**Telephone/Fax (1) 9**] [MRI] 👍 at [**Hospital 3**] clinic."
    )
    (folder / "out.res").write_text(
        f"START_OF_RECORD=7||||2||||\n{text}||||END_OF_RECORD\nSTART_OF_RECORD=7||||3||||\nWell.||||END_OF_RECORD\n"
    )


def physionet_offsets(folder):
    (folder / "id.text").write_text(f"START_OF_RECORD=7||||2||||\n{TEXT}||||END_OF_RECORD\n")
    words = ("Ana Brennock", "3/14/2021", "Okafor", "617-555-0100", "Müller")
    lines = [f"{start}\t{start}\t{end}" for start, end in map(span, words)]
    (folder / "id.phi").write_text("Patient 7\tNote 2\n" + "\n".join(lines) + "\n")


MARKED = ["Ana Brennock", "3/14/2021", "Okafor", "617-555-0100", "Müller"]
PHI = ["PHI"] * 5


@pytest.mark.parametrize(
    ("form", "write", "note", "labels"),
    [
        ("mist", mist, "n/1", ["NAME", "DATE", "NAME", "PHONE", "HOSPITAL"]),
        ("scrubber", scrubber, "n/1", ["PERSONALNAME", "DATE", "PERSONALNAME", "ALPHANUMERICID", "ADDRESS"]),
        ("physionet", physionet, "7-2", ["NAME", "DATE", "NAME", "CONTACT", "HOSPITAL"]),
        ("physionet", physionet_offsets, "7-2", PHI),
    ],
)
def test_outputs_give_spans_of_the_original(tmp_path, form, write, note, labels):
    write(tmp_path)
    found = ImportedOutputs({"source": f"{form}:{tmp_path}"}).find(SystemNote(note, TEXT))
    assert [TEXT[one.start : one.end] for one in found] == MARKED
    assert [one.label for one in found] == labels


def test_each_fragment_of_brat_is_a_span(tmp_path):
    brat(tmp_path)
    found = ImportedOutputs({"source": f"brat:{tmp_path}"}).find(SystemNote("n/1", TEXT))
    assert [TEXT[one.start : one.end] for one in found] == ["Ana Brennock", "3/14", "2021", *MARKED[2:]]
    assert found[3].label == "DOCTOR"


@pytest.mark.parametrize(
    ("tag", "label"),
    [
        ("Known patient lastname 5", "NAME"), ("Doctor First Name 3", "NAME"), ("Name (MD) 22", "NAME"),
        ("Initials (NamePattern4) 1", "NAME"), ("2021-03-14", "DATE"), ("3-14", "DATE"), ("Month/Day (2) 4", "DATE"),
        ("Year (4 digits) 7", "DATE"), ("Holiday 3", "DATE"), ("Street Address 2", "LOCATION"), ("Location (un) 6", "LOCATION"),
        ("State 1", "LOCATION"), ("University/College 9", "LOCATION"), ("Hospital Ward Name 3", "HOSPITAL"),
        ("Medical Record Number 8", "ID"), ("Social Security Number 1", "ID"), ("Age over 90 4", "AGE"),
        ("Company 2", "ORGANIZATION"), ("Email 3", "CONTACT"), ("Pager number 77", "CONTACT"), ("something else", "PHI"),
    ],
)  # fmt: skip
def test_tags_of_physionet_have_coarse_labels(tmp_path, tag, label):
    (tmp_path / "a.res").write_text(f"START_OF_RECORD=1||||1||||\nSeen [**{tag}**] here||||END_OF_RECORD")
    output = OUTPUT_READERS["physionet"](tmp_path)["1-1"]
    assert [(one.start, one.end, one.label) for one in output.spans_in("Seen Xyz here")] == [(5, 8, label)]


@pytest.mark.parametrize(
    ("form", "name", "content", "message"),
    [
        ("mist", "a.json", "{}", "is not MAT JSON"),
        ("mist", "a.json", "not json Brennock", "is not MAT JSON"),
        ("mist", "a.json", '{"signal": "x", "asets": [{"type": "A", "annots": [[3, 1]]}]}', "empty span"),
        ("brat", "a.ann", "T1\tNAME one two\tBrennock", r"a.ann:1: is not a text-bound"),
        ("scrubber", "a.json", "", "holds no output"),
        ("other", "a.json", "", "formats are mist"),
    ],
)
def test_files_of_another_form_are_refused_without_their_text(tmp_path, form, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message) as raised:
        ImportedOutputs({"source": f"{form}:{tmp_path}"})
    assert "Brennock" not in str(raised.value)


@pytest.mark.parametrize(
    ("note", "text", "message"), [("n/2", TEXT, "no output for"), ("n/1", TEXT + "x", "is not that of")]
)
def test_a_note_without_its_output_is_an_error(tmp_path, note, text, message):
    mist(tmp_path)
    with pytest.raises(InputError, match=message):
        ImportedOutputs({"source": f"mist:{tmp_path}"}).find(SystemNote(note, text))


def test_other_outputs_are_another_version(tmp_path):
    scrubber(tmp_path)
    before = ImportedOutputs({"source": f"scrubber:{tmp_path}"}).version
    assert ImportedOutputs({"source": f"scrubber:{tmp_path}"}).version == before
    (tmp_path / "n2.txt").write_text("more")
    assert ImportedOutputs({"source": f"scrubber:{tmp_path}"}).version != before


def test_the_process_speaks_the_protocol(tmp_path):
    mist(tmp_path)
    lines = [
        {"protocol": 1, "options": {"source": f"mist:{tmp_path}"}},
        {"id": "n/1", "text": TEXT},
        {"id": "n/9", "text": TEXT},
    ]
    ended = subprocess.run(
        [sys.executable, "-m", "deid_tasks.comparison.imports"],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = {answer.id: answer for answer in map(parse_answer, ended.stdout.splitlines()[1:])}
    assert [TEXT[one.start : one.end] for one in answers["n/1"].spans] == MARKED
    assert answers["n/9"].error == "InputError"


@pytest.mark.parametrize("name", ["files", "llm", "aws", "azure", "google"])
def test_each_system_has_an_adapter_and_labels(name):
    folder = Path(deid_tasks.comparison.__file__).parent / "systems" / name
    assert json.loads((folder / "labels.json").read_text())
    compile((folder / "adapter.py").read_text(), "adapter.py", "exec")
