"""The engine of a command with `--institution`: whose session it is."""

import json
import os
import pwd

from deid_tasks.cli.engines import CommandEngine
from deid_tasks.cli.jsonl import Line


def test_a_session_that_reads_patients_records_names_the_person(site, tmp_path, monkeypatch):
    (tmp_path / "riverside.yaml").write_text(json.dumps(site.settings.model_dump(mode="json")))
    for name in ("riverside_ehr", "riverside_key"):
        monkeypatch.setenv(f"PALIMPSEST_SECRET_{name.upper()}", site.secrets.text(name))
    # Not what the user says of himself.
    monkeypatch.setenv("LOGNAME", "somebody")
    [(patient,)] = site.rows("select min(patient_id) from riverside_staging.stg_patient")
    engine = CommandEngine("riverside", tmp_path, needs_key=False)
    batches = engine.batches([Line(1, "n1", "Seen today.", patient)])
    assert list(next(batches).context.patients) == [patient]
    sessions = site.rows("select application_name from pg_stat_activity where application_name like 'palimpsest%'")
    assert (f"palimpsest {pwd.getpwuid(os.getuid()).pw_name}",) in sessions
