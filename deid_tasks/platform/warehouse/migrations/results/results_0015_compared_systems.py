"""Other systems on the gold notes of an evaluation, beside the engine that it evaluated: figures, and no note."""

from alembic import op

revision, down_revision = "results_0015", "results_0014"


def upgrade() -> None:
    """Add the table; evaluations of before compared nothing."""
    op.execute(
        """
        create table compared_system (
            evaluation_id text not null,
            design text not null,
            system text not null,
            title text not null,
            version text not null,
            is_engine boolean not null,
            fingerprint text not null,
            gold_version text not null,
            gold_notes integer not null check (gold_notes >= notes),
            notes integer not null check (notes > 0),
            words bigint not null,
            -- A class of failures; empty where the system has read the notes.
            reason text not null,
            failed_notes integer,
            full_notes integer,
            recall double precision,
            recall_lower double precision,
            recall_upper double precision,
            precision double precision,
            precision_lower double precision,
            precision_upper double precision,
            recall_difference double precision,
            recall_difference_lower double precision,
            recall_difference_upper double precision,
            precision_difference double precision,
            precision_difference_lower double precision,
            precision_difference_upper double precision,
            words_per_core_second double precision,
            compared_at timestamptz not null,
            primary key (evaluation_id, design, system),
            check ((reason = '') = (recall is not null))
        )
        """
    )
