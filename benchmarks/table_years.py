"""What weekly maintenance makes of a published table: files in a partition over a year, and what two queries read.

    python -m benchmarks.table_years                               # a year, about 10 minutes on an idle core
    python -m benchmarks.table_years --days 7 --amendments 24      # a week, amended hourly

Notes are simulated, and lie in a local folder with a SQLite catalog. Each day is published as one slice, and notes of
the last three days are amended in further commits. What a query reads is the compressed size of the groups of rows
whose bounds do not exclude it: what Arrow's reader fetches.
"""

import argparse
import datetime
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from benchmarks.support.results import Results, parser_of, results
from deid_tasks.platform.publish import (
    PUBLISHED_SCHEMA,
    CompactionBounds,
    RemovedRows,
    compact_notes,
    merge_manifests,
    open_table,
    replace_notes,
)
from deid_tasks.platform.publish.data_files import ROW_GROUP_NOTES, ROW_GROUP_PROPERTY
from deid_tasks.settings import InstitutionSettings, MaintenanceSettings, Secrets

START = datetime.date(2024, 1, 1)
TYPES = (
    "Progress Note",
    "Nursing Note",
    "Radiology Report",
    "Discharge Summary",
    "Telephone Encounter",
    "Consult Note",
)
_WEEK = 7
_AMENDED_DAYS = 3
"""Most notes are amended soon after they were written."""


@dataclass
class _Table:
    """A published table, and what its notes were."""

    settings: InstitutionSettings
    secrets: Secrets
    notes_per_day: int
    shift_days: int
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    days: list[pa.Table] = field(default_factory=list)

    def publish_day(self, number: int) -> None:
        """Publish a day as one slice; patients come again and again."""
        key, chance = self._key("slice", number), self.chance
        patients = [chance.randrange(self.notes_per_day * 20) for _ in range(self.notes_per_day)]
        rows = [self._row(key, number, at, patient) for at, patient in enumerate(patients)]
        table = pa.Table.from_pylist(rows, schema=PUBLISHED_SCHEMA)
        self.days.append(table)
        replace_notes(self.settings, self.secrets, table.to_batches(), RemovedRows(whole_slices=frozenset({key})), {})

    def amend(self, notes: int) -> None:
        """Publish some notes of the last days again, in one commit."""
        chosen = []
        for _ in range(notes):
            day = self.chance.choice(self.days[-_AMENDED_DAYS:])
            chosen.append(day.slice(self.chance.randrange(day.num_rows), 1))
        table = pa.concat_tables(chosen)
        keys = list(zip(table["slice_key"].to_pylist(), table["note_key"].to_pylist(), strict=True))
        once = table.take([keys.index(key) for key in dict.fromkeys(keys)])
        replace_notes(self.settings, self.secrets, once.to_batches(), RemovedRows(rows=frozenset(keys)), {})

    def maintain(self, bounds: CompactionBounds) -> tuple[int, float]:
        """Do what the weekly run does; return the bytes that were replaced, and seconds."""
        began, replaced = time.monotonic(), 0
        while done := compact_notes(self.settings, self.secrets, bounds).bytes_before:
            replaced += done
        merge_manifests(self.settings, self.secrets)
        table = open_table(self.settings, self.secrets)
        former = [one.snapshot_id for one in table.snapshots() if one != table.current_snapshot()]
        table.maintenance.expire_snapshots().by_ids(former).commit()
        return replaced, time.monotonic() - began

    def files_in_partitions(self) -> Counter[str]:
        """Return the number of files of each partition."""
        tasks = open_table(self.settings, self.secrets).scan().plan_files()
        return Counter(str(task.file.partition) for task in tasks)

    def manifests(self) -> int:
        """Return the number of manifests of the newest snapshot."""
        table = open_table(self.settings, self.secrets)
        snapshot = table.current_snapshot()
        return len(snapshot.manifests(table.io)) if snapshot else 0

    def _row(self, slice_key: str, day: int, at: int, patient: int) -> dict[str, object]:
        chance = self.chance
        # The shift of a patient is always the same.
        shift = random.Random(patient).randint(-self.shift_days, self.shift_days)
        moment = datetime.datetime.combine(START + datetime.timedelta(days=day + shift), datetime.time(at % 24))
        return {
            "institution": self.settings.institution,
            "slice_key": slice_key,
            "note_key": self._key("note", day * self.notes_per_day + at),
            "patient_key": self._key("patient", patient),
            "note_type": chance.choice(TYPES),
            "note_datetime": moment,
            # About as long, compressed, as a note of 500 words.
            "text": chance.randbytes(500).hex(),
        }

    @staticmethod
    def _key(kind: str, number: int) -> str:
        return random.Random(f"{kind} {number}").randbytes(13).hex()


def main() -> None:
    """Print the files of a year, and the bytes that two queries read before and after a compaction."""
    parser = parser_of(__doc__)
    parser.add_argument("--days", type=int, default=364)
    parser.add_argument("--notes", type=int, default=200, help="notes of a day")
    parser.add_argument("--amended", type=int, default=6, help="notes that one commit amends")
    parser.add_argument("--amendments", type=int, default=1, help="commits of each day that amend notes; 24 is hourly")
    parser.add_argument("--shift", type=int, default=45, help="days by which a patient's dates move, at most")
    parser.add_argument("--megabytes", type=float, default=1.0, help="size that files are merged to")
    parser.add_argument("--minutes", type=float, default=60, help="end with the week in which these have passed")
    arguments = parser.parse_args()
    name = f"table-years-{arguments.amendments}-amendments"
    with results(name, "The published table over years", arguments) as made:
        _history(made, arguments)


