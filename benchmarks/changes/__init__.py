"""Benchmarks of runs that follow changes: whether the published table converges, and what an idle run costs."""
