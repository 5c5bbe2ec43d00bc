"""The design ``disputed`` is now called ``disagreement``, and so are the settings that a sample was drawn with."""

from alembic import op

revision, down_revision = "gold_0003", "gold_0002"

_DESIGN = """
alter table sample drop constraint sample_design_check;
update sample set design = 'disagreement' where design = 'disputed';
alter table sample add constraint sample_design_check check (design in ('stratified', 'random', 'disagreement'));
update gold_set set design = 'disagreement' where design = 'disputed';
"""

_SETTINGS = """
update sample set settings = (
    select jsonb_object_agg(
        case key
            when 'disputed_size' then 'disagreement_size'
            when 'disputed_pool' then 'disagreement_pool'
            when 'least' then 'min_notes_per_stratum'
            else key
        end,
        value
    )
    from jsonb_each(settings)
)
where settings ?| array['disputed_size', 'disputed_pool', 'least'];
"""


def upgrade() -> None:
    """Rename the value in both tables, and the keys by which a sample that was drawn already is found."""
    op.execute(_DESIGN)
    op.execute(_SETTINGS)