def _history(made: Results, arguments: argparse.Namespace) -> None:
    """Publish day after day, with maintenance each week, and ask the queries around the last one."""
    columns = {"week": "d", "partitions": "d", "files before": ",d", "most in a partition before": "d"}
    columns |= {"files after": ",d", "most in a partition after": "d", "manifests before": "d", "manifests after": "d"}
    made.table(
        f"Daily slices of {arguments.notes} notes; {arguments.amendments} further commits a day amend"
        f" {arguments.amended} notes each; files of {arguments.megabytes} MB",
        columns | {"MB replaced": ".1f", "seconds": ".1f"},
    )
    wanted = int(arguments.megabytes * 1_000_000)
    bounds = CompactionBounds(file_bytes=wanted, commit_bytes=64 * wanted, min_files=5)
    weeks, began = max(1, arguments.days // _WEEK), time.monotonic()
    read: list[Sequence[str | int | float]] = []
    folder = Path(tempfile.mkdtemp(prefix="palimpsest-table-"))
    try:
        table = _new_table(folder, arguments)
        for week in range(1, weeks + 1):
            for day in range((week - 1) * _WEEK, week * _WEEK):
                table.publish_day(day)
                for _ in range(arguments.amendments):
                    table.amend(arguments.amended)
            is_last = week == weeks or time.monotonic() - began > arguments.minutes * 60
            before, manifests = table.files_in_partitions(), table.manifests()
            read += _queries(table, "before") if is_last else []
            replaced, seconds = table.maintain(bounds)
            read += _queries(table, "after") if is_last else []
            after = table.files_in_partitions()
            if week == 1 or week % 4 == 0 or is_last:
                of_files = (before.total(), max(before.values()), after.total(), max(after.values()))
                made.add(week, len(after), *of_files, manifests, table.manifests(), replaced / 1_000_000, seconds)
            if is_last:
                break
    finally:
        shutil.rmtree(folder)
    columns = {"query": "", "maintenance": "", "files": ",d", "MB read": ".3f", "MB in all": ".1f", "share": ".1%"}
    made.table("What queries read before and after the last maintenance", columns)
    for row in read:
        made.add(*row)


def _queries(table: _Table, when: str) -> list[Sequence[str | int | float]]:
    """Return what the queries read: files, megabytes and the share of the table's bytes."""
    chosen = table.days[len(table.days) // 2].slice(0, 1).to_pylist()[0]
    month = chosen["note_datetime"].replace(day=1)
    following = (month + datetime.timedelta(days=32)).replace(day=1)
    of_patient = f"patient_key == '{chosen['patient_key']}'"
    of_month = f"note_datetime >= '{month.isoformat()}' and note_datetime < '{following.isoformat()}'"
    of_type = f"{of_month} and note_type == '{chosen['note_type']}'"
    of_slice = f"slice_key == '{chosen['slice_key']}'"
    in_month = (pc.field("note_datetime") >= month) & (pc.field("note_datetime") < following)
    queries = (
        ("one patient's notes", of_patient, pc.field("patient_key") == chosen["patient_key"]),
        ("one month's notes of a type", of_type, in_month & (pc.field("note_type") == chosen["note_type"])),
        ("one slice", of_slice, pc.field("slice_key") == chosen["slice_key"]),
    )
    opened = open_table(table.settings, table.secrets)
    total = sum(task.file.file_size_in_bytes for task in opened.scan().plan_files())
    found: list[Sequence[str | int | float]] = []
    for name, expression, condition in queries:
        paths = [
            task.file.file_path.removeprefix("file://") for task in opened.scan(row_filter=expression).plan_files()
        ]
        read = sum(_bytes_read(path, condition) for path in paths)
        found.append((name, when, len(paths), read / 1_000_000, total / 1_000_000, read / total))
    return found


def _bytes_read(path: str, condition: pc.Expression) -> int:
    """Return the compressed bytes of the groups of rows that may hold what the condition asks for."""
    fragment = next(iter(ds.dataset(path, format="parquet").get_fragments()))
    return sum(
        part.metadata.row_group(group.id).column(column).total_compressed_size
        for part in fragment.split_by_row_group(condition)
        for group in part.row_groups
        for column in range(part.metadata.num_columns)
    )


def _new_table(folder: Path, arguments: argparse.Namespace) -> _Table:
    settings = InstitutionSettings.model_validate(
        {
            "institution": "riverside",
            "title": "Riverside Health",
            "warehouse": {"connection": "warehouse", "layout": "omop"},
            "notes": {"start_date": START.isoformat()},
            "obfuscate": {"key": "key"},
            "publish": {
                "bucket": "none",
                "object_store": "object_store",
                "catalog": "catalog",
                "catalog_properties": {"type": "sql", "warehouse": f"file://{folder}/warehouse"},
            },
            "work_dir": str(folder / "work"),
        }
    )
    held = {"object_store": "{}", "catalog": f"sqlite:///{folder}/catalog.db"}
    made = _Table(settings, Secrets(held.get), arguments.notes, arguments.shift)
    # A file of the usual size has about thirty groups of rows, and so have these small ones.
    group = max(1, int(ROW_GROUP_NOTES * arguments.megabytes / MaintenanceSettings().file_megabytes))
    with open_table(settings, made.secrets).transaction() as transaction:
        transaction.set_properties({ROW_GROUP_PROPERTY: str(group)})
    return made


if __name__ == "__main__":
    main()
