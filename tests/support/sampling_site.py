"""An institution that is a few staging tables, from which samples are drawn."""

import base64

from deid_tasks.settings import InstitutionSettings, Secrets

KEY = bytes(range(32))
TABLES = """
create schema xx_staging; create schema xx_dictionaries;
create table xx_staging.stg_note (
    note_id text, patient_id text, note_type text, note_datetime timestamp, author_id text, note_text text,
    is_deleted boolean not null default false);
create table xx_staging.stg_patient (patient_id text, sex text, birth_date date, ethnicity_hint text);
create table xx_staging.stg_patient_merge (former_id text, surviving_id text, merged_at timestamp);
create table xx_staging.stg_exclusion (
    patient_id text, note_id text, reason text, valid_from timestamp, valid_to timestamp);
create table xx_dictionaries.dict_patient (patient_id text, term text, normalised text, kind text);
"""
PEOPLE = [
    ("P1", "Quillfeather", "quillfeather", "last"),
    ("P1", "Thessaly@Example.org", "thessaly example org", "email"),
    ("P1", "(617) 555-0199", "617 555 0199", "phone"),
    ("P1", "12 Elm Way", "12 elm way", "street"),
    ("P2", "Åkesson", "akesson", "last"),
    ("P2", "Lee", "lee", "first"),
]


def site(database, changes=None, **sampling):
    """Settings and secrets of the institution; ``changes`` are whole sections."""
    settings = InstitutionSettings.model_validate(
        {
            "institution": "xx",
            "title": "X",
            "warehouse": {"connection": "ehr", "layout": "omop"},
            "notes": {"start_date": "2024-01-01", "max_characters": 1_000},
            "obfuscate": {"key": "key"},
            "publish": {"bucket": "published", "object_store": "store", "catalog": "catalog"},
            "sampling": sampling,
            "work_dir": "/nowhere",
            **(changes or {}),
        }
    )
    return settings, Secrets({"ehr": database, "key": base64.b64encode(KEY).decode()}.get)


def put(ask, notes):
    ask("insert into xx_staging.stg_note values (%s, %s, %s, %s, 'A1', %s)", many=notes)


def drawn(ask, design):
    return ask(
        "select n.note_id, draw_order, has_own_pii, period from xx_gold.sample s join xx_gold.sample_note n using (sample_version)"
        " where design = %s order by draw_order, note_id",
        design,
    )
