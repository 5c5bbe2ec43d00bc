"""Any change of settings, models and lists that decides the output changes the fingerprint, and nothing else does."""

import dataclasses

import pytest
import yaml

from deid_tasks.engine import fingerprint as module
from deid_tasks.engine.fingerprint import (
    DECISIVE,
    LIBRARIES,
    MODULES,
    neural_version,
    rules_version,
)
from deid_tasks.engine.lexicon import LexiconTerm, compile_lexicon
from deid_tasks.settings import InstitutionSettings, load_institution

INDIFFERENT = {
    "changes",
    "team",
    "title",
    "owner",
    "warehouse",
    "dictionaries",
    "harvest",
    "training",
    "sampling",
    "annotation",
    "evidence",
    "gate",
    "alarms",
    "lineage",
    "approvals",
    "audit_log",
    "publish",
    "vault",
    "work_dir",
    "workspace",
    "landing",
    "maintenance",
    "release",
    "compare",
    "priority",
    "task_slots",
}

FILE = """
institution: riverside
title: Riverside Health
owner: data
warehouse: {connection: riverside_ehr, layout: omop}
notes: {start_date: 2024-01-01, shard_notes: 20, max_characters: 1000}
detect:
  detectors: [patterns, lexicon, patient, transformer]
  patterns: {identifiers: {MRN: ['RH\\d{7}'], ACCOUNT: ['AC\\d{5}']}}
  transformers: [{model: minilm, outside_bias: -1.0, threads: 1}]
policy: {group: C, keep: [TIME, AGE]}
obfuscate: {key: riverside_key}
publish: {bucket: published, object_store: store, catalog: catalog}
work_dir: /work
"""


def changed(path: str, value: object) -> InstitutionSettings:
    document = yaml.safe_load(FILE)
    *sections, key = path.split(".")
    place = document
    for section in sections:
        place = place[int(section)] if isinstance(place, list) else place.setdefault(section, {})
    place[key] = value
    return InstitutionSettings.model_validate(document)


def fingerprint(settings: InstitutionSettings, *arguments: object, **more: object) -> str:
    return module.fingerprint(settings, settings.institution, *arguments, **more)


SETTINGS = InstitutionSettings.model_validate(yaml.safe_load(FILE))
BEFORE = fingerprint(SETTINGS, "lexicon", ("weights",))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("institution", "lakeshore"),
        ("notes.max_characters", 2_000),
        ("detect.detectors", ["patterns", "lexicon", "patient"]),
        ("detect.patterns.identifiers", {"MRN": [r"RH\d{7}"]}),
        ("detect.patterns.identifiers", {"MRN": [r"RH\d{7}"], "ACCOUNT": [r"AC\d{6}"]}),
        ("detect.transformers.0.outside_bias", -2.0),
        ("detect.transformers.0.model", "other"),
        ("detect.transformers.0.backend", "torch"),
        ("detect.transformers.0.second_stage", {"model": "another"}),
        ("detect.inclusion", False),
        ("merge.priority", ["patterns", "patient", "lexicon", "transformer"]),
        ("recover.enabled", False),
        ("policy.group", "A"),
        ("policy.keep", ["TIME"]),
        ("policy.max_kept_age_years", 64),
        ("obfuscate.key", "other_key"),
        ("obfuscate.date_shift_days", [-30, 30]),
        ("second_search.within_note", "count"),
        ("judge", {"model": "m"}),
    ],
)
def test_a_decisive_setting_changes_it(path, value):
    assert fingerprint(changed(path, value), "lexicon", ("weights",)) != BEFORE


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("title", "Another name"),
        ("owner", "somebody"),
        ("warehouse.connection", "replica"),
        ("warehouse.layout", "clarity"),
        ("dictionaries.schedule", "0 3 * * *"),
        ("notes.start_date", "2020-01-01"),
        ("notes.schedule", "@hourly"),
        ("notes.shard_notes", 5_000),
        ("notes.max_shards", 3),
        ("detect.detectors", ["transformer", "patient", "lexicon", "patterns"]),
        ("detect.transformers.0.threads", 8),
        ("detect.transformers.0.batch_word_pieces", 32),
        ("detect.cache", {"enabled": False}),
        ("policy.keep", ["AGE", "TIME"]),
        ("harvest.min_patients", 5),
        ("sampling.size", 5),
        ("sampling.seed", 99),
        ("annotation.preannotate", True),
        ("annotation.format", "brat"),
        ("gate.recall_min", 0.5),
        ("gate.designs", ["random"]),
        ("gate.approval", True),
        ("gate.data_docs", "/docs"),
        ("gate.drift", {"max_ratio": 3}),
        ("publish.bucket", "elsewhere"),
        ("work_dir", "/elsewhere"),
    ],
)
def test_any_other_setting_does_not(path, value):
    settings = changed(path, value)
    assert settings != SETTINGS
    assert fingerprint(settings, "lexicon", ("weights",)) == BEFORE


