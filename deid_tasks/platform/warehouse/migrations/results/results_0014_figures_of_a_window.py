"""Figures of a run over several days: note types that are too small for one day are judged over a window."""

from alembic import op

revision, down_revision = "results_0014", "results_0013"


def upgrade() -> None:
    """Add the number of days that a figure speaks of; those of before speak of their run's."""
    op.execute(
        """
        alter table run_figure add column window_days integer not null default 1 check (window_days > 0);
        alter table run_figure drop constraint run_figure_pkey;
        alter table run_figure add primary key (run_id, note_type, measure, window_days);
        """
    )
