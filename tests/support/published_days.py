"""Takes one day of a test site's notes from the warehouse to the published table, and reads it back."""

import datetime
import shutil

import pyarrow as pa

from deid_tasks.platform import runs
from deid_tasks.platform.bucket import Bucket
from deid_tasks.platform.publish import open_table
from deid_tasks.platform.publish.catalog import open_catalog
from deid_tasks.platform.workspace import RunFiles, run_dir

DAY = datetime.timedelta(days=1)
START = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
COLUMNS = ["note_key", "slice_key", "patient_key", "author_key", "note_type", "note_datetime", "text"]


def with_settings(site, **sections):
    updates = {name: getattr(site.settings, name).model_copy(update=values) for name, values in sections.items()}
    return site.settings.model_copy(update=updates)


def release(settings, site, run_id, start=START, end=None):
    """Take the days from ``start`` until ``end``, or one day, to the published table."""
    plan = runs.plan_notes_run(settings, site.secrets, run_id, start, end or start + DAY)
    return plan["shards"], *process(settings, site, run_id, plan)


def follow_changes(settings, site, run_id):
    """Bring the published table up to date with the source; return the plan, and what was published."""
    plan = runs.plan_changes_run(settings, site.secrets, run_id)
    return plan, process(settings, site, run_id, plan)[1]


def plan_day(settings, site, run_id, start=START, end=None):
    """Return the shards of the run that publishes the day, or the days until ``end``."""
    return runs.plan_notes_run(settings, site.secrets, run_id, start, end or start + DAY)["shards"]


def process(settings, site, run_id, plan):
    """Take a plan to the published table; return what the gate and the publication report, ``None`` without notes."""
    runs.remove_notes(settings, site.secrets, run_id)
    if not plan["shards"]:
        return None, None
    pin = runs.pin_engine(settings, site.secrets)
    done = [runs.process_shard(settings, site.secrets, run_id, pin, shard) for shard in plan["shards"]]
    released = runs.reconcile_run(settings, site.secrets, run_id, pin, plan["kind"], done)
    return released, runs.publish_notes(settings, site.secrets, run_id, pin, released)


def shard_paths(settings, run_id, reports):
    """Return the files that ``process_shard`` wrote, of a site whose work_dir is a folder."""
    return [run_dir(settings, run_id) / report["file"] for report in reports]


def read_shards(settings, site, run_id, names):
    """Return the rows of the shards with these names."""
    files = RunFiles(settings, site.secrets, run_dir(settings, run_id))
    with files.opened(names) as paths:
        return [pa.Table.from_batches(files.read_batches([path])) for path in paths]


def published(settings, site) -> pa.Table:
    return open_table(settings, site.secrets).scan().to_arrow()


def texts(table: pa.Table) -> dict[str, str]:
    return dict(zip(table["note_key"].to_pylist(), table["text"].to_pylist(), strict=True))


def rows_of(settings, site):
    """Return the published rows of the institution, in one order."""
    return sorted(open_table(settings, site.secrets).scan().to_arrow().select(COLUMNS).to_pylist(), key=str)


def reset(settings, site):
    """Forget everything that was published."""
    catalog = open_catalog(settings, site.secrets)
    if catalog.table_exists(settings.publish.table):
        catalog.drop_table(settings.publish.table)
    for table in ("note_ledger", "published_slice", "run_note", "run_day", "retraction", "warehouse_exclusion"):
        site.rows(f"delete from riverside_results.{table}")
    delete_exclusions(site)


def delete_exclusions(site, condition="true"):
    """Delete exclusions by request as the tables' owner can, who drops the protection first."""
    name = "riverside_results.exclusion"
    site.rows(
        f"alter table {name} disable trigger user; delete from {name} where {condition};"
        f" alter table {name} enable trigger user"
    )


def forget_runs(site):
    """Leave nothing of former runs but what nobody may delete: no published row, no result and no working file."""
    reset(site.settings, site)
    tables = site.rows(
        "select table_name from information_schema.tables"
        " where table_schema = 'riverside_results' and table_type = 'BASE TABLE'"
        " and table_name not in ('alembic_version', 'reidentification', 'audit_log', 'approval_request', 'exclusion',"
        " 'exclusion_end')"
    )
    site.rows("truncate " + ", ".join(f"riverside_results.{table}" for (table,) in tables))
    forget_audit_log(site)
    shutil.rmtree(run_dir(site.settings, "any").parent)


def forget_audit_log(site):
    """Delete the audit log as the tables' owner can, who drops the protection first, and its heads in the bucket."""
    heads = Bucket(site.settings.publish.bucket, site.secrets.mapping(site.settings.publish.object_store))
    heads.delete(
        [found.key for found in heads.list(f"{site.settings.publish.prefix}/{site.settings.audit_log.prefix}/")]
    )
    for table in ("audit_log", "approval_request", "reidentification"):
        name = f"riverside_results.{table}"
        site.rows(f"alter table {name} disable trigger user; truncate {name}; alter table {name} enable trigger user")


def from_nothing(settings, site):
    """Return what one run over the source as it is now publishes into an empty table."""
    kept = site.rows("select patient_id, note_id, reason, valid_from, requested_by from riverside_results.exclusion")
    reset(settings, site)
    for patient, note, reason, since, by in kept:
        values = ", ".join("null" if v is None else f"'{v}'" for v in (patient, note, reason, since, by))
        site.rows(
            "insert into riverside_results.exclusion (patient_id, note_id, reason, valid_from, requested_by)"
            f" values ({values})"
        )
    release(settings, site, "fresh", START, START + 2 * DAY)
    return rows_of(settings, site)
