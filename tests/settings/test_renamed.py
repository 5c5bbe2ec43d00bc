"""Old spellings of settings are accepted for one release, with a warning that names file, key and new key."""

import copy
import warnings

import pytest
import yaml

from deid_tasks.core.errors import InputError, SettingsError
from deid_tasks.learning.train.settings import plan
from deid_tasks.settings import (
    HarvestSettings,
    InstitutionSettings,
    RenamedSettingWarning,
    Section,
    load_engine_settings,
    load_institution,
)

SETTINGS = {
    "institution": "riverside",
    "title": "Riverside Health",
    "warehouse": {"connection": "riverside_ehr", "layout": "omop"},
    "notes": {"start_date": "2024-01-01"},
    "obfuscate": {"key": "riverside_key"},
    "publish": {"bucket": "published", "object_store": "store", "catalog": "catalog"},
    "work_dir": "/work",
}
OLD_AND_NEW = [
    ("harvest.least_patients", 7, "harvest.min_patients", 7),
    ("sampling.least", 3, "sampling.min_notes_per_stratum", 3),
    ("sampling.disputed_size", 5, "sampling.disagreement_size", 5),
    ("sampling.disputed_pool", 50, "sampling.disagreement_pool", 50),
    ("merge.models", ["NAME", "DATE"], "merge.category_priority", ["NAME", "DATE"]),
    ("training.trunk", "mpnet", "training.encoder", "mpnet"),
    ("training.designs", ["random", "disputed"], "training.designs", ["random", "disagreement"]),
    ("detect.transformers", [{"second": {"model": "mpnet"}}], "detect.transformers",
    [{"second_stage": {"model": "mpnet"}}]),
    ("detect.transformers", [{"batch_pieces": 32}], "detect.transformers", [{"batch_word_pieces": 32}]),
]  # fmt: skip


def document(path: str, value: object) -> dict[str, object]:
    made = copy.deepcopy(SETTINGS)
    section, key = path.split(".")
    made.setdefault(section, {})[key] = value
    return made


def sections(model: type[Section] = Section) -> list[type[Section]]:
    return [model, *(below for sub in model.__subclasses__() for below in sections(sub))]


@pytest.mark.parametrize(("old", "old_value", "new", "new_value"), OLD_AND_NEW)
def test_an_old_spelling_means_the_same_and_warns(old, old_value, new, new_value, tmp_path):
    file = tmp_path / "riverside.yaml"
    file.write_text(yaml.safe_dump(document(old, old_value)))
    with pytest.warns(RenamedSettingWarning) as raised:
        read = load_institution(file)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read == InstitutionSettings.model_validate(document(new, new_value))
    printed = [str(warning.message) for warning in raised if warning.category is RenamedSettingWarning]
    assert len(set(printed)) == 1
    assert str(file) in printed[0]
    assert new.rpartition(".")[2] in printed[0] or "disagreement" in printed[0]


def test_every_old_key_is_in_the_table_above():
    tested = {old.rpartition(".")[2] for old, *_ in OLD_AND_NEW} | {"second", "batch_pieces"}
    assert {key for section in sections() if section.renamed for key in section.renamed.keys} <= tested


def test_both_spellings_are_one_clear_error(tmp_path):
    file = tmp_path / "riverside.yaml"
    file.write_text(yaml.safe_dump(SETTINGS | {"harvest": {"least_patients": 7, "min_patients": 8}}))
    with pytest.raises(SettingsError, match="least_patients is the old name of min_patients: keep min_patients"):
        load_institution(file)


def test_an_old_key_is_refused_where_it_never_was():
    with pytest.raises(ValueError, match="least_patients"):
        InstitutionSettings.model_validate(document("sampling.least_patients", 7))


def test_the_warning_names_the_new_key_without_a_file():
    with pytest.warns(RenamedSettingWarning, match="^harvest.least_patients is now harvest.min_patients;"):
        assert HarvestSettings.model_validate({"least_patients": 4}).min_patients == 4


def test_training_recipes_accept_their_old_keys(tmp_path):
    changes = {"model": {"trunk": "mpnet", "reads": "units"}, "fit": {"batch_pieces": 64}}
    with pytest.warns(RenamedSettingWarning):
        [one] = plan(tmp_path, changes=changes)
    assert (one.model.encoder, one.model.reads, one.fit.batch_word_pieces) == ("mpnet", "word_groups", 64)
    with pytest.raises(InputError, match="trunk is the old name of encoder"):
        plan(tmp_path, changes={"model": {"trunk": "mpnet", "encoder": "minilm"}})


def test_an_engine_file_needs_no_institution(tmp_path):
    file = tmp_path / "engine.yaml"
    file.write_text("policy: {group: A}\ndetect: {transformers: [{model: minilm}]}\n")
    settings = load_engine_settings(file)
    assert settings.policy.group == "A"
    assert settings.detect.detectors == ("patterns", "transformer")
    file.write_text("publish: {bucket: here}\n")
    with pytest.raises(SettingsError, match=r"publish: Extra inputs are not permitted \(line 1\)"):
        load_engine_settings(file)


@pytest.mark.parametrize("suffix", [".yaml", ".yml"])
def test_institutions_are_read_from_either_suffix(suffix, tmp_path):
    from deid_tasks.settings import load_institutions

    (tmp_path / f"riverside{suffix}").write_text(yaml.safe_dump(SETTINGS))
    (tmp_path / "notes.txt").write_text("nothing of ours")
    assert [one.institution for one in load_institutions(tmp_path)] == ["riverside"]
