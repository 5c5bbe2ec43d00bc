"""`make demo` from end to end: what came of it, and that no planted identifier stands where it must not."""

import datetime
import io
import itertools
import json
import re
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path

import psycopg2
import pytest
from rich.console import Console

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import WarehouseError
from deid_tasks.demo import down, processes
from deid_tasks.demo.changes import events_of
from deid_tasks.demo.command import BACKFILLED
from deid_tasks.demo.deid import command_environment
from deid_tasks.demo.flow import KINDS
from deid_tasks.demo.report import query
from deid_tasks.demo.seed import START
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.hospital import write_notes
from deid_tasks.hospital.history.events import (
    NoteAmended,
    NoteArrivedLate,
    NoteDeleted,
    PatientExcluded,
    PatientsMerged,
)
from deid_tasks.platform.publish import open_table
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.role_check import role_differences
from tests.support import demo_storage, published_days
from tests.support.canary import Search, names_of, numbers_of, planted
from tests.support.celery_airflow import celery_airflow, publish_with_a_killed_worker
from tests.support.demo_run import SIZE
from tests.support.failed_task import fail_on_a_note
from tests.support.phi_places import WITH_TEXT, WITHOUT_TEXT, files_with, schemas_of, tables_with

pytestmark = pytest.mark.slow

DAYS = [(BACKFILLED[0] + datetime.timedelta(days=i)).isoformat() for i in range(3)]
WITHIN = f"between '{DAYS[0]}' and '{DAYS[-1]} 23:59:59.999999'"
INSTITUTIONS = ("lakeshore", "riverside")
institutions = pytest.mark.parametrize("institution", INSTITUTIONS)


