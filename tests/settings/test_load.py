"""What a settings file that breaks the model is told."""

import pytest
import yaml

from deid_tasks.core.errors import SettingsError
from deid_tasks.settings import load_institution
from tests.settings.test_renamed import SETTINGS


def problem_of(tmp_path, **sections) -> str:
    path = tmp_path / "riverside.yaml"
    path.write_text(yaml.safe_dump(SETTINGS | sections, sort_keys=False))
    with pytest.raises(SettingsError) as caught:
        load_institution(path)
    return str(caught.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("sections", "said"),
    [
        ({"obfuscate": None}, "obfuscate: the section is empty: it needs key (line 8)"),
        ({"publish": None}, "publish: the section is empty: it needs bucket, object_store, catalog (line 10)"),
        ({"gate": None}, "gate: the section is empty: write its settings below it, or remove it (line 15)"),
        ({"obfuscate": "riverside_key"}, "obfuscate: must be a mapping of settings (line 8)"),
        (
            {"detect": {"transformers": [None]}},
            "detect.transformers.0: the section is empty: write its settings below it, or remove it (line 17)",
        ),
        (
            {"warehouse": {"connection": "ehr", "layout": "omop", "connections": None}},
            "warehouse.connections: the section is empty: write its settings below it, or remove it (line 6)",
        ),
    ],
    ids=lambda value: value.split(":")[0] if isinstance(value, str) else "",
)
def test_an_empty_section_is_told_what_it_needs(tmp_path, sections, said):
    assert problem_of(tmp_path, **sections) == said


def test_two_empty_sections_are_told_both(tmp_path):
    said = problem_of(tmp_path, obfuscate=None, publish=None)
    assert "obfuscate: the section is empty: it needs key" in said
    assert "publish: the section is empty: it needs bucket" in said
