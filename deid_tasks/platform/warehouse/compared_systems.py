"""Figures of other systems on the gold notes of an evaluation, in ``_results.compared_system``: sums, and no note."""

import datetime
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

from psycopg2.extensions import connection as Connection  # noqa: N812
from psycopg2.extras import execute_values

from deid_tasks.platform.warehouse.statements import column_list, compose
from deid_tasks.settings import InstitutionSettings


@dataclass(frozen=True, slots=True)
class ComparedSystemRow:
    """One system on the compared notes of one gold set. Shares lie between 0 and 1.

    A difference is the system's figure minus the engine's, with the bounds of paired resamples of patients; the
    engine's own row has none. Precision is missing where a system marks nothing.
    """

    evaluation_id: str
    design: str
    system: str
    title: str
    version: str
    is_engine: bool
    fingerprint: str
    gold_version: str
    gold_notes: int
    """Notes of the gold set that the evaluation scored."""
    notes: int
    """Those of them that the systems have read."""
    words: int
    reason: str = ""
    """Class of the failure of a system that did not start or finish, which has no figures."""
    failed_notes: int | None = None
    """Notes on which it failed; they count as missed in whole."""
    full_notes: int | None = None
    """Notes in which it missed nothing."""
    recall: float | None = None
    recall_lower: float | None = None
    recall_upper: float | None = None
    precision: float | None = None
    precision_lower: float | None = None
    precision_upper: float | None = None
    recall_difference: float | None = None
    recall_difference_lower: float | None = None
    recall_difference_upper: float | None = None
    precision_difference: float | None = None
    precision_difference_lower: float | None = None
    precision_difference_upper: float | None = None
    words_per_core_second: float | None = None


_COLUMNS = tuple(field.name for field in fields(ComparedSystemRow))


def replace_compared_systems(
    connection: Connection, settings: InstitutionSettings, evaluation_id: str, rows: Sequence[ComparedSystemRow]
) -> None:
    """Write the rows of one evaluation, in place of those of an earlier try."""
    now = datetime.datetime.now(datetime.UTC)
    with connection.cursor() as cursor:
        cursor.execute(
            compose("delete from {results}.compared_system where evaluation_id = %s", settings), (evaluation_id,)
        )
        statement = compose(
            "insert into {results}.compared_system ({columns}) values %s",
            settings,
            columns=column_list([*_COLUMNS, "compared_at"]),
        )
        execute_values(cursor, statement, [(*astuple(row), now) for row in rows])
