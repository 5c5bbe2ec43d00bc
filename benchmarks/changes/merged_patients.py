"""What a lookup of patients' records costs where patients were merged, beside the same lookup without merges.

    python -m benchmarks.changes.merged_patients    # about 3 minutes

The warehouse is simulated in SQL. A batch of a run looks up the records of its patients, and their digests.
"""

import random
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg2
from psycopg2.extensions import connection as Connection  # noqa: N812

from benchmarks.changes.big_warehouse import NOTES_PER_PATIENT, fill_warehouse
from benchmarks.changes.living_site import NAME, site_secrets, site_settings
from benchmarks.support.institution import build_dictionaries
from benchmarks.support.results import Results, parser_of, results
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.layouts import LAYOUTS, load
from deid_tasks.hospital.postgres import EmbeddedPostgres
from deid_tasks.hospital.records import HospitalSpec, World
from deid_tasks.platform import runs
from deid_tasks.platform.runs.pseudonyms import digest_seed
from deid_tasks.platform.warehouse import connect, read_patients
from deid_tasks.platform.warehouse.record_digests import read_record_digests
from deid_tasks.platform.warehouse.statements import compose

_PATIENTS_PER_MERGE = 8


def main() -> None:
    """Print the milliseconds of a lookup in both layouts."""
    parser = parser_of(__doc__)
    parser.add_argument("--patients", type=int, default=12_000, help="patients of the warehouse")
    parser.add_argument("--wanted", type=int, default=125, help="patients of one lookup")
    parser.add_argument("--repeat", type=int, default=9, help="lookups of each kind; the fastest counts")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="palimpsest-merged-"))
    folder.chmod(0o755)
    options = {"fsync": "off", "full_page_writes": "off", "autovacuum": "off"}
    try:
        with (
            EmbeddedPostgres(folder / "pg", settings=options) as server,
            results("changes-merged-patients", "Lookups of patients, some of them merged", arguments) as made,
        ):
            columns = {"layout": "", "lookup": "", "merges": ",d"}
            columns |= {"ms without merges": ".1f", "ms with merges": ".1f", "ratio": ".2f"}
            made.table(f"{arguments.wanted} of {arguments.patients:,} patients", columns)
            for layout in LAYOUTS:
                server.create_database(layout)
                _measure(
                    made, layout, server.uri(layout), folder, arguments.patients, arguments.wanted, arguments.repeat
                )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _measure(made: Results, layout: str, uri: str, folder: Path, patients: int, wanted: int, repeat: int) -> None:
    settings, secrets = site_settings(layout, folder), site_secrets({"ehr": uri, "catalog": uri})
    spec = HospitalSpec(NAME, World.DEV, seed=3, patients=30, providers=12, notes=60, days=2)
    hospital = build_hospital(spec)
    with closing(psycopg2.connect(uri)) as connection:
        load(connection, hospital, write_notes(hospital), f"{NAME}_ehr", layout)
    runs.upgrade_tables(settings, secrets)
    build_dictionaries(uri, NAME, layout, folder)
    fill_warehouse(settings, secrets, patients * NOTES_PER_PATIENT, patients_per_merge=_PATIENTS_PER_MERGE)
    seed = digest_seed(settings, secrets)
    lookups: dict[str, Callable[[Connection, list[str]], object]] = {
        "records": lambda connection, ids: read_patients(connection, settings, ids),
        "digests": lambda connection, ids: read_record_digests(connection, settings, seed, ids),
    }
    with connect(uri) as connection, connection.cursor() as cursor:
        cursor.execute(compose("select patient_id from {staging}.stg_patient order by 1", settings))
        ids = random.Random(1).sample([patient for (patient,) in cursor.fetchall()], wanted)
        cursor.execute(compose("select count(*) from {staging}.stg_patient_merge", settings))
        row = cursor.fetchone()
        merges = int(row[0]) if row else 0
        merged = {name: _milliseconds(connection, ids, do, repeat) for name, do in lookups.items()}
        # Statistics are collected again, as they are where nobody was ever merged.
        for statement in ("delete from {staging}.stg_patient_merge", "analyze {staging}.stg_patient_merge"):
            cursor.execute(compose(statement, settings))
        for name, do in lookups.items():
            plain = _milliseconds(connection, ids, do, repeat)
            made.add(layout, name, merges, plain, merged[name], merged[name] / plain)
        connection.rollback()


def _milliseconds(
    connection: Connection, ids: list[str], do: Callable[[Connection, list[str]], object], repeat: int
) -> float:
    fastest = float("inf")
    for _ in range(repeat):
        began = time.monotonic()
        do(connection, ids)
        fastest = min(fastest, time.monotonic() - began)
    return fastest * 1_000


if __name__ == "__main__":
    main()
