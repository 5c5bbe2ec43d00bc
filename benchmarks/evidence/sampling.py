"""How fast a sample is drawn from many notes, beside the plainest reading of the same texts.

    python benchmarks/sampling.py [--notes 5000000]

A private PostgreSQL is started in a scratch folder; texts are made in SQL, some of them with the name of their patient.
"""

import argparse
import resource
import tempfile
import time
from pathlib import Path

import psycopg2

from deid_tasks.hospital.postgres import EmbeddedPostgres
from deid_tasks.platform.runs.sampling import draw_samples
from deid_tasks.platform.warehouse.upgrade import upgrade_schemas
from deid_tasks.settings import InstitutionSettings, Secrets

TABLES = """
create schema xx_staging; create schema xx_dictionaries;
create table xx_dictionaries.dict_patient as
select p::text as patient_id, term, term as normalised, kind
from generate_series(1, %(patients)s) as p
cross join lateral (values ('name' || p, 'last'), ('given' || p %% 500, 'first'), ('617555' || lpad((p %% 10000)::text, 4, '0'), 'phone')) as t (term, kind);
create table xx_staging.stg_note as
select i::text as note_id, (1 + hashint4(i) & 2147483647 %% %(patients)s)::text as patient_id,
    'type ' || (hashint4(i + 7) & 2147483647) %% 40 as note_type,
    timestamp '2000-01-01' + make_interval(days => (hashint4(i + 3) & 2147483647) %% 8000) as note_datetime, 'a' as author_id,
    repeat('Patient seen today, stable, plan unchanged. ', 1 + (hashint4(i + 7) & 2147483647) %% 40 / 4)
        || case when i %% 5 = 0 then 'Mr. Name' || (1 + hashint4(i) & 2147483647 %% %(patients)s) || ' agrees.' else '' end as note_text
from generate_series(1, %(notes)s) as i;
analyze;
"""


def main() -> None:
    """Print rows per second, the ratio to a scan, and the memory of this process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=5_000_000)
    notes = parser.parse_args().notes
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
            print(f"{notes:,} notes, {characters / 1e9:.2f} G characters; counted and lowered in {scan:.1f} s")
            began = time.perf_counter()
            samples = draw_samples(_settings(), Secrets({"ehr": uri}.get))
            taken = time.perf_counter() - began
    drawn = " and ".join(f"{s['notes']:,} ({s['design']}, {len(s['groups'])} groups)" for s in samples)
    print(f"drew {drawn} in {taken:.1f} s: {notes / taken:,.0f} rows per second, {taken / scan:.1f} times the scan")
    print(f"peak memory of this process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")


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
