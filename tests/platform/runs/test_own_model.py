"""An institution's own model: patients are divided once, and no evaluation counts notes that a model was trained on."""

import json
from pathlib import Path

import psycopg2
import pytest
from pydantic import ValidationError

from deid_tasks.core.errors import InputError, ModelError, WarehouseError
from deid_tasks.platform import runs
from deid_tasks.platform.runs.own_model import train_on_gold
from deid_tasks.platform.runs.patient_split import PatientSplit, is_unseen_by_models, model_splits
from deid_tasks.settings import GateSettings
from tests.support.freeze_truth import freeze_truth
from tests.support.tiny_model import save_encoder


def test_a_split_is_of_patients_and_keeps_its_share() -> None:
    split = PatientSplit("riverside", 0.3, "salt")
    held = [split.is_held_out(f"p{number}", "n") for number in range(2_000)]
    assert 0.26 < sum(held) / len(held) < 0.34
    assert split.is_held_out("p1", "n1") == split.is_held_out("p1", "n2")
    notes = {split.is_held_out("", f"n{number}") for number in range(50)}
    assert notes == {True, False}
    other = PatientSplit("riverside", 0.3, "pepper")
    assert [other.is_held_out(f"p{number}", "n") for number in range(2_000)] != held
    assert is_unseen_by_models((), "p1", "n")
    assert is_unseen_by_models((split, other), "p1", "n") == (
        split.is_held_out("p1", "n") and other.is_held_out("p1", "n")
    )


def test_a_model_is_trained_registered_and_certified_on_patients_it_never_saw(site, tmp_path: Path) -> None:
    encoder = save_encoder("bert", tmp_path / "encoder")
    training = {
        "encoder": str(encoder),
        "layers": 1,
        "steps": 2,
        "simulated_notes": 0,
        "held_out": 0.4,
        "gold_repeats": 1,
    }
    own_settings = site.settings.model_copy(
        update={"training": site.settings.training.model_copy(update=training), "work_dir": str(tmp_path / "work")}
    )
    lines: list[str] = []
    with pytest.raises(ModelError, match="reads 66 pieces at once, not a window of 128"):
        train_on_gold(own_settings, site.secrets, lines.append)
    encoder = save_encoder("bert", tmp_path / "longer", positions=160)
    settings = own_settings.model_copy(
        update={"training": own_settings.training.model_copy(update={"encoder": str(encoder)})}
    )
    result = train_on_gold(settings, site.secrets, lines.append)
    model = Path(result["model"])
    assert model.parent == tmp_path / "work" / "models"
    assert model.stat().st_mode & 0o077 == 0
    assert result["trained_notes"] + result["held_out_notes"] == 160
    assert {path.name for path in model.iterdir()} == {
        "config.json", "model.onnx", "model.safetensors", "tokenizer.json", "training.json",
    }  # fmt: skip
    assert not list((tmp_path / "work" / "training").rglob("checkpoint.pt"))
    # Neither the log nor the files hold text, names or patients.
    said = "\n".join([*lines, (model / "config.json").read_text(), (model / "training.json").read_text()])
    last_names = {patient.person.last for patient in site.hospital.patients}
    assert not [name for name in last_names if len(name) > 5 and name in said]
    _certify(site, settings, result)


@pytest.fixture
def disagreement(site):
    """Two gold sets of disagreement samples, the second with a note of the random sample; deleted after the test."""
    connection = psycopg2.connect(site.uri)
    chosen = (site.notes[160:180], site.notes[159:200:2])
    versions = [
        freeze_truth(connection, site.settings, notes, "disagreement", sample_version=f"sample {number}").version
        for number, notes in enumerate(chosen)
    ]
    connection.close()
    yield versions
    site.rows("delete from riverside_gold.gold_set where design = 'disagreement'")


def test_disagreement_notes_are_trained_on_and_neither_scored_nor_evaluated(site, tmp_path: Path, disagreement) -> None:
    encoder = save_encoder("bert", tmp_path / "encoder", positions=160)
    training = {
        "encoder": str(encoder),
        "layers": 1,
        "steps": 1,
        "simulated_notes": 0,
        "held_out": 0.4,
        "gold_repeats": 1,
    }

    def trained(**changes):
        settings = site.settings.training.model_copy(update=training | changes)
        update = {"training": settings, "work_dir": str(tmp_path / "work")}
        return train_on_gold(site.settings.model_copy(update=update), site.secrets, lambda line: None)

    split = PatientSplit("riverside", 0.4, "palimpsest/riverside")
    held = [split.is_held_out(note.patient_id, note.note_id) for note in site.notes]
    usual, without = trained(), trained(designs=("stratified", "random"))
    assert (without["trained_notes"], without["held_out_notes"]) == (160 - sum(held[:160]), sum(held[:160]))
    own = [*range(160, 180), *range(181, 200, 2)]
    assert usual["trained_notes"] - without["trained_notes"] == sum(not held[note] for note in own) > 0
    assert usual["held_out_notes"] == without["held_out_notes"]
    assert set(usual["gold_versions"]) - set(without["gold_versions"]) == set(disagreement)
    assert set(runs.evaluate_and_certify(site.settings, site.secrets)["designs"]) == {"stratified", "random"}


def test_the_gate_refuses_disagreement_notes_and_training_needs_the_designs_of_the_settings(site) -> None:
    with pytest.raises(ValidationError, match="a disagreement sample holds notes chosen for the engine's errors"):
        GateSettings(designs=("random", "disagreement"))
    training = site.settings.training.model_copy(update={"designs": ("random", "disagreement")})
    with pytest.raises(WarehouseError, match="has no disagreement gold set; run sample__riverside"):
        train_on_gold(site.settings.model_copy(update={"training": training}), site.secrets)


def _certify(site, settings, result) -> None:
    """Settings that name the model give another fingerprint, and only held-out patients are counted."""
    before = runs.load_engine(site.settings, site.secrets).fingerprint
    document = site.settings.model_dump(mode="json")
    document["detect"]["detectors"] = [*document["detect"]["detectors"], "transformer"]
    document["detect"]["transformers"] = [{"model": result["model"], "outside_bias": 10}]
    named = type(site.settings).model_validate(document)
    assert model_splits(site.settings) == ()
    [split] = model_splits(named)
    assert split.institution == "riverside"
    evaluated = runs.evaluate_and_certify(named, site.secrets)
    assert evaluated["fingerprint"] != before
    counted = sum(design["gold_notes"] for design in evaluated["designs"].values())
    assert counted == result["held_out_notes"]


def test_a_split_without_one_part_is_refused(site, tmp_path: Path) -> None:
    training = site.settings.training.model_copy(update={"held_out": 1e-9})
    settings = site.settings.model_copy(update={"training": training, "work_dir": str(tmp_path / "work")})
    with pytest.raises(InputError, match="0 of 160 gold notes are of held-out patients, but both parts need notes"):
        train_on_gold(settings, site.secrets)


def test_a_model_whose_training_cannot_be_read_is_refused(site, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"palimpsest": {"trained_on": {"salt": 1}}}))
    document = site.settings.model_dump(mode="json")
    document["detect"] |= {"detectors": ["transformer"], "transformers": [{"model": str(tmp_path)}]}
    with pytest.raises(ModelError, match="what the model was trained on cannot be read"):
        model_splits(type(site.settings).model_validate(document))
