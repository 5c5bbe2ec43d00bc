"""The demo: the whole platform on one machine, from two simulated hospitals to the published table."""

from deid_tasks.demo.command import demo_institutions, down, run, up
from deid_tasks.demo.seed import DEMO_INSTITUTIONS, Size

__all__ = ["DEMO_INSTITUTIONS", "Size", "demo_institutions", "down", "run", "up"]
