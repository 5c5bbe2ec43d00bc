"""Files as other tools and corpora leave them; everyone in them is invented."""

import json

import pytest

from deid_tasks.core.errors import InputError
from deid_tasks.evidence.annotation.formats import FORMATS, labeling_config


def marked(note):
    return [(note.text[s.start : s.end], str(s.entity)) for s in note.spans]


def put(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


I2B2_2014 = """<?xml version="1.0" encoding="UTF-8" ?>
<deIdi2b2>
<TEXT><![CDATA[


Record date: 2078-04-12

 Mr. Olvera, 64, seen at Edgemont <Clinic> & sons.
]]></TEXT>
<TAGS>
<DATE id="P0" start="16" end="26" text="2078-04-12" TYPE="DATE" comment="" />
<NAME id="P1" start="33" end="39" text="Olvera" TYPE="PATIENT" comment="" />
<AGE id="P2" start="41" end="43" text="64" TYPE="AGE" comment="" />
<LOCATION id="P3" start="53" end="70" text="Edgemont &lt;Clinic&gt;" TYPE="HOSPITAL" comment="" />
</TAGS>
</deIdi2b2>
"""


def test_i2b2_2014(tmp_path):
    put(tmp_path, {"220-01.xml": I2B2_2014})
    [note] = FORMATS["i2b2-2014"].read(tmp_path)
    assert (note.note_id, note.patient_id) == ("220-01", "220")
    assert marked(note) == [
        ("2078-04-12", "DATE"),
        ("Olvera", "PATIENT"),
        ("64", "AGE"),
        ("Edgemont <Clinic>", "FACILITY"),
    ]


def test_i2b2_2006(tmp_path):
    text = (
        '<?xml version="1.0"?>\n<ROOT>\n<RECORD ID="7"><TEXT>Seen by <PHI TYPE="DOCTOR">RALPH O&apos;NEAL</PHI> , M.D. on '
        '<PHI TYPE="DATE">08/14</PHI>.\n</TEXT></RECORD>\n<RECORD ID="8"><TEXT>Nothing &amp; nobody</TEXT></RECORD>\n</ROOT>\n'
    )
    put(tmp_path, {"train.xml": text})
    first, second = FORMATS["i2b2-2006"].read(tmp_path / "train.xml")
    assert marked(first) == [("RALPH O'NEAL", "PROVIDER"), ("08/14", "DATE")]
    assert (second.note_id, second.text, second.spans) == ("8", "Nothing & nobody", ())


PHYSIONET = (
    "\nSTART_OF_RECORD=1||||2||||\nPt. seen by Dr. Hamm 3/14.\nDaughter Lea at bedside.\n||||END_OF_RECORD\n"
    "\nSTART_OF_RECORD=3||||1||||\nQuiet night.\n||||END_OF_RECORD\n"
)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {"id.phrase": "1 2 16 20 HCPName Hamm\n1 2 21 25 Date 3/14\n1 2 36 39 RelativeProxyName Lea\n"},
            [("Hamm", "PROVIDER"), ("3/14", "DATE"), ("Lea", "RELATIVE")],
        ),
        (
            {"id.phi": "Patient 1\tNote 2\n16\t16\t20\n21\t21\t25\nPatient 3\tNote 1\n"},
            [("Hamm", "OTHER_ID"), ("3/14", "OTHER_ID")],
        ),
    ],
)
def test_physionet(tmp_path, files, expected):
    put(tmp_path, {"id.text": PHYSIONET, **files})
    first, second = FORMATS["physionet"].read(tmp_path)
    assert (first.note_id, first.patient_id, second.note_id) == ("1-2", "1", "3-1")
    assert marked(first) == expected
    assert second.spans == ()


