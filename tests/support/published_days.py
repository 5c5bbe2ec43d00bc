"""Takes one day of a test site's notes from the warehouse to the published table, and reads it back."""

import datetime

import pyarrow as pa

from deid_tasks.platform import runs
from deid_tasks.platform.publish import open_table

DAY = datetime.timedelta(days=1)
START = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)


def with_settings(site, **sections):
    updates = {name: getattr(site.settings, name).model_copy(update=values) for name, values in sections.items()}
    return site.settings.model_copy(update=updates)


def release(settings, site, run_id, start=START):
    end = start + DAY
    pin = runs.pin_engine(settings, site.secrets)
    shards = runs.plan_shards(settings, site.secrets, start, end)
    done = [runs.process_shard(settings, site.secrets, run_id, pin, start, end, shard) for shard in shards]
    released = runs.reconcile_run(settings, site.secrets, run_id, pin, start, end, done)
    return shards, released, runs.publish_notes(settings, site.secrets, run_id, pin, start, end, released)


def published(settings, site) -> pa.Table:
    return open_table(settings, site.secrets).scan().to_arrow()


def texts(table: pa.Table) -> dict[str, str]:
    return dict(zip(table["note_key"].to_pylist(), table["text"].to_pylist(), strict=True))
