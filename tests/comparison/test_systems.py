"""The known systems: label maps, pins, names on the command line, and adapters that run where this Python runs."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from deid_tasks.comparison.environments import SystemUnavailableError, environment_of, python_of
from deid_tasks.comparison.labels import LabelMap, read_label_map
from deid_tasks.comparison.protocol import SystemNote, SystemSpan
from deid_tasks.comparison.registry import KNOWN_SYSTEMS, SYSTEMS_FOLDER, SystemDefinition, parse_systems
from deid_tasks.comparison.run import system_launcher
from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.settings.system_names import OWN_ADAPTER, SYSTEM_NAMES
from tests.support.small_systems import adapter
from tests.support.tiny_model import SIZES, write_tiny_tokenizer

NOTE = "Seen by Dr. Okafor on 3/14/2021. Call (617) 555-0123."
RUNNABLE = [one for one in KNOWN_SYSTEMS.values() if not one.missing]


def found(key, tmp_path, text=NOTE, options=()):
    (choice,) = parse_systems([key], options)
    process = system_launcher(tmp_path, lambda _: None)(choice)
    try:
        process.start()
        (answer,) = process.read([SystemNote("n", text)])
    finally:
        process.stop()
    assert answer.error is None
    return [(text[one.start : one.end], one.label) for one in answer.spans]


@pytest.mark.parametrize("definition", RUNNABLE, ids=lambda one: one.name)
def test_every_system_has_an_adapter_and_a_map_of_its_labels(definition):
    assert (definition.folder / "adapter.py").is_file()
    labels = json.loads((definition.folder / "labels.json").read_text())
    assert labels
    assert all(value is None or value in Entity.__members__ for value in labels.values())
    assert (definition.folder / "requirements.txt").is_file() or definition.runs_here


def test_our_labels_map_to_themselves():
    labels = read_label_map(SYSTEMS_FOLDER / "palimpsest" / "labels.json").entities
    assert labels == {str(entity): entity for entity in Entity}


@pytest.mark.parametrize("path", sorted(SYSTEMS_FOLDER.glob("*/requirements.txt")), ids=lambda path: path.parent.name)
def test_every_requirement_is_pinned(path):
    for line in path.read_text().splitlines():
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line), line


def test_labels_with_and_without_prefix_and_case():
    labels = LabelMap({"PERSON": Entity.PATIENT, "MISC": None})
    spans = [SystemSpan(0, 1, "B-Person"), SystemSpan(1, 2, "MISC"), SystemSpan(2, 3, "NOVEL", 0.5)]
    mapped = labels.spans(spans, "x")
    assert [(one.entity, one.score) for one in mapped] == [(Entity.PATIENT, 1.0), (Entity.OTHER_ID, 0.5)]
    assert labels.unknown == {"NOVEL": 1}


def test_a_label_map_with_an_unknown_entity_is_refused(tmp_path):
    path = tmp_path / "labels.json"
    path.write_text('{"X": "PERSONNE"}')
    with pytest.raises(InputError, match="PERSONNE"):
        read_label_map(path)


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (["presidoi"], (), "not a known system"),
        (["hf"], (), "write hf:MODEL"),
        (["philter:x"], (), "write philter, not"),
        (["philter"], ("presidio.min_score=1",), "not among the systems"),
        (["philter"], ("philter",), "not of the form"),
        (["adapter"], (), "not a known system"),
    ],
)
def test_a_wrong_name_is_one_clear_error(names, options, message):
    with pytest.raises(InputError, match=message):
        parse_systems(names, options)


def test_the_settings_know_the_same_systems():
    assert set(SYSTEM_NAMES) - {OWN_ADAPTER} == set(KNOWN_SYSTEMS)
    for name, definition in KNOWN_SYSTEMS.items():
        assert SYSTEM_NAMES[name].has_argument == bool(definition.argument), name
    beyond = {one.name for one in SYSTEM_NAMES.values() if one.sends_text}
    # Whoever talks to another host needs a proxy or a key from its environment.
    keys = {name for name, one in KNOWN_SYSTEMS.items() if {"HTTPS_PROXY", "AZURE_LANGUAGE_KEY"} & set(one.environment)}
    assert beyond == keys == {"llm", "aws", "azure", "google"}


def test_options_and_arguments_reach_their_system(tmp_path):
    model = tmp_path / "a"
    model.mkdir()
    first, second = parse_systems([f"hf:{model}", "presidio"], ["presidio.min_score=0.5", "hf.aggregation=first"])
    assert first.options == {"model": str(model), "aggregation": "first"}
    assert first.title == "Token classifier: a"
    assert second.options == {"min_score": "0.5"}


def test_a_system_gets_no_secret_of_this_process(monkeypatch):
    monkeypatch.setenv("AIRFLOW_CONN_RIVERSIDE", "postgres://secret")
    monkeypatch.setenv("HF_HOME", "/models")
    assert "AIRFLOW_CONN_RIVERSIDE" not in environment_of(KNOWN_SYSTEMS["presidio"], is_ours=False)
    assert "PYTHONPATH" not in environment_of(KNOWN_SYSTEMS["presidio"], is_ours=False)
    assert environment_of(KNOWN_SYSTEMS["hf"], is_ours=True)["HF_HOME"] == "/models"
    (choice,) = parse_systems(["presidio"], (), ["presidio.AIRFLOW_CONN_RIVERSIDE"])
    assert "AIRFLOW_CONN_RIVERSIDE" in environment_of(choice.definition, choice.variables, is_ours=False)


def test_a_system_without_a_package_says_so(tmp_path):
    with pytest.raises(SystemUnavailableError, match="empty package") as raised:
        python_of(KNOWN_SYSTEMS["pydeid"], tmp_path, lambda _: None)
    assert raised.value.reason == "NotInstalled"


def test_an_installation_that_fails_is_tried_again(tmp_path, monkeypatch):
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "requirements.txt").write_text("./no-such-package.whl\n")
    for _ in range(2):
        with pytest.raises(SystemUnavailableError) as raised:
            python_of(SystemDefinition("odd", "Odd", "", folder), tmp_path / "cache", lambda _: None)
        assert raised.value.reason == "InstallFailed"
        assert "no-such-package" in str(raised.value)


def test_an_environment_is_made_once_and_is_separate(tmp_path):
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "requirements.txt").write_text("")
    said = []
    definition = SystemDefinition("plain", "Plain", "", folder)
    first = python_of(definition, tmp_path / "cache", said.append)
    assert python_of(definition, tmp_path / "cache", said.append) == first
    assert len(said) == 1
    assert first != Path(sys.executable)
    assert first.exists()


def test_our_engine_answers(tmp_path):
    spans = found("palimpsest", tmp_path, options=["palimpsest.models=false"])
    assert ("3/14/2021", "DATE") in spans
    assert any(label == "PHONE" for _, label in spans)


def test_an_unknown_option_is_refused_by_the_system(tmp_path):
    with pytest.raises(SystemUnavailableError, match="unknown option 'colour'"):
        found("palimpsest", tmp_path, options=["palimpsest.colour=red"])


def test_a_token_classifier_reads_notes_longer_than_its_window(tmp_path):
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    torch.manual_seed(1)
    labels = {0: "O", 1: "B-PATIENT"}
    config = transformers.BertConfig(
        **SIZES, pad_token_id=0, id2label=labels, label2id={label: number for number, label in labels.items()}
    )
    network = transformers.BertForTokenClassification(config)
    with torch.no_grad():
        # Every piece is a patient: what is not marked was not read.
        network.classifier.bias.copy_(torch.tensor([-100.0, 100.0]))
    folder = tmp_path / "model"
    network.save_pretrained(folder)
    write_tiny_tokenizer(folder)
    (folder / "plain.json").unlink()
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizerFast", "pad_token": "[PAD]"})
    )
    text = "seen by dr on no fever " * 30
    spans = found(f"hf:{folder}", tmp_path / "cache", text)
    assert {label for _, label in spans} == {"PATIENT"}
    assert sum(len(part.split()) for part, _ in spans) >= len(text.split())


def test_a_persons_own_adapter(tmp_path):
    adapter(tmp_path / "inhouse")
    assert found(f"adapter:{tmp_path / 'inhouse'}", tmp_path, "met Maria") == [("Maria", "NAME")]
    with pytest.raises(InputError, match=r"adapter\.py: no such file"):
        parse_systems([f"adapter:{tmp_path}"])


DEID_PL = r"""
# Reads and writes the files of deid.pl: dates as 3/14/2021, and names after "Dr. ".
use strict; my ($name, $config) = @ARGV; die "no config" unless -e $config;
local $/; open(my $in, "<", "$name.text") or die; my $all = <$in>;
open(my $out, ">", "$name.phi") or die;
while ($all =~ /START_OF_RECORD=(\d+)\|\|\|\|(\d+)\|\|\|\|\n(.*?)\|\|\|\|END_OF_RECORD/gs) {
  my ($patient, $note, $text) = ($1, $2, $3); print $out "Patient $patient\tNote $note\n";
  while ($text =~ m{(\d+/\d+/\d+|(?<=Dr\. )[A-Z]\w+)}g) { my ($s, $e) = ($-[1], $+[1]); print $out "$s\t$s\t$e\n"; }
}
"""


@pytest.mark.skipif(shutil.which("perl") is None, reason="no Perl")
def test_the_files_of_deid_pl_are_written_and_read(tmp_path):
    folder = tmp_path / "deid"
    folder.mkdir()
    (folder / "deid.pl").write_text(DEID_PL)
    (folder / "deid-output.config").write_text("")
    text = "Zoë 🙂 saw Dr. Okafor\r\non 3/14/2021"
    assert found(f"physionet:{folder}", tmp_path, text) == [("Okafor", "PHI"), ("3/14/2021", "PHI")]


def test_a_missing_copy_of_deid_pl_says_what_to_give(tmp_path):
    with pytest.raises(SystemUnavailableError, match="physionet:FOLDER"):
        found(f"physionet:{tmp_path}", tmp_path)


def test_a_system_s_process_knows_what_the_deployment_forbids(monkeypatch):
    monkeypatch.setenv("PALIMPSEST_FORBID_REMOTE_ENDPOINTS", "true")
    seen = environment_of(KNOWN_SYSTEMS["llm"], is_ours=True)
    assert seen["PALIMPSEST_FORBID_REMOTE_ENDPOINTS"] == "true"
