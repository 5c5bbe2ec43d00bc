"""The workspace: the restricted working files that the tasks of an institution pass to each other.

Write files in it with ``deid_tasks.core.files``, so that a reader never sees half of one, and share them with
``SharedFiles``, so that every worker finds them.
"""

from deid_tasks.platform.workspace.cleanup import prune_runs, remove_note_files
from deid_tasks.platform.workspace.run_files import RunFiles, run_dir, shard_count, vault_file, write_digest
from deid_tasks.platform.workspace.shared_files import SharedFiles, work_dir

__all__ = [
    "RunFiles",
    "SharedFiles",
    "prune_runs",
    "remove_note_files",
    "run_dir",
    "shard_count",
    "vault_file",
    "work_dir",
    "write_digest",
]
