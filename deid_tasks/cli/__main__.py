"""``python -m deid_tasks.cli`` is ``deid``."""

from deid_tasks.cli import main

main()
