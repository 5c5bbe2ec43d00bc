"""Whether a day has as many notes as its weekday usually has, and whether unusually many notes changed."""

import datetime
from statistics import median

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.volumes import day_counts
from deid_tasks.platform.warehouse.work_list import whole_days
from deid_tasks.settings import InstitutionSettings

_WEEK = datetime.timedelta(weeks=1)


def is_large_change(settings: InstitutionSettings, notes: int, published: int) -> bool:
    """Whether so many notes, read by one run of changes, are many for an institution with ``published`` notes."""
    rules = settings.changes
    return notes > rules.few_notes and (notes >= rules.max_notes or notes > rules.max_changed_share * published)


def volume_reasons(connection: Connection, settings: InstitutionSettings, run_id: str) -> list[str]:
    """Return one sentence for each day of the run whose number of notes is far from what its weekday usually has."""
    rules = settings.gate.volume
    if not rules.enabled:
        return []
    reasons = []
    for day in whole_days(connection, settings, run_id):
        before = [day - _WEEK * number for number in range(1, rules.weeks + 1)]
        notes, former = day_counts(connection, settings, run_id, day, before)
        usual = median(former) if len(former) >= rules.min_weeks else None
        if usual is None:
            if notes == 0:
                reasons.append(f"{day} has no notes, and too few weeks were published to say whether that is usual")
        elif not rules.min_ratio * usual <= notes <= rules.max_ratio * usual:
            reasons.append(f"{day} has {notes} notes; the same weekday usually has {usual:g}")
    return reasons