def test_brat_with_fragments_and_the_labels_of_meddocan(tmp_path):
    text = "Paciente:  María Núñez 👩, varón.\nCalle\nMayor 3\n"
    ann = (
        "T1\tNOMBRE_SUJETO_ASISTENCIA 11 22\tMaría Núñez\nT2\tSEXO_SUJETO_ASISTENCIA 26 31\tvarón\n"
        "T3\tCALLE 33 38;39 46\tCalle Mayor 3\nE1\tEvent:T1\n#1\tAnnotatorNotes T1\tsure\n"
    )
    put(tmp_path, {"a/S1.txt": text, "a/S1.ann": ann})
    [note] = FORMATS["brat"].read(tmp_path)
    assert marked(note) == [("María Núñez", "PATIENT"), ("Calle", "STREET"), ("Mayor 3", "STREET")]


CRLF = "Adm 3/14\r\nMargaret Thibodeaux\r\nseen by Dr. Okafor\r\n"
LF = CRLF.replace("\r\n", "\n")
EXPECTED = [("3/14", "DATE"), ("Margaret Thibodeaux", "PATIENT"), ("Okafor", "PROVIDER")]


def offsets(text):
    return [(text.index(part), text.index(part) + len(part), part, label) for part, label in EXPECTED]


def xml_of(text, tags):
    lines = [
        f'<NAME id="P{n}" start="{start}" end="{end}" text="{part}" TYPE="{label.replace("PROVIDER", "DOCTOR")}" />'
        for n, (start, end, part, label) in enumerate(tags)
    ]
    return f"<deIdi2b2><TEXT><![CDATA[{text}]]></TEXT><TAGS>{''.join(lines)}</TAGS></deIdi2b2>"


@pytest.mark.parametrize(
    ("text", "counted", "read"),
    [
        (LF, LF, LF),
        # The tags count the line ends that stand in the file, which a parser changes.
        (CRLF, CRLF, CRLF),
        # A file that was converted after annotation.
        (CRLF, LF, LF),
        (LF, CRLF, LF),
    ],
)
def test_i2b2_2014_tags_mark_what_they_say_whatever_the_line_ends(tmp_path, text, counted, read):
    put(tmp_path, {"a.xml": xml_of(text, offsets(counted))})
    [note] = FORMATS["i2b2-2014"].read(tmp_path)
    assert (note.text, marked(note)) == (read, EXPECTED)


def test_i2b2_2014_without_the_text_of_tags_is_read_as_it_is(tmp_path):
    put(tmp_path, {"a.xml": xml_of(LF, offsets(LF)).replace(" text=", " comment=")})
    [note] = FORMATS["i2b2-2014"].read(tmp_path)
    assert marked(note) == EXPECTED


@pytest.mark.parametrize(("text", "counted"), [(LF, LF), (CRLF, CRLF), (CRLF, LF), (LF, CRLF)])
def test_brat_marks_what_it_says_whatever_the_line_ends(tmp_path, text, counted):
    lines = [f"T{n}\t{label} {a} {b}\t{part}\n" for n, (a, b, part, label) in enumerate(offsets(counted), 1)]
    put(tmp_path, {"a.txt": text, "a.ann": "".join(lines)})
    [note] = FORMATS["brat"].read(tmp_path)
    assert (note.text, marked(note)) == (text, EXPECTED), "the text stays that of the file"


def test_one_mark_that_line_ends_do_not_explain_is_an_error(tmp_path):
    tags = offsets(LF)
    tags[0] = (0, 4, *tags[0][2:])
    put(tmp_path, {"a.xml": xml_of(LF, tags)})
    with pytest.raises(InputError, match=r"a\.xml: tag P0: the offsets 0-4"):
        list(FORMATS["i2b2-2014"].read(tmp_path))


@pytest.mark.parametrize("more", [0, 1])
def test_a_byte_order_mark_is_no_part_of_the_text_whether_tools_count_it_or_not(tmp_path, more):
    put(tmp_path, {"a.txt": "\ufeffAnn Lee", "a.ann": f"\ufeffT1\tPATIENT {4 + more} {7 + more}\tLee\n"})
    [note] = FORMATS["brat"].read(tmp_path)
    assert (note.text, marked(note)) == ("Ann Lee", [("Lee", "PATIENT")])