JUDGED = changed("judge", {"model": "m"})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("model", "another"), ("min_score", 0.1), ("max_score", 0.8), ("temperature", None), ("seed", 7),
        ("max_output_tokens", 64), ("constraint", "none"), ("max_sentence_characters", 300),
    ],
)  # fmt: skip
def test_what_decides_a_judge_s_answers_changes_it(key, value):
    before = fingerprint(JUDGED, "lexicon", ("weights",))
    assert fingerprint(changed("judge", {"model": "m", key: value}), "lexicon", ("weights",)) != before


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("base_url", "http://127.0.0.1:9000/v1"), ("timeout_seconds", 5), ("attempts", 1), ("concurrency", 9),
        ("max_failures_in_a_row", 3), ("api_key_variable", "KEY"), ("cache", {"file": "/tmp/judge.sqlite"}),
        ("is_streaming", True), ("dollars_per_million_input", 1.0), ("allow_remote", True), ("max_wait_seconds", 1),
    ],
)  # fmt: skip
def test_how_a_judge_is_reached_does_not(key, value):
    before = fingerprint(JUDGED, "lexicon", ("weights",))
    assert fingerprint(changed("judge", {"model": "m", key: value}), "lexicon", ("weights",)) == before


def test_a_judge_changes_nothing_that_a_sentence_s_answer_depends_on():
    assert neural_version(JUDGED, ("w",)) == neural_version(SETTINGS, ("w",))
    assert rules_version(JUDGED) == rules_version(SETTINGS)


@pytest.mark.parametrize(
    ("path", "changes_it"),
    [("endpoints/chat.py", True), ("endpoints/prompts/identifiers-1/system.txt", False), ("comparison/run.py", False)],
)
def test_the_client_s_code_counts_where_there_is_a_judge_and_nowhere_else(tmp_path, path, changes_it):
    for name in (*MODULES, path):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")

    def fingerprints():
        module._part_hash.cache_clear()
        module._code_hash.cache_clear()
        return [fingerprint(one, "lexicon", ("weights",), package=tmp_path) for one in (SETTINGS, JUDGED)]

    before = fingerprints()
    (tmp_path / path).write_text("2")
    after = fingerprints()
    assert [one != other for one, other in zip(before, after, strict=True)] == [False, changes_it]


def test_the_words_of_the_prompt_count(monkeypatch):
    before = fingerprint(JUDGED, "lexicon", ("weights",))
    prompt = module.load_prompt("judge-1")
    monkeypatch.setattr(module, "load_prompt", lambda name: dataclasses.replace(prompt, digest="other words"))
    assert fingerprint(JUDGED, "lexicon", ("weights",)) != before


def test_every_section_is_decided_upon():
    """A new section of the settings must be put on one side or the other."""
    assert DECISIVE | INDIFFERENT | {"notes", "institution"} == set(InstitutionSettings.model_fields)


def test_the_order_of_keys_and_comments_in_the_file_change_nothing(tmp_path):
    def turned(value):
        if isinstance(value, dict):
            return {key: turned(value[key]) for key in reversed(value)}
        return value

    file = tmp_path / "riverside.yaml"
    file.write_text("# a comment\n" + yaml.safe_dump(turned(yaml.safe_load(FILE)), sort_keys=False))
    assert fingerprint(load_institution(file), "lexicon", ("weights",)) == BEFORE


@pytest.mark.parametrize(("lexicon", "models"), [("other", ("weights",)), ("lexicon", ("other",)), ("lexicon", ())])
def test_lexicon_and_weights_change_it(lexicon, models):
    assert fingerprint(SETTINGS, lexicon, models) != BEFORE


def test_what_was_approved_of_a_harvest_changes_it_and_not_what_the_models_find():
    assert fingerprint(SETTINGS, "lexicon", ("weights",), harvested=("inclusion 1",)) != BEFORE
    before = neural_version(SETTINGS, ("weights",))
    assert neural_version(changed("detect.inclusion", False), ("weights",)) == before
    assert neural_version(changed("detect.patterns.identifiers", {}), ("weights",)) == before
    assert neural_version(changed("detect.transformers.0.outside_bias", -2.0), ("weights",)) != before
    assert neural_version(SETTINGS, ("other",)) != before


