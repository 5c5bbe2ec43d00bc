"""De-identifying a structured table takes as much memory for many rows as for few."""

import datetime
import tracemalloc
from pathlib import Path

import psycopg2
import pyarrow as pa

from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.platform.runs import structured_tables
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.contract import read_contract
from deid_tasks.settings import InstitutionSettings

CONTRACT = Path(__file__).parents[3] / "dbt" / "models" / "staging" / "models.yml"


def test_memory_is_flat_over_rows(postgres, tmp_path):
    postgres.create_database("table_memory")
    uri = postgres.uri("table_memory")
    settings = InstitutionSettings.model_validate(
        {
            "institution": "large",
            "title": "Large",
            "warehouse": {"connection": "large_ehr", "layout": "omop"},
            "notes": {"start_date": "2024-01-01"},
            "obfuscate": {"key": "large_key"},
            "publish": {"bucket": "published", "object_store": "object_store", "catalog": "catalog"},
            "work_dir": str(tmp_path),
        }
    )
    [rules] = read_contract(CONTRACT, ("providers",))
    columns = ", ".join(f"'{rule.column} ' || i as {rule.column}" for rule in rules.columns)
    few, many = 2_100, 6_300
    with psycopg2.connect(uri) as connection, connection.cursor() as cursor:
        cursor.execute("create schema large_staging")
        cursor.execute(
            f"create table large_staging.{rules.model} as select {columns} from generate_series(1, {few}) as i"
        )
    hide = Obfuscator(bytes(32), "large", settings.policy, settings.obfuscate)

    def peak(folder: Path) -> int:
        folder.mkdir()
        with connect(uri) as reader, connect(uri) as lookup:
            tracemalloc.reset_peak()
            staged = structured_tables._stage(
                reader,
                lookup,
                settings,
                hide,
                rules,
                structured_tables._schema(rules),
                folder,
                datetime.date(1935, 1, 1),
            )
            held = tracemalloc.get_traced_memory()[1] + pa.total_allocated_bytes()
        assert (staged.read, staged.withheld) == (rows, 0)
        assert sum(batch.num_rows for batch in staged.batches()) == rows
        return held

    tracemalloc.start()
    try:
        rows = few
        peak(tmp_path / "warm")
        small = peak(tmp_path / "small")
        with psycopg2.connect(uri) as connection, connection.cursor() as cursor:
            cursor.execute(
                f"insert into large_staging.{rules.model} select {columns} from generate_series({few + 1}, {many}) as i"
            )
        rows = many
        large = peak(tmp_path / "large")
    finally:
        tracemalloc.stop()
    # Three times the rows need the same memory, except for the bounded caches of names and towns.
    assert large < 1.5 * small, (small, large)
