"""Memory of a publication by number of notes: rows of made-up shards go into the published table, without detection.

    python -m benchmarks.scale.publication --notes 2000 20000 200000 600000

The rows are those of de-identified notes of 259 words: pseudonyms, times that are shifted over two years, and texts.
They lie in files of ``--shard-notes`` notes, in an order that the table must not show. Each publication is a process of
its own, against a private PostgreSQL and an S3 emulator. The last column says whether the table holds just these rows.
"""

import datetime
import random
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.changes.site_services import site_services
from benchmarks.scale.measure import StageMeter
from benchmarks.scale.site import ScaleSite
from benchmarks.support.results import parser_of, results
from deid_tasks.platform.publish import PUBLISHED_SCHEMA, RemovedRows, open_table, replace_notes

_WORDS_OF_A_NOTE = 259
_BATCH_NOTES = 2_000
_SHIFTED_MINUTES = 2 * 365 * 24 * 60
_SLICES = 30


def write_shards(site: ScaleSite, shard_notes: int) -> None:
    """Write the files of as many notes as the site has."""
    chance = random.Random(site.notes)
    vocabulary = ["".join(chance.choices("aeiourstnlmdcp", k=chance.randint(2, 9))) for _ in range(5_000)]
    words = chance.choices(vocabulary, k=200_000)
    start = datetime.datetime(2023, 1, 1)  # noqa: DTZ001  A shifted time has no zone.
    for first in range(0, site.notes, shard_notes):
        count = min(shard_notes, site.notes - first)
        begins = [chance.randrange(len(words) - _WORDS_OF_A_NOTE) for _ in range(count)]
        columns = {
            "institution": [site.settings.institution] * count,
            "slice_key": [f"{chance.randrange(_SLICES):026d}" for _ in range(count)],
            "note_key": [f"{chance.getrandbits(120):030x}" for _ in range(count)],
            "patient_key": [f"{chance.getrandbits(120):030x}" for _ in range(count)],
            "author_key": [f"{chance.getrandbits(120):030x}" for _ in range(count)],
            "note_type": ["progress_note"] * count,
            "note_datetime": [start + datetime.timedelta(minutes=chance.randrange(_SHIFTED_MINUTES)) for _ in begins],
            "text": [" ".join(words[begin : begin + _WORDS_OF_A_NOTE]) for begin in begins],
        }
        rows = pa.table(columns, schema=PUBLISHED_SCHEMA)
        pq.write_table(rows, site.folder / f"rows-{first:09d}.parquet", compression="zstd")


def publish_rows(site: ScaleSite) -> int:
    """Publish the files in one commit; return the number of rows."""
    files = sorted(site.folder.glob("rows-*.parquet"))
    random.Random(7).shuffle(files)
    return replace_notes(site.settings, site.secrets, _rows(files), RemovedRows(), {}).notes


def holds_the_rows(site: ScaleSite) -> tuple[bool, int, int]:
    """Return whether the table has exactly the rows of the files, and the number and bytes of the table's files."""
    table = open_table(site.settings, site.secrets)
    files = [task.file for task in table.scan().plan_files()]
    published, written = 0, 0
    count = 0
    for batch in table.scan(selected_fields=("note_key", "text")).to_arrow_batch_reader():
        published ^= _digest(batch)
        count += batch.num_rows
    for batch in _rows(sorted(site.folder.glob("rows-*.parquet"))):
        written ^= _digest(batch.select(["note_key", "text"]))
    is_same = published == written and count == site.notes
    return is_same, len(files), sum(file.file_size_in_bytes for file in files)


def _rows(files: list[Path]) -> Iterator[pa.RecordBatch]:
    for path in files:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_BATCH_NOTES):
                yield batch.cast(PUBLISHED_SCHEMA)


def _digest(batch: pa.RecordBatch) -> int:
    """Return a number that depends on the rows and not on their order."""
    found = 0
    keys, texts = (pc.cast(column, pa.string()).to_pylist() for column in batch.columns)
    for row in zip(keys, texts, strict=True):
        # Of this process alone: strings hash differently in each.
        found ^= hash(row)
    return found


def main() -> None:
    """Publish notes of each size, and print what it took."""
    parser = parser_of(__doc__)
    parser.add_argument("--notes", type=int, nargs="+", default=[2_000, 20_000, 200_000, 600_000])
    parser.add_argument("--shard-notes", type=int, default=2_000, help="notes of a file")
    arguments = parser.parse_args()
    columns = {
        "notes": ",d",
        "seconds": ",.1f",
        "core-seconds": ",.1f",
        "peak MB": ",.0f",
        "files": ",d",
        "MB of files": ",.0f",
        "the same rows": "",
    }
    with site_services() as services, results("scale-publication", "Memory of a publication", arguments) as made:
        made.table(f"One publication into an empty table, files of {arguments.shard_notes:,} notes", columns)
        for notes in sorted(arguments.notes):
            database = f"publication_{notes}"
            services.postgres.create_database(database)
            folder = services.folder / database
            folder.mkdir()
            site = ScaleSite.of(
                services.postgres.uri(database),
                notes,
                folder,
                services.object_store,
                has_models=False,
                shard_notes=arguments.shard_notes,
            )
            meter = StageMeter(site.uri)
            meter.run(write_shards, site, arguments.shard_notes)
            published, cost = meter.run(publish_rows, site)
            (is_same, files, size), _ = meter.run(holds_the_rows, site)
            is_same = is_same and published == notes
            made.add(notes, cost.wall, cost.core_seconds, cost.peak_mb, files, size / 1e6, "yes" if is_same else "NO")
            if not is_same:
                raise SystemExit("the table does not hold the rows that were published")


if __name__ == "__main__":
    main()
