"""What dbt's column meta may say, and what is refused."""

from pathlib import Path

import pytest

from deid_tasks.core.errors import SettingsError
from deid_tasks.engine.obfuscate.tables import table_rules
from deid_tasks.platform.warehouse.contract import read_contract
from deid_tasks.settings import load_institutions

CONTRACT = Path(__file__).parents[3] / "dbt" / "models" / "staging" / "models.yml"
INSTITUTIONS = Path(__file__).parents[3] / "dags" / "institutions"
OWNER = {"patient_id": {"data_type": "text", "phi": "direct", "deid": "key:patient"}}


def column(deid, data_type="text", phi="quasi"):
    return {"data_type": data_type, "phi": phi, "deid": deid}


def test_the_shipped_contract_declares_every_table_that_the_institutions_publish():
    for settings in load_institutions(INSTITUTIONS):
        tables = read_contract(CONTRACT, settings.publish.tables)
        assert len(tables) == 9
        assert not [rules.name for rules in tables if not rules.kept]
        assert {rules.name for rules in tables if rules.owner is None} == {"providers", "facilities"}


@pytest.mark.parametrize(
    ("said", "refusal"),
    [
        (column(""), "no meta.deid"),
        (column(None), "no meta.deid"),
        (column("keep", phi="direct"), "may not be kept"),
        (column("keep", phi=None), "may not be kept"),
        (column("keep", "date"), "may not be kept"),
        (column("shift"), "a text cannot be shifted"),
        (column("entity:PATIENT", "date"), "is for texts"),
        (column("entity:PERSON"), "none of the rules"),
        (column("entity:PATIENT.nick"), "none of the rules"),
        (column("entity:PHONE.given"), "has no given part"),
        (column("key:person"), "none of the rules"),
        (column("entity_of:kind"), "has no column 'kind'"),
        (column("publish"), "none of the rules"),
        (column("keep", "jsonb"), "data_type is one of"),
        (column("key:patient"), "two columns would be published as patient_key"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_by_name(said, refusal):
    with pytest.raises(SettingsError, match=refusal) as caught:
        table_rules("stg_x", "x", OWNER | {"odd": said})
    assert "stg_x" in str(caught.value)


def test_dates_need_a_patient():
    with pytest.raises(SettingsError, match="no column of stg_x is key:patient"):
        table_rules("stg_x", "x", {"seen_on": column("shift", "date")})


def test_dropped_columns_are_not_published():
    rules = table_rules("stg_x", "x", OWNER | {"note": column("drop", phi="direct")})
    assert [rule.published for rule in rules.kept] == ["patient_key"]


def test_a_table_that_nobody_declared_is_refused():
    with pytest.raises(SettingsError, match="declares no table 'notes'; choose from encounters, facilities"):
        read_contract(CONTRACT, ["notes"])


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "models.yml").write_text("a: [b")
    (tmp_path / "manifest.json").write_text('{"nodes": []}')
    for name in ("models.yml", "manifest.json"):
        with pytest.raises(SettingsError, match=r"not a models\.yml or manifest\.json of dbt"):
            read_contract(tmp_path / name, ["patients"])
    with pytest.raises(SettingsError, match="cannot be read"):
        read_contract(tmp_path / "none.yml", ["patients"])
