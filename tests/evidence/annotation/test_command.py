"""``deid annotate`` and ``deid agreement``, as a shell calls them."""

import json
import os
import re
import subprocess
import sys

import pytest
import yaml

from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote
from tests.support.annotation_desk import NOTES, A, B, C, changed


@pytest.fixture
def deid(desk, tmp_path):
    """Runs a command; gives exit status, standard output and standard error."""
    folder = tmp_path / "institutions"
    folder.mkdir()
    (folder / "riverside.yaml").write_text(yaml.safe_dump(json.loads(desk.settings.model_dump_json())))

    def run(*arguments, annotate=True):
        command = [sys.executable, "-m", "deid_tasks.cli", *map(str, arguments)]
        if annotate:
            command += ["--institution", "riverside", "--institutions", str(folder)]
        environment = os.environ | {"PALIMPSEST_SECRET_RIVERSIDE_EHR": desk.uri, "COLUMNS": "200"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    return run


def test_from_sample_to_gold_set(desk, deid, no_phi):
    status, _, said = deid("annotate", "export")
    assert (status, "run sample__riverside" in said) == (2, True)
    desk.draw()
    printed = [deid("annotate", "export")]
    assert printed[-1][0] == 0
    assert str(desk.folder(A)) in printed[-1][1]
    desk.finish(A, changed())
    desk.finish(B, changed(N5=lambda spans: spans[1:]))
    printed.append(deid("annotate", "import"))
    assert f"random sample s1: {B}: 5 new notes" in printed[-1][1]
    printed.append(deid("annotate", "adjudicate"))
    assert "1 notes to decide" in printed[-1][1]
    printed.append(deid("annotate", "freeze"))
    assert printed[-1][0] == 1
    assert f"{C}: 1 notes with conflicts" in printed[-1][1]
    desk.finish(C, changed(), name="tasks-0001")
    printed.append(deid("annotate", "adjudicate"))
    printed.append(deid("annotate", "status"))
    assert "nothing is open" in printed[-1][1]
    assert re.search(r"random +s1 +5 +5 +\d +0\.\d{4} +0\.\d{4} +[01]\.\d{4}", printed[-1][1])
    printed.append(deid("annotate", "freeze"))
    assert printed[-1][0] == 0, printed[-1][2]
    ((version,),) = desk.rows("select gold_version from riverside_gold.gold_set")
    assert version in printed[-1][1]
    no_phi(printed)


def test_agreement_of_two_files(deid, tmp_path, no_phi):
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path, kept in zip(paths, (slice(None), slice(1, None)), strict=True):
        notes = [AnnotatedNote(n.note_id, n.text, n.spans[kept], annotator=path.stem) for n in NOTES]
        FORMATS["jsonl"].write(notes, path, annotated=True)
    status, said, _ = deid("agreement", *paths, annotate=False)
    assert status == 0
    # Missed by the second: Quillfeather, three words of a name, Thessaly, an MRN.
    assert re.search(r"identifier\s+16\s+6$", said, re.M)
    assert "5 notes, 51 words" in said or "5 notes" in said
    engine = tmp_path / "engine.jsonl"
    engine.write_text("".join(json.dumps({"id": note.note_id, "spans": []}) + "\n" for note in NOTES))
    status, said, _ = deid("agreement", *paths, "--predicted", engine, annotate=False)
    assert "ERRORS" in said
    no_phi(said)


def test_agreement_says_what_does_not_fit(deid, tmp_path):
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path, notes in zip(paths, (NOTES, NOTES[1:]), strict=True):
        found = [AnnotatedNote(n.note_id, n.text, n.spans, annotator=path.stem) for n in notes]
        FORMATS["jsonl"].write(found, path, annotated=True)
    status, said, _ = deid("agreement", *paths, annotate=False)
    assert (status, "1 notes are in" in said) == (1, True)
    status, _, said = deid("agreement", *paths, "--format", "word", annotate=False)
    assert (status, "--format is one of" in said) == (2, True)


def test_simulated_annotators_take_a_sample_to_its_gold_set(desk, deid, no_phi, tmp_path):
    gold = tmp_path / "gold.jsonl"
    FORMATS["jsonl"].write([AnnotatedNote(n.note_id, n.text, n.spans) for n in NOTES], gold, annotated=True)
    desk.draw()
    status, _, said = deid("annotate", "simulate")
    assert (status, "give --gold FILE, or --from-engine" in said) == (2, True)
    printed = [deid("annotate", "export")]
    printed.append(deid("annotate", "simulate", "--gold", gold))
    assert printed[-1][0] == 0, printed[-1][2]
    for person in (A, B):
        assert f"{person}: 5 notes marked" in printed[-1][1]
    printed.append(deid("annotate", "import"))
    printed.append(deid("annotate", "adjudicate"))
    printed.append(deid("annotate", "simulate", "--gold", gold))
    assert A not in printed[-1][1], "a finished list is left alone"
    printed.append(deid("annotate", "adjudicate"))
    printed.append(deid("annotate", "freeze"))
    assert printed[-1][0] == 0, printed[-1]
    assert "gold set" in printed[-1][1]
    no_phi(printed)
