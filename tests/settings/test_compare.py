"""Settings of the comparison that follows an evaluation: what is refused when the file is read."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from deid_tasks.core.errors import SettingsError
from deid_tasks.settings import CompareSettings, load_institution
from deid_tasks.settings.compare import option_name

ROOT = Path(__file__).resolve().parents[2]
RIVERSIDE = (ROOT / "dags" / "institutions" / "riverside.yaml").read_text()


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Read the demo institution with a section ``compare``."""
    monkeypatch.setenv("PALIMPSEST_WORK_DIR", str(tmp_path))

    def load(section: str):
        path = tmp_path / "riverside.yaml"
        path.write_text(f"{RIVERSIDE}\ncompare: {section}\n")
        return load_institution(path)

    return load


def test_nothing_is_compared_unless_the_settings_say_so(read):
    assert read("{}").compare.systems == CompareSettings().systems == ()


@pytest.mark.parametrize("system", ["llm:/etc/palimpsest/llm.yaml", "aws", "azure", "google"])
def test_a_system_that_sends_text_away_needs_a_second_setting(read, system):
    with pytest.raises(SettingsError) as raised:
        read(f"{{systems: [presidio, '{system}']}}")
    said = str(raised.value)
    assert f"{system} may send text of notes beyond this host; remove it, or set compare.allow_remote: true" in said
    assert "presidio" not in said
    assert said.count("compare:") == 1
    assert "(line " in said
    assert read(f"{{systems: ['{system}'], allow_remote: true}}").compare.systems == (system,)


def test_systems_that_stay_on_the_host_need_no_more(read):
    systems = "palimpsest, presidio, philter, openmed, scrubadub, 'hf:/m', 'spacy:/m', 'physionet:/p', 'adapter:/a/own'"
    assert len(read(f"{{systems: [{systems}]}}").compare.systems) == 9


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"systems": ["presidoi"]}, "'presidoi' is not a known system; known are palimpsest, presidio"),
        ({"systems": ["hf"]}, "write hf:…, not hf"),
        ({"systems": ["philter:x"]}, "write philter, not philter:x"),
        ({"systems": ["presidio", "presidio"]}, "a system is named twice"),
        ({"systems": ["adapter:own"]}, "give the whole path of the folder"),
        ({"systems": ["adapter:/a/../own"]}, "give the whole path of the folder"),
        ({"systems": ["adapter:/a/own", "adapter:/b/own"]}, "two adapters are both called 'own'"),
        ({"systems": ["adapter:/a/engine"]}, "an adapter cannot be called 'engine'"),
        ({"systems": ["philter"], "options": {"presidio": {"min_score": 0}}}, "options.presidio: this system is not"),
        ({"systems": ["philter"] * 11}, "at most 10 items"),
        ({"folder": "../elsewhere"}, "String should match pattern"),
        ({"folder": "/elsewhere"}, "String should match pattern"),
        ({"folder": "a/../../b"}, "String should match pattern"),
        ({"max_notes": 0}, "greater than or equal to 1"),
        ({"system_minutes": 0}, "greater than 0"),
    ],
)
def test_what_cannot_work_is_refused_by_name(values, message):
    with pytest.raises(ValidationError) as raised:
        CompareSettings.model_validate(values)
    assert message in str(raised.value)


def test_options_are_written_under_the_name_of_a_system():
    assert [option_name(one) for one in ("presidio", "hf:/models/a", "adapter:/opt/own")] == ["presidio", "hf", "own"]
    values = {"systems": ["adapter:/opt/own"], "options": {"own": {"deep": True, "score": 0.5}}}
    assert CompareSettings.model_validate(values).options == {"own": {"deep": True, "score": 0.5}}
