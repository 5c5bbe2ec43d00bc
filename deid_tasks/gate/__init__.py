"""Great Expectations suites over figures: what must hold before anything is published."""

from deid_tasks.gate.suites import Check, check_figures, evaluation_checks, run_checks

__all__ = ["Check", "check_figures", "evaluation_checks", "run_checks"]
