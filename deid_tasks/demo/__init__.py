"""The demo: the whole platform on one machine, from two simulated hospitals to the published table."""

from deid_tasks.demo.command import down, run
from deid_tasks.demo.seed import Size

__all__ = ["Size", "down", "run"]
