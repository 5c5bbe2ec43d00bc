"""The demo: the whole platform on one machine, from two simulated hospitals to the published table."""

from deid_tasks.demo.command import down, run

__all__ = ["down", "run"]
