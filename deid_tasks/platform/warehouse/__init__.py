"""The institution's PostgreSQL warehouse: it reads notes, patients and dictionaries, and writes results and gold sets.

No other package runs SQL on the warehouse. The tables of the schemas ``_results`` and ``_gold`` are defined in
``migrations``, beside the modules that write them; ``upgrade`` applies them.
"""

from deid_tasks.platform.warehouse.connection import connect
from deid_tasks.platform.warehouse.notes import read_shard
from deid_tasks.platform.warehouse.patients import read_patients
from deid_tasks.platform.warehouse.shards import Shard
from deid_tasks.platform.warehouse.upgrade import SchemaVersion, upgrade_schemas

__all__ = [
    "SchemaVersion",
    "Shard",
    "connect",
    "read_patients",
    "read_shard",
    "upgrade_schemas",
]
