"""Former rows of a published table: older snapshots expire, and every file that no other snapshot names is deleted.

An overwrite only hides rows: the files of earlier snapshots still hold them, and those of attempts that failed too.
The snapshots are those of all institutions that share the table. Their present rows stay as they are.
"""

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deid_tasks.core.errors import PublishError
from deid_tasks.platform.bucket import Bucket
from deid_tasks.platform.publish.catalog import commit_with_retries, open_catalog, translate_publish_errors
from deid_tasks.settings import InstitutionSettings, Secrets

if TYPE_CHECKING:
    from pyiceberg.table import Table
    from pyiceberg.table.snapshots import Snapshot

_VERSION_HINT = "version-hint.text"
"""A file of other writers' tables, which names the newest metadata file to readers without a catalog."""


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """What one purge removed, and what it could not remove yet."""

    snapshots: int
    """Snapshots that expired."""
    files: int
    """Files that were deleted."""
    waiting: int
    """Files that no snapshot names and that are younger than the grace: a later purge deletes them."""
    protected: int
    """Snapshots that are old enough and stay, because a branch or a tag names them, with every row that they hold."""


def purge_snapshots(
    settings: InstitutionSettings,
    secrets: Secrets,
    committed_before: datetime.datetime,
    *,
    grace: datetime.timedelta,
    keep_newest: int = 1,
    table_name: str = "",
) -> PurgeReport:
    """Expire the snapshots that were committed before a moment, and delete the files that no snapshot names any more.

    Files are data files, delete files, manifests, manifest lists, statistics and former metadata files under the
    table's location. Running this again after an interruption deletes what is left. A reader that opened the table at
    an expired snapshot cannot read on; one that opens it anew can.

    Args:
        settings: the institution.
        secrets: its secrets.
        committed_before: with a time zone. Snapshots that are as old and older than ``keep_newest`` others expire.
        grace: files that were written within this time are not deleted. It must be longer than any writer takes from
            its first file to its commit: until then no snapshot names these files.
        keep_newest: how many snapshots stay however old they are.
        table_name: the table in the catalog; the notes table where empty.

    Raises:
        PublishError: the table or its bucket cannot be read or written.
    """
    name = table_name or settings.publish.table
    with translate_publish_errors("purge", settings, name):
        table = open_catalog(settings, secrets).load_table(name)
        expired = commit_with_retries(lambda: _expire(table, committed_before, keep_newest))
        protected = len(_old_snapshots(table, committed_before, keep_newest))
        deleted, waiting = _delete_unnamed(table, table_bucket(table, settings, secrets), grace)
    return PurgeReport(expired, deleted, waiting, protected)


def _expire(table: "Table", committed_before: datetime.datetime, keep_newest: int) -> int:
    """Expire what may expire, in one commit; return the number of snapshots."""
    from pyiceberg.exceptions import CommitFailedException

    table.refresh()
    head = table.current_snapshot()
    if head is not None and _is_before(head, committed_before) and _names_removed_files(table, head):
        commit_same_rows(table, "removed files are listed no more")
    named = {reference.snapshot_id for reference in table.metadata.refs.values()}
    old = [one for one in _old_snapshots(table, committed_before, keep_newest) if one.snapshot_id not in named]
    if not old:
        return 0
    try:
        table.maintenance.expire_snapshots().by_ids([one.snapshot_id for one in old]).commit()
    except ValueError:
        # Another purge expired one of them meanwhile.
        raise CommitFailedException("a snapshot is gone") from None
    return len(old)


def _old_snapshots(table: "Table", committed_before: datetime.datetime, keep_newest: int) -> "list[Snapshot]":
    """Return the snapshots before a moment, without the newest ones and the current one."""
    newest_last = sorted(table.metadata.snapshots, key=lambda one: (one.sequence_number or 0, one.timestamp_ms))
    return [
        one
        for one in newest_last[: max(0, len(newest_last) - keep_newest)]
        if _is_before(one, committed_before) and one.snapshot_id != table.metadata.current_snapshot_id
    ]


def _is_before(snapshot: "Snapshot", moment: datetime.datetime) -> bool:
    return snapshot.timestamp_ms < moment.timestamp() * 1_000


def _names_removed_files(table: "Table", snapshot: "Snapshot") -> bool:
    return any(manifest.deleted_files_count for manifest in snapshot.manifests(table.io))


def commit_same_rows(table: "Table", reason: str) -> None:
    """Commit the same rows as a new snapshot, whose summary has the reason.

    The manifests of a snapshot that removed files still list them, with bounds that quote values of removed rows. The
    next snapshot does not carry these manifests on, and merges the others where the table's properties say so.
    """
    import pyarrow as pa
    from pyiceberg.io.pyarrow import schema_to_pyarrow

    schema: pa.Schema = schema_to_pyarrow(table.schema())
    table.append(schema.empty_table(), snapshot_properties={"palimpsest.maintenance": reason})


def _delete_unnamed(table: "Table", bucket: Bucket, grace: datetime.timedelta) -> tuple[int, int]:
    """Delete the files that no snapshot names; return their number, and the number of those too young."""
    known, location = object_key(table.metadata_location), object_key(table.location()).rstrip("/")
    listed_at = datetime.datetime.now(datetime.UTC)
    # The list comes first: whatever is committed after it names files that are missing in the list, or younger than
    # the grace.
    files = list(bucket.list(f"{location}/"))
    if known not in {file.key for file in files}:
        raise PublishError(
            f"{table.location()}: does not hold the table's own metadata file; nothing was deleted. Purge it with the"
            " tool that moved it"
        )
    table.refresh()
    named = {object_key(path) for path in _named_files(table)}
    unnamed = [file for file in files if file.key not in named and not file.key.endswith(_VERSION_HINT)]
    old = [file.key for file in unnamed if file.modified <= listed_at - grace]
    bucket.delete_unordered(old)
    return len(old), len(unnamed) - len(old)


def _named_files(table: "Table") -> set[str]:
    """Return the paths of all files that the table's metadata and its snapshots need."""
    metadata = table.metadata
    named = {table.metadata_location}
    named.update(file.statistics_path for file in (*metadata.statistics, *metadata.partition_statistics))
    for snapshot in metadata.snapshots:
        named.add(snapshot.manifest_list)
        for manifest in snapshot.manifests(table.io):
            if manifest.manifest_path not in named:
                named.add(manifest.manifest_path)
                named.update(entry.data_file.file_path for entry in manifest.fetch_manifest_entry(table.io))
    return named


def table_bucket(table: "Table", settings: InstitutionSettings, secrets: Secrets) -> Bucket:
    """Return the bucket that the table lies in."""
    name = table.location().partition("://")[2].partition("/")[0]
    return Bucket(name, secrets.mapping(settings.publish.object_store))


def object_key(path: str) -> str:
    """Return the key of an object; writers spell the scheme before it as s3, s3a or s3n."""
    return path.partition("://")[2].partition("/")[2]