@pytest.mark.parametrize(
    ("setting", "value"), [("recover.enabled", False), ("merge.votes", 2), ("detect.detectors", ["transformer"])]
)
def test_merging_and_recovery_decide_which_texts_the_second_stage_reads_and_no_answer(setting, value):
    other = changed(setting, value)
    assert neural_version(other, ("w",)) == neural_version(SETTINGS, ("w",))
    assert rules_version(other) != rules_version(SETTINGS)


def test_an_institution_s_own_rules_change_neither_version():
    for setting, value in (("detect.patterns.identifiers", {}), ("detect.inclusion", False)):
        other = changed(setting, value)
        assert neural_version(other, ("w",)) == neural_version(SETTINGS, ("w",))
        assert rules_version(other) == rules_version(SETTINGS)


@pytest.mark.parametrize(
    ("path", "changes_answers", "changes_rules"),
    [
        ("engine/detect/patterns/dates.py", False, True),
        ("engine/detect/patterns/words.txt", False, True),
        ("engine/merge/merge.py", False, True),
        ("engine/resolve.py", False, True),
        ("lists/names.tsv", False, True),
        ("engine/cascade.py", True, False),
        ("engine/detect/decode.py", True, False),
        ("engine/text/words.py", True, False),
        ("core/entities.py", True, False),
        ("engine/obfuscate/names.py", False, False),
    ],
)
def test_each_part_of_the_code_changes_its_version(tmp_path, path, changes_answers, changes_rules):
    for name in (
        "core/entities.py", "core/reference.py", "core/us_states.py", "core/detectors.py", "engine/resolve.py",
        "engine/cascade.py", "lists/names.tsv", path,
    ):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")

    def versions():
        module._part_hash.cache_clear()
        module._reference_hash.cache_clear()
        return neural_version(SETTINGS, ("w",), tmp_path), rules_version(SETTINGS, tmp_path, tmp_path / "lists")

    before = versions()
    (tmp_path / path).write_text("2")
    after = versions()
    assert [one != other for one, other in zip(before, after, strict=True)] == [changes_answers, changes_rules]


def test_the_order_of_two_models_changes_it():
    assert fingerprint(SETTINGS, "lexicon", ("a", "b")) != fingerprint(SETTINGS, "lexicon", ("b", "a"))


def test_one_dictionary_row_is_another_lexicon_version_and_the_order_of_rows_is_not(tmp_path):
    terms = [LexiconTerm("provider", "last", "Okafor", 3), LexiconTerm("facility", "name", "Mercy West", 1)]

    def version(name, rows):
        (tmp_path / name).mkdir()
        return compile_lexicon(iter(rows), tmp_path / name, key=bytes(32)).version

    first = version("a", terms)
    assert version("b", terms) == first
    assert version("c", [*terms, LexiconTerm("provider", "last", "Quillfeather", 1)]) != first
    assert version("d", terms[:1]) != first


@pytest.mark.parametrize("byte", [0, 5_000, -1])
def test_one_byte_of_the_weights_is_another_hash(tmp_path, byte):
    pytest.importorskip("torch")
    from deid_tasks.engine.detect.transformer import TransformerDetector
    from deid_tasks.settings import TransformerSettings
    from tests.support.tiny_model import write_tiny_model

    folder = write_tiny_model(tmp_path)
    before = TransformerDetector(TransformerSettings(model=str(folder))).sha256
    weights = bytearray((folder / "model.onnx").read_bytes())
    changed_file = folder / "model.onnx"
    weights[byte] ^= 1
    changed_file.write_bytes(weights)
    from deid_tasks.core.errors import DeidError

    try:
        after = TransformerDetector(TransformerSettings(model=str(folder))).sha256
    except DeidError:
        return  # damaged weights are refused, which is as good
    assert after != before


@pytest.mark.parametrize("name", [*LIBRARIES, "python", "unicode"])
def test_another_release_of_a_library_changes_it(monkeypatch, name):
    versions = module.library_versions()
    monkeypatch.setattr(module, "library_versions", lambda: {**versions, name: "0.0.1"})
    assert fingerprint(SETTINGS, "lexicon", ("weights",)) != BEFORE
