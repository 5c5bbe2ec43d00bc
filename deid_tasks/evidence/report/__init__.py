"""An evaluation as one page that a privacy officer can read, sign on and keep."""

from deid_tasks.evidence.report.page import write_report

__all__ = ["write_report"]
