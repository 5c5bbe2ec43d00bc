"""Samples in the platform's own tables, without a dbt run."""

import json
import logging
from collections.abc import Callable

import pytest

from deid_tasks.platform.warehouse.upgrade import upgrade_schemas
from deid_tasks.settings import InstitutionSettings, Secrets
from tests.support.annotation_desk import FORMATS, NOTES, Desk


@pytest.fixture
def desk(database, tmp_path) -> Desk:
    settings = InstitutionSettings.model_validate(
        {
            "institution": "riverside",
            "title": "Riverside Health",
            "warehouse": {"connection": "riverside_ehr", "layout": "omop"},
            "notes": {"start_date": "2024-01-01"},
            "obfuscate": {"key": "riverside_key"},
            "publish": {"bucket": "published", "object_store": "object_store", "catalog": "catalog"},
            "work_dir": str(tmp_path / "work"),
        }
    )
    made = Desk(settings, Secrets({"riverside_ehr": database}.get), database)
    upgrade_schemas(database, settings)
    return made


@pytest.fixture(params=FORMATS)
def any_format(desk, request) -> Desk:
    """The desk, working in each of the four formats."""
    annotation = desk.settings.annotation.model_copy(update={"format": request.param})
    desk.settings = desk.settings.model_copy(update={"annotation": annotation})
    return desk


@pytest.fixture
def no_phi(caplog) -> Callable[..., None]:
    """Asserts that nothing of a note stands in what is given, nor in any log."""
    words = {note.text[span.start : span.end] for note in NOTES for span in note.spans if span.end - span.start > 4} | {
        "falling",
        "normal",
        "called",
    }
    caplog.set_level(logging.DEBUG)

    def check(*printed: object) -> None:
        everything = json.dumps([str(one) for one in printed], ensure_ascii=False) + caplog.text
        assert [word for word in words if word in everything] == []

    return check
