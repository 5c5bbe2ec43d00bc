"""Versions are the same in every release: annotators' work and gold sets are stored under them."""

import pytest

from deid_tasks.evidence.sampling import SampleVersion, hashed_name
from deid_tasks.settings import DESIGNS, SamplingSettings

STRATIFIED = {"size": 10, "min_notes_per_stratum": 3, "weight": "log10", "periods": [], "seed": 7}
DISAGREEMENT = {
    "disagreement_size": 4,
    "disagreement_pool": 9,
    "seed": 7,
    "periods": [],
    "fingerprint": "f",
    "held_out": 0.2,
}


@pytest.mark.parametrize(
    ("design", "settings", "version"),
    [
        ("stratified", STRATIFIED, "44b13c56a8ab9696"),
        ("disagreement", DISAGREEMENT, "43be8512a23ffbb4"),
        ("random", {"random_size": 5, "seed": 7, "periods": []}, "d3a30eb00cb83ec8"),
    ],
)
def test_a_renamed_setting_keeps_the_version(design, settings, version):
    sample = SampleVersion(design, settings)
    sample.add("n1", "d1")
    sample.add("n2", "d2")
    assert sample.finish() == version


def test_only_present_names_have_a_first_spelling():
    names = {*DESIGNS, *SamplingSettings.model_fields}
    changed = {name for name in names if hashed_name(name) != name}
    assert changed == {"disagreement", "disagreement_size", "disagreement_pool", "min_notes_per_stratum"}
