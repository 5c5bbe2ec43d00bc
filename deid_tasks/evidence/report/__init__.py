"""An evaluation as one HTML page that a privacy officer can read, sign and keep.

``page`` puts the figures into ``page.html``; ``plots`` draws them as inline SVG. The page needs no other file.
"""

from deid_tasks.evidence.report.page import write_report

__all__ = ["write_report"]
