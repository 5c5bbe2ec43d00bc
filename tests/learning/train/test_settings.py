"""Settings of a training: presets say what was published, and what is wrong is said in one line."""

from pathlib import Path
from typing import Any

import pytest

from deid_tasks.core.errors import InputError
from deid_tasks.learning.train.settings import FitSettings, NetworkSettings, plan, read_changes


def test_the_published_preset_is_the_published_recipe(tmp_path: Path) -> None:
    trainings = {one.folder.name: one for one in plan(tmp_path, "published")}
    assert list(trainings) == ["names", "names_titled", "locations", "ages", "organizations"]
    for one in trainings.values():
        fit = one.fit
        assert (one.model.window, fit.epochs, fit.batch_windows, fit.learning_rate, fit.warmup, fit.optimizer) == (
            256, 4, 32, 5e-5, 0.4, "adam",
        )  # fmt: skip
    assert [name for name, one in trainings.items() if one.model.is_titled] == ["names_titled"]
    assert trainings["ages"].model.entities == ("AGE",)
    assert set(trainings["names"].model.entities or ()) == {"PATIENT", "PROVIDER", "RELATIVE"}


def test_ours_is_one_model_in_the_folder_itself(tmp_path: Path) -> None:
    [one] = plan(tmp_path)
    assert (one.folder, one.model, one.fit) == (tmp_path, NetworkSettings(), FitSettings())


def test_changes_are_made_to_every_model(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("model: {encoder: minilm, layers: 2}\nfit: {steps: 5}\nmixture: {negatives: 10}\nseed: 3\n")
    for one in plan(tmp_path, "published", read_changes(path)):
        assert (one.model.encoder, one.model.layers, one.fit.steps, one.mixture.negatives, one.seed) == ("minilm", 2, 5,
        10, 3)  # fmt: skip
        assert one.fit.warmup == 0.4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"modle": {}}, "'modle' is not known"),
        ({7: {}, "modle": {}}, "'7' is not known"),
        ({"model": {"layer": 3}}, "model.layer is not known"),
        ({"model": {"layers": 0}}, "model.layers: Input should be greater than or equal to 1, not 0"),
        ({"model": {"head": "softmax"}}, "model.head: Input should be 'linear' or 'crf', not 'softmax'"),
        ({"model": {"entities": ["PATIENTS"]}}, "model.entities.0: "),
        ({"model": {"has_rules": True, "context": "window"}}, "model.has_rules needs model.context sentence"),
        ({"model": []}, "model is not a mapping"),
        ({"fit": {"epochs": -1}}, "fit.epochs: Input should be greater than 0"),
        ({"fit": {"rates": {"upper": "often"}}}, "fit.rates.upper: "),
        ({"mixture": {"negatives": "many"}}, "mixture.negatives: "),
        ({"seed": "x"}, "seed: "),
    ],
)
def test_bad_settings_are_refused_in_one_line(changes: dict[Any, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        plan(tmp_path, changes=changes)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_unknown_preset_and_a_broken_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="preset is palimpsest or shipped or filter or published, not 'best'"):
        plan(tmp_path, "best")
    with pytest.raises(InputError, match=r"none\.yaml is missing"):
        read_changes(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_text("model: [")
    with pytest.raises(InputError, match=r"bad\.yaml is not YAML"):
        read_changes(tmp_path / "bad.yaml")


def test_one_preset_trains_both_models_that_ship(tmp_path: Path) -> None:
    plans = plan(tmp_path, "shipped", {"mixture": {"corpora": "/nowhere"}})
    assert [(one.folder.name, one.model.encoder, one.model.layers) for one in plans] == [
        ("minilm", "minilm", 6),
        ("mpnet", "mpnet", 6),
    ]
    assert all(one.fit.steps and str(one.mixture.corpora) == "/nowhere" for one in plans)