class TestOutcome:
    def test_what_a_killed_demo_had_done_is_not_done_again(self, demo):
        assert "admitting the patients of Lakeshore" not in demo.said
        assert "admitting the patients of Riverside" in demo.said

    @institutions
    def test_every_run_succeeded(self, demo, institution):
        for kind in KINDS:
            states = {run["state"] for run in demo.api.runs(f"{kind}__{institution}")}
            assert states == {"success"}, kind

    @institutions
    def test_people_labelled_what_was_drawn_and_a_third_decided(self, demo, institution):
        gold = demo.rows(
            f"select g.design, g.notes = s.notes, g.kappa, g.preannotated_by from {institution}_gold.gold_set g"
            f" join {institution}_gold.sample s using (sample_version) order by 1"
        )
        assert [(design, whole, shown) for design, whole, _, shown in gold] == [
            ("random", True, ""),
            ("stratified", True, ""),
        ]
        assert all(0.9 < kappa < 1 for *_, kappa, _ in gold)
        decided = dict(
            demo.rows(f"select basis || ' ' || decided_by, count(*) from {institution}_gold.gold_decision group by 1")
        )
        assert set(decided) == {"agreement annotator_a+annotator_b", "adjudication adjudicator"}
        assert decided["agreement annotator_a+annotator_b"] > decided["adjudication adjudicator"] > 0

    @institutions
    def test_the_certificate_speaks_of_both_designs_and_the_page_of_nobody(self, demo, institution, search):
        evaluated = demo.rows(f"select distinct sample from {institution}_results.evaluation order by 1")
        assert evaluated == [("random",), ("stratified",)]
        pages = list((demo.folder / "work" / institution / "evaluation").glob("*.*"))
        assert {page.suffix for page in pages} == {".html", ".json"}
        for page in pages:
            assert not list(search(page.name, page.read_text()))

    @institutions
    def test_three_days_were_backfilled(self, demo, institution):
        found = demo.api.get(f"/api/v2/backfills?dag_id=notes__{institution}")["backfills"]
        assert [(one["from_date"][:10], one["to_date"][:10]) for one in found] == [(DAYS[0], DAYS[-1])]
        runs = demo.api.runs(f"notes__{institution}", "&run_type=backfill")
        assert sorted(run["logical_date"][:10] for run in runs) == DAYS

    @institutions
    def test_every_note_of_the_warehouse_is_accounted_for_by_the_ledger(self, demo, institution):
        source = demo.rows(
            f"select note_id from {institution}_staging.stg_note where note_datetime {WITHIN} and not is_deleted"
        )
        ledger = demo.rows(f"select note_id, outcome, note_key from {institution}_results.note_ledger")
        assert sorted(source) == sorted((note_id,) for note_id, *_ in ledger)
        outcomes = Counter(outcome for _, outcome, _ in ledger)
        assert set(outcomes) <= {"published", "unchanged", "quarantined", "excluded"}
        _, rows = self._ask(demo, f"note_key FROM notes WHERE institution = '{institution}'")
        published = [(key,) for _, outcome, key in ledger if outcome in {"published", "unchanged"}]
        assert sorted(rows) == sorted(published)
        assert 0 < len(published) <= SIZE.notes
        [counted] = demo.rows(
            "select sum(source), sum(published), sum(quarantined), sum(excluded), sum(in_table), sum(pending)"
            f" from {institution}_results.ledger_count"
        )
        assert counted == (
            len(source), len(published), outcomes["quarantined"], outcomes["excluded"], len(rows), 0
        )  # fmt: skip

    @institutions
    def test_the_table_follows_the_changes_and_the_demo_says_so(self, demo, institution):
        settings = next(one for one in demo.institutions if one.institution == institution)
        events = events_of(settings, SIZE, BACKFILLED)
        changed = {
            note: (cause, result)
            for note, cause, result in demo.rows(
                f"select note_id, cause, result from {institution}_results.run_note where run_id like 'changes/%'"
            )
        }
        moved = {event.former_id for event in events if isinstance(event, PatientsMerged)}
        withdrawn = {event.patient_id for event in events if isinstance(event, PatientExcluded)}
        merged = [note for note in self._notes(demo, institution) if note.patient_id in moved]
        excluded = [note for note in self._notes(demo, institution) if note.patient_id in withdrawn]
        expected = {event.note.note_id: ("amended", "written") for event in events if isinstance(event, NoteAmended)}
        expected |= {event.note.note_id: ("late", "written") for event in events if isinstance(event, NoteArrivedLate)}
        expected |= {event.note_id: ("deleted", "removed") for event in events if isinstance(event, NoteDeleted)}
        expected |= {note.note_id: ("merged", "written") for note in merged}
        expected |= {note.note_id: ("excluded", "removed") for note in excluded}
        assert {note: changed.get(note) for note in expected} == expected
        # The surviving patient's own notes are read again, because the record has the former id's names now.
        assert {changed[note] for note in set(changed) - set(expected)} == {("record", "written")}
        causes = Counter(cause for cause, _ in expected.values())
        column = 1 + INSTITUTIONS.index(institution)
        lines = [re.split(r" {2,}", line.strip()) for line in demo.said.splitlines()]
        shown = {line[0]: line[column] for line in lines if len(line) > column}
        assert shown["amended since, and published again"] == str(causes["amended"])
        assert shown["filed late, and published"] == str(causes["late"])
        assert shown["retracted: deleted or consent withdrawn"] == str(causes["deleted"] + causes["excluded"])

    @institutions
    def test_dags_that_follow_single_days_hear_of_each(self, demo, institution):
        [asset] = demo.api.get(f"/api/v2/assets?name_pattern=note_days__{institution}")["assets"]
        events = demo.api.get(f"/api/v2/assets/events?asset_id={asset['id']}&limit=100")["asset_events"]
        days = demo.rows(f"select distinct note_day::text from {institution}_results.published_slice")
        assert {event["partition_key"] for event in events} == {f"{institution}|{day}" for (day,) in days}

    @institutions
    def test_a_merged_patients_notes_are_published_under_the_survivor(self, demo, institution):
        settings = next(one for one in demo.institutions if one.institution == institution)
        [merge] = [one for one in events_of(settings, SIZE, BACKFILLED) if isinstance(one, PatientsMerged)]
        keys = {one: _key_of(settings, demo, one) for one in (merge.former_id, merge.surviving_id)}
        _, rows = self._ask(demo, f"patient_key, count(*) FROM notes WHERE institution = '{institution}' GROUP BY 1")
        counted = dict(rows)
        assert keys[merge.former_id] not in counted
        patients = Counter(note.patient_id for note in self._notes(demo, institution))
        assert counted[keys[merge.surviving_id]] == patients[merge.former_id] + patients[merge.surviving_id]

    @institutions
    def test_every_slice_names_the_certificate_it_was_published_under(self, demo, institution):
        issued = dict(
            demo.rows(
                f"select certificate_id, fingerprint from {institution}_results.certificate where verdict = 'passed'"
            )
        )
        slices = self._summaries(demo, institution)
        # One for each day, and one for what changed since.
        assert len({summary["palimpsest.run"] for summary in slices}) == len(DAYS) + 1
        for summary in slices:
            assert issued[summary["palimpsest.certificate"]] == summary["palimpsest.fingerprint"]

    def test_the_table_is_read_back_by_an_outside_reader(self, demo):
        names, rows = self._ask(
            demo, "institution, count(*) AS notes, min(length(text)) FROM notes GROUP BY 1 ORDER BY 1"
        )
        assert names[:2] == ["institution", "notes"]
        assert [row[0] for row in rows] == list(INSTITUTIONS)
        assert all(shortest > 0 for *_, shortest in rows)

    def test_the_last_words_of_the_command(self, demo):
        for expected in (
            "notes read",
            "published",
            "quarantined",
            "retracted",
            "word recall",
            "notes per second",
            "SELECT",
            "password",
        ):
            assert expected in demo.said
        assert demo.platform.places.airflow in demo.said

    @institutions
    def test_commands_can_be_run_on_the_demo_with_its_secrets(self, demo, institution):
        self._command(demo, "audit", "verify", "--institution", institution)

    @institutions
    def test_a_note_is_explained_by_what_the_warehouse_knows(self, demo, institution, tmp_path):
        wanted = {Entity.PATIENT, Entity.PROVIDER, Entity.MRN}
        notes = self._notes(demo, institution)
        note = next(note for note in notes if wanted <= {span.entity for span in note.spans})
        line = {"id": note.note_id, "patient_id": note.patient_id, "text": note.text}
        path = tmp_path / "note.jsonl"
        path.write_text(json.dumps(line), encoding="utf-8")
        explained = json.loads(self._command(demo, "explain", path, "--institution", institution, "--json", "-"))
        found = " ".join(span["sources"] for span in explained["spans"])
        assert re.search(r"patient\.\w+: stg_patient_\w+ since 20\d\d-", found)
        assert re.search(r"provider\.\w+: stg_provider since 20\d\d-", found)
        assert explained["lexicon"]

    @staticmethod
    def _command(demo, *arguments):
        """What a command says that runs with the demo's secrets."""
        environment = command_environment(demo.state, demo.platform, demo.institutions)
        command = [sys.executable, "-m", "deid_tasks.cli", *map(str, arguments)]
        command += ["--institutions", str(demo.folder.parent / "institutions")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @staticmethod
    def _ask(demo, sql):
        return query(demo.institutions[0], demo.secrets, f"SELECT {sql}")

    @staticmethod
    def _notes(demo, institution):
        """The simulated notes of the published days."""
        days = (BACKFILLED[0], BACKFILLED[-1])
        return [
            note for note in write_notes(demo.hospitals[institution]) if days[0] <= note.note_datetime.date() <= days[1]
        ]

    @staticmethod
    def _summaries(demo, institution):
        snapshots = open_table(demo.institutions[0], demo.secrets).snapshots()
        printed = [dict(snapshot.summary.additional_properties) for snapshot in snapshots]
        mine = [summary for summary in printed if summary.get("palimpsest.institution") == institution]
        # Airflow also runs the last scheduled day, on which nobody wrote a note.
        return [summary for summary in mine if int(summary["palimpsest.notes"])]


class TestLeastPrivilege:
    """Everything above was done by logins that may do what their task needs and nothing else."""

    @institutions
    def test_the_database_has_the_roles_and_no_other_rights(self, demo, institution):
        settings = next(one for one in demo.institutions if one.institution == institution)
        with connect(demo.secrets.text(settings.warehouse.connection_of("owner"))) as connection:
            assert role_differences(connection, settings) == []

    @institutions
    def test_what_dbt_and_the_platform_made_belongs_to_their_roles(self, demo, institution):
        owners = dict(
            demo.rows(
                "select schemaname, string_agg(distinct tableowner, ' ') from pg_tables"
                f" where schemaname like '{institution}%' and schemaname not like '%expected' group by 1"
            )
        )
        assert owners[f"{institution}_dictionaries"] == owners[f"{institution}_history"] == f"{institution}_build"
        assert owners[f"{institution}_results"] == owners[f"{institution}_gold"] == f"{institution}_owner"

    def test_no_task_and_no_page_is_the_superuser(self, demo):
        passwords = {uri.split("@")[0].rsplit(":", 1)[1] for uri in demo.platform.places.databases.values()}
        for service in ("scheduler", "api-server", "dag-processor"):
            for pid in processes.running(demo.folder, service):
                given = Path(f"/proc/{pid}/environ").read_text(errors="replace")
                assert "PALIMPSEST_INSTITUTIONS" in given
                assert not any(password in given for password in passwords)
                assert ("RIVERSIDE_SURROGATE_KEY" in given) == (service == "scheduler")
                assert ("RIVERSIDE_PAGE" in given) == (service == "api-server")
                assert "REIDENTIFY" not in given

    @institutions
    @pytest.mark.parametrize(
        ("task", "statement"),
        [
            ("engine", "insert into {0}_results.note_ledger default values"),
            ("engine", "select * from {0}_gold.gold_span"),
            ("page", "select note_text from {0}_staging.stg_note"),
            ("publish", "update {0}_results.certificate set verdict = 'passed'"),
            ("evidence", "delete from {0}_results.audit_log"),
            ("build", "select * from {0}_results.audit_log"),
            ("reidentify", "select note_text from {0}_staging.stg_note"),
        ],
    )
    def test_a_login_cannot_do_what_others_do(self, demo, institution, task, statement):
        settings = next(one for one in demo.institutions if one.institution == institution)
        uri = demo.secrets.text(settings.warehouse.connection_of(task))
        with pytest.raises(WarehouseError, match="permission denied"), connect(uri) as connection:
            connection.cursor().execute(statement.format(institution))


@pytest.fixture(scope="module")
def day_on_celery(demo):
    """What happened when workers of Celery published the second day again."""
    pytest.importorskip("airflow.providers.celery")
    with celery_airflow(demo) as airflow:
        return publish_with_a_killed_worker(airflow, BACKFILLED[0] + datetime.timedelta(days=1))


class TestExecutors:
    """Whatever runs it publishes the bytes that the LocalExecutor has published."""

    def test_the_shard_of_a_killed_worker_is_run_again_and_every_run_ends(self, day_on_celery, record_property):
        record_property("seconds from the kill to the new start", day_on_celery.seconds)
        assert day_on_celery.states == dict.fromkeys(INSTITUTIONS, "success")
        assert day_on_celery.attempts_in_the_end > day_on_celery.attempts_when_killed

    def test_both_workers_ran_tasks(self, demo, day_on_celery):
        for name in (day_on_celery.killed, day_on_celery.survivor):
            assert "Executing workload in Celery" in (demo.folder / "logs" / f"{name}.log").read_text()

    @institutions
    def test_the_workers_wrote_every_row_of_the_day(self, demo, day_on_celery, institution):
        [(notes,)] = demo.rows(
            f"select count(*) from {institution}_results.note_ledger"
            f" where note_day = '{DAYS[1]}' and slice_key is not null"
        )
        commits = [demo_storage.table_commits(demo)[one] for one in day_on_celery.commits]
        written = {one["palimpsest.notes"] for one in commits if one["palimpsest.institution"] == institution}
        assert written == {str(notes)}

    def test_celery_publishes_the_same_bytes(self, day_on_celery):
        assert day_on_celery.rows == day_on_celery.rows_before
        assert day_on_celery.rows

    @institutions
    def test_one_process_publishes_the_same_bytes(self, demo, institution):
        settings = next(one for one in demo.institutions if one.institution == institution)
        before, commits = demo_storage.table_rows(demo), demo_storage.table_commits(demo)
        day = datetime.datetime.combine(BACKFILLED[0], datetime.time(), datetime.UTC)
        *_, published = published_days.release(settings, demo, "one_process", day)
        assert published["notes"] > 0
        assert demo_storage.table_commits(demo).keys() > commits.keys()
        assert demo_storage.table_rows(demo) == before


@pytest.fixture(scope="module")
def failed_task(demo):
    return fail_on_a_note(demo, START)


@pytest.fixture(scope="module")
def search(demo):
    return Search(planted(demo.hospitals.values()))


@pytest.fixture(scope="module")
def search_beside_surrogates(demo):
    """A surrogate's last name may be another's real one; where published text may stand, it takes more to tell who is
    meant.
    """
    return Search({value: kind for value, kind in planted(demo.hospitals.values()).items() if kind != "last name"})


class TestNothingIsTold:
    """The canary."""

    def test_there_is_much_to_find(self, demo, search):
        kinds = Counter(planted(demo.hospitals.values()).values())
        assert {"MRN", "SSN", "phone", "e-mail", "street", "last name", "patient's name", "relative's name"} <= set(
            kinds
        )
        assert min(kinds.values()) > 20
        [(notes,)] = demo.rows("select string_agg(note_text, ' ') from lakeshore_staging.stg_note")
        assert len({sighting.kind for sighting in search("warehouse", notes)}) > 6

    @institutions
    def test_the_inventory_lists_every_place_with_a_note_s_text(self, demo, institution):
        settings = next(one for one in demo.institutions if one.institution == institution)
        ends = [note.text.strip()[-60:] for note in self._long_notes(demo, institution)]
        tables = tables_with(demo.platform.places.databases["ehr"], institution, *ends)
        # What the simulated hospital expects of its own tables is no part of a deployment.
        own = {place for place in tables if not place.startswith(("_ehr_expected", "lakeshore", "riverside"))}
        assert {"_ehr", "_gold"} <= own <= WITH_TEXT
        folder = Path(settings.work_dir)
        files = files_with(folder, *ends)
        assert files <= WITH_TEXT
        assert {f"work_dir/{one.name}" for one in folder.iterdir()} <= WITH_TEXT | WITHOUT_TEXT
        schemas = schemas_of(demo.platform.places.databases["ehr"], institution) - {"_ehr_expected"}
        assert schemas <= WITH_TEXT | WITHOUT_TEXT

    @staticmethod
    def _long_notes(demo, institution):
        """Notes whose last words SQL's patterns find as they stand."""
        notes = [note for note in write_notes(demo.hospitals[institution]) if len(note.text) > 400]
        return [note for note in notes if not set(note.text.strip()[-60:]) & set('%_\\\n"')]

    def test_a_failed_task_names_the_error_and_quotes_no_note(self, failed_task, search):
        task, log = failed_task
        assert task == "detect_and_obfuscate"
        assert "WarehouseError" in log
        assert not list(search("log", log))

    @pytest.mark.parametrize(
        ("place", "least"),
        [
            (demo_storage.logs, 30),
            (demo_storage.postgres_log, 1),
            (demo_storage.state, 3),
            (demo_storage.leftovers, 0),
            (demo_storage.airflow_database, 40),
            (demo_storage.catalog_database, 2),
        ],
        ids=lambda value: getattr(value, "__name__", ""),
    )
    def test_no_planted_identifier(self, demo, failed_task, search, place, least):
        found = list(place(demo))
        assert len(found) >= least
        assert not {str(sighting) for name, content in found for sighting in search(name, content)}

    def test_no_planted_identifier_beside_the_published_notes(self, demo, search_beside_surrogates):
        """Names of columns, counts and bounds, but no bounds of the text."""
        found = list(demo_storage.metadata_objects(demo))
        assert len(found) >= 20
        assert not {str(sighting) for name, content in found for sighting in search_beside_surrogates(name, content)}

    def test_published_notes_hold_nothing_of_their_own_patient(self, demo):
        people = {
            _key_of(settings, demo, patient.patient_id): Search(numbers_of(patient) | names_of(patient))
            for settings in demo.institutions
            for patient in demo.hospitals[settings.institution].patients
        }
        rows = list(demo_storage.published_rows(demo))
        assert len(rows) > 100
        seen = Counter(s.kind for row in rows for s in people[row["patient_key"]]("note", row["text"]))
        assert not seen

    def test_structured_rows_hold_nothing_of_their_own_patient(self, demo):
        people = {
            _key_of(settings, demo, patient.patient_id): Search(numbers_of(patient) | names_of(patient))
            for settings in demo.institutions
            for patient in demo.hospitals[settings.institution].patients
        }
        rows = [row for row in demo_storage.structured_rows(demo) if "patient_key" in row]
        assert {row["patient_key"] for row in rows} == set(people)
        printed = ((people[row["patient_key"]], "\n".join(map(str, row.values()))) for row in rows)
        assert not Counter(sighting.kind for look, text in printed for sighting in look("row", text))

    @institutions
    def test_structured_tables_are_whole_and_joined_to_the_notes(self, demo, institution):
        counted = demo.rows(
            f"select published from {institution}_results.published_table where table_name = 'patients' order by 1"
        )
        # One patient was merged into another, and one withdrew consent.
        assert counted[0] == (SIZE.patients - 2,)
        assert counted[-1] == (SIZE.patients,)
        sql = (
            "SELECT count(DISTINCT note_key) FROM notes JOIN patients USING (institution, patient_key)"
            " JOIN providers USING (institution, author_key) JOIN encounters USING (institution, patient_key)"
            f" WHERE institution = '{institution}'"
        )
        _, [(joined,)] = query(demo.institutions[0], demo.secrets, sql)
        _, [(notes,)] = query(
            demo.institutions[0], demo.secrets, f"SELECT count(*) FROM notes WHERE institution = '{institution}'"
        )
        assert joined == notes > 0

    def test_published_rows_hold_no_key_or_time_of_the_warehouse(self, demo):
        real = {
            str(value)
            for name in INSTITUTIONS
            for row in demo.rows(f"select note_id, patient_id, author_id, note_datetime from {name}_staging.stg_note")
            for value in row
        }
        for row in demo_storage.published_rows(demo):
            assert not real & {str(value) for name, value in row.items() if name not in {"text", "note_type"}}

    def test_the_canary_sings(self, demo, search, search_beside_surrogates):
        """Whatever was planted where nothing was found is found there."""
        patient = demo.hospitals["riverside"].patients[7]
        name, log = (
            f"{patient.person.last.upper()}, {patient.person.first.upper()}",
            demo.folder / "logs" / "planted.log",
        )
        log.write_text(f'{{"event": "cannot parse {name} (MRN {patient.mrn})"}}')
        with psycopg2.connect(demo.platform.places.databases["airflow"]) as connection, connection.cursor() as cursor:
            cursor.execute("insert into log (dttm, event, extra) values (now(), 'planted', %s)", (patient.ssn,))
        connection.close()
        bucket = demo.institutions[0].publish.bucket
        demo_storage.object_store(demo).put_object(Bucket=bucket, Key="planted.json", Body=patient.email.encode())
        for place, look, kinds in (
            (demo_storage.logs, search, {"patient's name", "MRN"}),
            (demo_storage.airflow_database, search, {"SSN"}),
            (demo_storage.metadata_objects, search_beside_surrogates, {"e-mail"}),
        ):
            found = itertools.chain.from_iterable(look(*content) for content in place(demo))
            assert {sighting.kind for sighting in found} == kinds


def _key_of(settings, demo, patient_id):
    key = demo.secrets.key(settings.obfuscate.key)
    return Obfuscator(key, settings.institution, settings.policy, settings.obfuscate).pseudonym("patient", patient_id)


class TestUpAndDown:
    def test_starting_what_runs_changes_nothing(self, demo):
        before = sorted(processes.running(demo.folder, "api-server", "scheduler", "dag-processor", "object-store"))
        ports = demo.platform.places
        demo.platform.start_stores()
        demo.platform.start_airflow(demo.institutions)
        assert demo.platform.places == ports
        assert set(before) & set(processes.running(demo.folder, "api-server", "dag-processor", "object-store"))

    def test_down_leaves_no_process_and_no_port(self, demo):
        places = demo.platform.places
        ports = [places.airflow_port, places.object_store_port, demo.state.get("postgres_port")]
        assert all(map(_answers, ports))
        said = io.StringIO()
        down(demo.folder, Console(file=said))
        down(demo.folder, Console(file=said))
        assert "processes of the demo" in said.getvalue()
        assert "nothing of the demo was running" in said.getvalue()
        assert processes.running(demo.folder) == []
        assert not any(map(_answers, ports))


def _answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