@pytest.mark.parametrize("name", ["jsonl", "doccano"])
def test_a_byte_order_mark_loses_no_line(name, tmp_path):
    line = {"id": "a", "note_id": "a", "text": "Ann", "spans": [], "label": []}
    put(tmp_path, {"n.jsonl": b"\xef\xbb\xbf" + json.dumps(line).encode()})
    assert [note.note_id for note in FORMATS[name].read(tmp_path / "n.jsonl")] == ["a"]


def test_what_follows_a_note_that_cannot_be_read_can_be_read(tmp_path):
    put(tmp_path, {"a.txt": "Ann", "a.ann": "T1\tPLANET 0 3\tAnn\n", "b.txt": "Ann", "b.ann": ""})
    bad, good = FORMATS["brat"].read_each(tmp_path)
    assert (isinstance(bad, InputError), good.note_id) == (True, "b")
    text = "-DOCSTART- O\n\nAda B-PLANET\n\n-DOCSTART- O\n\nAda B-PER\n"
    put(tmp_path, {"c/a.conll": text})
    bad, good = FORMATS["conll"].read_each(tmp_path / "c" / "a.conll")
    assert "a.conll:3: its label is not a label" in str(bad)
    assert (good.note_id, marked(good)) == ("a-2", [("Ada", "PATIENT")])


def test_conll_columns(tmp_path):
    text = (
        "-DOCSTART- -X- O O\n\nDr. NNP I-NP O\nAda NNP I-NP I-PER\nPark NNP I-NP I-PER\n\nPark NNP I-NP I-PER\nleft VB O O\n"
        "\n-DOCSTART- -X- O O\n\nGerman JJ I-NP I-MISC\n"
    )
    put(tmp_path, {"eng.testa": text})
    first, second = FORMATS["conll"].read(tmp_path / "eng.testa")
    assert first.text == "Dr. Ada Park\nPark left\n"
    assert marked(first) == [("Ada Park", "PATIENT"), ("Park", "PATIENT")]
    assert (second.note_id, second.spans) == ("eng-2", ())


def test_doccano_with_relations_and_meta(tmp_path):
    records = [
        {
            "id": 1,
            "text": "Ann 👩 Lee",
            "meta": {"note_id": "n1"},
            "entities": [{"id": 5, "label": "PATIENT", "start_offset": 0, "end_offset": 9}],
        },
        {"id": 2, "text": "Ann", "note_id": "n2", "label": [[0, 3, "PATIENT"]], "Comments": []},
    ]
    put(tmp_path, {"all.jsonl": "\n".join(map(json.dumps, records))})
    assert [(n.note_id, marked(n)) for n in FORMATS["doccano"].read(tmp_path / "all.jsonl")] == [
        ("n1", [("Ann 👩 Lee", "PATIENT")]),
        ("n2", [("Ann", "PATIENT")]),
    ]


TEXT = "👩 Ann Lee\r\nsaw Dr. Okafor"


def studio(*results, text=TEXT, people=(3,), **more):
    annotations = [
        {"id": i, "completed_by": who, "result": [{"type": "labels", "value": value} for value in results], **more}
        for i, who in enumerate(people)
    ]
    return json.dumps([{"id": 9, "data": {"text": text, "note_id": "n1"}, "annotations": annotations}])


@pytest.mark.parametrize(
    "value",
    [
        {"start": 2, "end": 9, "text": "Ann Lee", "labels": ["PATIENT"]},
        # As JavaScript counts.
        {"start": 3, "end": 10, "text": "Ann Lee", "labels": ["PATIENT"]},
        {"start": 2, "end": 9, "labels": ["PATIENT"]},
    ],
)
def test_label_studio_spans_mark_what_they_say(tmp_path, value):
    put(tmp_path, {"done.json": studio(value)})
    [note] = FORMATS["label-studio"].read(tmp_path / "done.json")
    assert marked(note) == [("Ann Lee", "PATIENT")]
    assert note.annotator == "3"


