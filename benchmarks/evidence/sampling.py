"""Speed of drawing a sample from many notes, beside a plain scan of the same texts.

    python -m benchmarks.evidence.sampling --notes 5000000    # about 5 minutes of one core, 10 GB of disk

A private PostgreSQL is started in a temporary folder. SQL makes the texts, some of them with the name of their patient.
"""

import resource
import tempfile
import time
from pathlib import Path

import psycopg2

from benchmarks.support.results import parser_of, results
from deid_tasks.hospital.postgres import EmbeddedPostgres
from deid_tasks.platform.runs.sampling import draw_samples
from deid_tasks.platform.warehouse.upgrade import upgrade_schemas
from deid_tasks.settings import InstitutionSettings, Secrets

TABLES = """
create schema xx_staging; create schema xx_dictionaries;
create table xx_dictionaries.dict_patient as
select p::text as patient_id, term, term as normalised, kind
from generate_series(1, %(patients)s) as p
cross join lateral (values ('name' || p, 'last'), ('given' || p %% 500, 'first'), ('617555' || lpad((p %% 10000)::text,
4, '0'), 'phone')) as t (term, kind); create table xx_staging.stg_note as
select false as is_deleted, i::text as note_id, (1 + hashint4(i) &
2147483647 %% %(patients)s)::text as patient_id,
    'type ' || (hashint4(i + 7) & 2147483647) %% 40 as note_type,
    timestamp '2000-01-01' + make_interval(days => (hashint4(i + 3) & 2147483647) %% 8000) as note_datetime, 'a' as
    author_id, repeat('Patient seen today, stable, plan unchanged. ', 1 + (hashint4(i + 7) & 2147483647) %% 40 / 4)
        || case when i %% 5 = 0 then 'Mr. Name' || (1 + hashint4(i) & 2147483647 %% %(patients)s) || ' agrees.' else ''
        end as note_text
from generate_series(1, %(notes)s) as i;
analyze;
"""


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("--notes", type=int, default=5_000_000)
    arguments = parser.parse_args()
    notes = arguments.notes
    with tempfile.TemporaryDirectory(prefix="palimpsest-bench-") as folder:
        Path(folder).chmod(0o755)
        settings = {"fsync": "off", "full_page_writes": "off", "max_wal_size": "4GB"}
        with EmbeddedPostgres(Path(folder) / "pg", settings=settings) as server:
            server.create_database("bench")
            uri = server.uri("bench")
            upgrade_schemas(uri, _settings())
            connection = psycopg2.connect(uri)
            with connection, connection.cursor() as cursor:
                cursor.execute(TABLES, {"notes": notes, "patients": max(1, notes // 50)})
            with connection, connection.cursor() as cursor:
                began = time.perf_counter()
                cursor.execute("select count(*), sum(length(lower(note_text))) from xx_staging.stg_note")
                _, characters = cursor.fetchone() or (0, 0)
                scan = time.perf_counter() - began
            connection.close()
            began = time.perf_counter()
            samples = draw_samples(_settings(), Secrets({"ehr": uri}.get))
            taken = time.perf_counter() - began
    with results("sampling", "Drawing a stratified and a random sample", arguments) as out:
        columns = {"notes": ",d", "characters": ".3g", "seconds of a scan": ".1f", "seconds of drawing": ".1f"}
        out.table("Drawing", columns | {"rows per second": ",.0f", "times the scan": ".1f", "peak MiB": ",.0f"})
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        out.add(notes, float(characters), scan, taken, notes / taken, taken / scan, peak)
        out.table("Samples", {"design": "", "notes": ",d", "groups": ",d"})
        for sample in samples:
            out.add(sample["design"], sample["notes"], len(sample["groups"]))


def _settings() -> InstitutionSettings:
    return InstitutionSettings.model_validate(
        {
            "institution": "xx",
            "title": "Benchmark",
            "warehouse": {"connection": "ehr", "layout": "none"},
            "notes": {"start_date": "2024-01-01"},
            "obfuscate": {"key": "none"},
            "publish": {"bucket": "none", "object_store": "none", "catalog": "none"},
            "sampling": {"periods": ["2007-01-01", "2014-01-01"]},
            "work_dir": "/nonexistent",
        }
    )


if __name__ == "__main__":
    main()