def test_label_studio_takes_what_is_finished_and_newest(tmp_path):
    one = {"start": 2, "end": 5, "text": "Ann", "labels": ["PATIENT"]}
    tasks = json.loads(studio(one))
    tasks[0]["annotations"] += [
        {
            "id": 7,
            "completed_by": 3,
            "updated_at": "2026-01-02T00:00:00Z",
            "result": [{"type": "labels", "value": {**one, "end": 9, "text": "Ann Lee"}}],
        },
        {"id": 8, "completed_by": 3, "was_cancelled": True, "updated_at": "2026-01-03T00:00:00Z", "result": []},
    ]
    tasks.append({"data": {"text": "unfinished", "note_id": "n2"}, "annotations": []})
    put(tmp_path, {"done.json": json.dumps(tasks)})
    [note] = FORMATS["label-studio"].read(tmp_path / "done.json")
    assert marked(note) == [("Ann Lee", "PATIENT")]


def test_the_labeling_configuration_has_every_entity():
    config = labeling_config()
    assert config.count("<Label ") == 32
    assert 'value="HEALTH_PLAN"' in config


SECRET = "Okafor"
BROKEN = [
    ("jsonl", {"n.jsonl": '{"id": 1, "text": "Okafor", "spans": []}\n{"id": 2, '}, r"n\.jsonl:2: is not valid JSON"),
    ("jsonl", {"n.jsonl": b'{"id": 1, "text": "Okafor \xff"}'}, r"n\.jsonl:1: is not valid UTF-8"),
    (
        "jsonl",
        {"n.jsonl": '{"id": 1, "text": "Okafor", "spans": [{"start": 0, "end": 99, "entity": "DATE"}]}'},
        "1: span 0-99 is empty or outside its text of 6 characters",
    ),
    ("jsonl", {"n.jsonl": "[1]"}, "not a JSON object"),
    ("jsonl", {"n.jsonl": '{"id": 1, "text": "Okafor"}'}, r"n\.jsonl:1: has no list 'spans'"),
    ("jsonl", {"n.jsonl": '{"id": 1, "text": "Okafor", "spans": null}'}, r"n\.jsonl:1: has no list 'spans'"),
    (
        "jsonl",
        {"n.jsonl": '{"id": 1, "text": "Okafor", "spans": [{"start": 0, "end": 3, "entity": "PATIENTS"}]}'},
        r"n\.jsonl:1: 'PATIENTS' is not a label of .* \(near: PATIENT",
    ),
    ("doccano", {"n.jsonl": '{"note_id": "a", "text": "Okafor"}'}, "1: has no list 'label' or 'entities'"),
    (
        "brat",
        {"a.txt": "Dr. Okafor", "a.ann": "T7\tPATIENT 0 6\tOkafor\n"},
        r"a\.ann:1: T7: the offsets 0-6 do not match",
    ),
    (
        "i2b2-2014",
        {"a.xml": I2B2_2014.replace('start="33" end="39"', 'start="15" end="21"').replace("Olvera", SECRET)},
        r"a\.xml: tag P1: the offsets 15-21 do not match",
    ),
    ("doccano", {"n.jsonl": '{"id": 1, "text": "Okafor"}'}, "1: needs a string 'text' and a 'note_id'"),
    ("doccano", {"n.jsonl": '{"note_id": "a", "text": "Okafor", "label": [[0, 3]]}'}, "1: has a span without"),
    ("label-studio", {"n.json": '{"text": "Okafor"}'}, "not a JSON array of tasks"),
    ("label-studio", {"n.json": '[{"data": {"text": "Okafor"}}]'}, r"task 1: lacks data\.text and data\.note_id"),
    (
        "label-studio",
        {"n.json": studio({"start": 0, "end": 3, "text": "Okafor", "labels": ["PATIENT"]})},
        "note n1: the offsets 0-3 do not match",
    ),
    ("label-studio", {"n.json": studio({"start": 0, "end": 3, "labels": ["PATIENT", "DATE"]})}, "has 2 labels"),
    ("label-studio", {"n.json": studio(people=(1, 2))}, "annotated by 2 people"),
    ("brat", {"a.ann": "T1\tPATIENT 0 3\tAnn\n"}, r"a\.txt: cannot be read"),
    ("brat", {"a.txt": SECRET, "a.ann": "T1\tPATIENT 0 99\tOkafor\n"}, "span 0-99 is empty or outside its text of 6"),
    ("brat", {"a.txt": SECRET, "a.ann": "T1\tPATIENT zero\tOkafor\n"}, r"a\.ann:1: is not a text-bound"),
    ("brat", {"a.txt": SECRET, "a.ann": "T1\tPLANET 0 6\tOkafor\n"}, r"a\.ann:1: T1: 'PLANET' is not a label"),
    ("brat", {"a.txt": b"\xff", "a.ann": ""}, r"a\.txt: is not valid UTF-8 at byte 0"),
    ("i2b2-2014", {"a.xml": "<deIdi2b2><TEXT>Okafor</TEXT>"}, r"a\.xml: is not valid XML at line 1"),
    ("i2b2-2014", {"a.xml": "<deIdi2b2/>"}, "has no TEXT"),
    (
        "i2b2-2014",
        {"a.xml": '<!DOCTYPE a [<!ENTITY x "Okafor">]><deIdi2b2><TEXT>&x;</TEXT></deIdi2b2>'},
        r"a\.xml: declares XML entities",
    ),
    (
        "i2b2-2006",
        {"a.xml": '<!DOCTYPE a [<!ENTITY x SYSTEM "Okafor">]><ROOT><RECORD ID="1"><TEXT>&x;</TEXT></RECORD></ROOT>'},
        r"a\.xml: declares XML entities",
    ),
    (
        "i2b2-2014",
        {"a.xml": '<deIdi2b2><TEXT>Okafor</TEXT><TAGS><NAME id="P1" start="x" TYPE="DOCTOR"/></TAGS></deIdi2b2>'},
        "tag P1 lacks",
    ),
    (
        "i2b2-2014",
        {"a.xml": '<deIdi2b2><TEXT>Okafor</TEXT><TAGS><NAME start="0" end="7" TYPE="DOCTOR"/></TAGS></deIdi2b2>'},
        "outside its text",
    ),
    ("i2b2-2006", {"a.xml": "<ROOT><RECORD><TEXT>Okafor</TEXT></RECORD></ROOT>"}, "lacks ID"),
    ("i2b2-2006", {"a.xml": '<ROOT><RECORD ID="1"><TEXT>Okafor</RECORD></ROOT>'}, "not valid XML at line 1"),
    ("physionet", {"id.text": PHYSIONET}, r"neither a \.phrase nor a \.phi"),
    (
        "physionet",
        {"id.text": PHYSIONET, "id.phrase": "9 9 0 3 Date Okafor\n"},
        "patient 9 note 9 has offsets but no record",
    ),
    ("physionet", {"id.text": PHYSIONET, "id.phrase": "1 2 zero 3 Date Okafor\n"}, r"id\.phrase:1: is not a line"),
    ("physionet", {"id.text": SECRET, "id.phrase": ""}, "holds no START_OF_RECORD"),
    ("conll", {"a.conll": "Okafor\n"}, r"a\.conll:1: has a token without a label"),
    ("conll", {"a.conll": "Okafor PER\n"}, "its label is neither O, B-… nor I-…"),
]


@pytest.mark.parametrize(("name", "files", "reason"), BROKEN)
def test_bad_input_is_one_error_that_names_the_place_and_quotes_nothing(tmp_path, name, files, reason):
    folder = put(tmp_path, files)
    source = folder if name in {"brat", "i2b2-2014", "physionet"} else folder / next(iter(files))
    with pytest.raises(InputError, match=reason) as caught:
        list(FORMATS[name].read(source))
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_not_there_is_an_error(name, tmp_path):
    with pytest.raises(InputError):
        list(FORMATS[name].read(tmp_path / "nothing"))


@pytest.mark.parametrize("name", ["i2b2-2006", "physionet", "conll"])
def test_corpora_are_read_only(name, tmp_path):
    with pytest.raises(InputError, match="read-only"):
        FORMATS[name].write([], tmp_path / "x", annotated=True)
