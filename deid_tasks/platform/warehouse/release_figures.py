"""Counts and figures for the report on a release, from ``_results`` and ``_gold``; never text or ids of notes."""

from typing import Any

from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.platform.warehouse.statements import compose
from deid_tasks.settings import InstitutionSettings

_ENGINES = """
select
    l.fingerprint, l.notes, e.base_fingerprint, e.lexicon, e.people, e.harvest, e.compiled_at, e.promoted_at,
    e.certificate_id
from (
    select fingerprint, count(*) as notes from {results}.note_ledger
    where outcome in ('published', 'unchanged', 'publishing') group by 1
) as l
left join {results}.promoted_engine as e on l.fingerprint = e.fingerprint
order by l.notes desc, l.fingerprint
"""
_OUTCOMES = "select outcome, reason, count(*) as notes from {results}.note_ledger group by 1, 2 order by 3 desc, 1, 2"
_RUNS = """
select count(*) as runs, coalesce(sum(notes_read), 0) as notes_read, min(finished_at) as first_run,
    max(finished_at) as last_run
from {results}.run
"""
_REPEATS = """
select c.measure, c.entity as category, sum(c.value)::bigint as value
from {results}.run_count as c
inner join {results}.run as r on c.run_id = r.run_id
where c.measure like 'repeats\\_%%' group by 1, 2 order by 1, 2
"""
_WRITTEN = """
select to_char(min(note_day), 'YYYY-MM') as first_month, to_char(max(note_day), 'YYYY-MM') as last_month
from {results}.note_ledger where outcome in ('published', 'unchanged', 'publishing')
"""
_ACTS = """
select event, role, count(*) as acts, max(occurred_at) as newest from {results}.audit_log group by 1, 2 order by 1, 2
"""
_PACE = """
select coalesce(sum(notes), 0) as notes,
    coalesce(sum(extract(epoch from slice_end - slice_start)) / 86400, 0)::float as days
from (
    select * from {results}.published_slice where published_at is not null and replaced_at is null
    order by slice_start desc limit 28
) as newest
"""
_TIMING = """
select count(*) as days, count(*) filter (where published_at < slice_end + interval '8 days') as soon
from {results}.published_slice where published_at is not null and replaced_at is null
"""
_GOLD_WRITTEN = """
select to_char(min(note_datetime), 'YYYY-MM') as first_month, to_char(max(note_datetime), 'YYYY-MM') as last_month
from {gold}.gold_note where gold_version = %s
"""
_FINDINGS = "select kind, count(*) as findings from {results}.audit_finding group by 1 order by 2 desc, 1"
_EVALUATION = """
select sample as design, view, stratum, metric, entity, value, lower, upper, true_positives, false_positives,
    false_negatives
from {results}.evaluation
where evaluation_id = %s and variant = 'full' and (view in ('word', 'word:category') and entity not like 'category:%%'
    or view = 'word' and entity like 'category:%%')
order by design, stratum, metric, entity
"""
_COMPARED = """
select design, system, title, version, is_engine, gold_notes, notes, words, reason, failed_notes, full_notes, recall,
    recall_lower, recall_upper, precision, precision_lower, precision_upper, recall_difference,
    recall_difference_lower, recall_difference_upper, precision_difference, precision_difference_lower,
    precision_difference_upper, words_per_core_second
from {results}.compared_system where evaluation_id = %s
order by design, is_engine desc, recall desc nulls last, title, system
"""
_TABLES = """
select distinct on (table_name) table_name, published, withheld, published_at
from {results}.published_table order by table_name, published_at desc
"""
_DECISIONS = """
select basis, count(*) as decisions, count(distinct decided_by) as people from {gold}.gold_decision
where gold_version = %s group by 1 order by 1
"""
_ANNOTATORS = """
select count(distinct a.annotator) as annotators
from {gold}.gold_set as s
inner join {gold}.gold_note as g on s.gold_version = g.gold_version
inner join {gold}.annotated_note as a on s.sample_version = a.sample_version and g.note_id = a.note_id
where s.gold_version = %s
"""


def _rows(
    connection: Connection, settings: InstitutionSettings, statement: str, *values: object
) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(compose(statement, settings), values)
        columns = [column.name for column in cursor.description or ()]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def read_release_counts(connection: Connection, settings: InstitutionSettings) -> dict[str, list[dict[str, Any]]]:
    """Return engines, outcomes, runs, repeated values, findings, tables, months, acts of people, the newest days and
    how soon days were published, as rows by name.
    """
    questions = {
        "engines": _ENGINES,
        "outcomes": _OUTCOMES,
        "runs": _RUNS,
        "repeats": _REPEATS,
        "findings": _FINDINGS,
        "tables": _TABLES,
        "written": _WRITTEN,
        "acts": _ACTS,
        "pace": _PACE,
        "timing": _TIMING,
    }
    return {name: _rows(connection, settings, statement) for name, statement in questions.items()}


def read_evaluation(connection: Connection, settings: InstitutionSettings, evaluation_id: str) -> list[dict[str, Any]]:
    """Return the figures of words of one evaluation of the whole engine, on every gold set."""
    return _rows(connection, settings, _EVALUATION, evaluation_id)


def read_compared_systems(
    connection: Connection, settings: InstitutionSettings, evaluation_id: str
) -> list[dict[str, Any]]:
    """Return the other systems on the gold notes of one evaluation, by gold set, the engine first; none if it was not
    compared.
    """
    return _rows(connection, settings, _COMPARED, evaluation_id)


def read_gold_decisions(connection: Connection, settings: InstitutionSettings, gold_version: str) -> dict[str, Any]:
    """Return how the spans of one gold set were decided, and by how many annotators its notes were labelled."""
    annotators = _rows(connection, settings, _ANNOTATORS, gold_version)
    return {
        "decisions": _rows(connection, settings, _DECISIONS, gold_version),
        "written": _rows(connection, settings, _GOLD_WRITTEN, gold_version)[0],
        "annotators": int(annotators[0]["annotators"]) if annotators else 0,
    }


def dictionary_sizes(connection: Connection, settings: InstitutionSettings) -> dict[str, int]:
    """Return the number of rows of each of the institution's dictionaries."""
    sizes = {}
    with connection.cursor() as cursor:
        cursor.execute(
            "select table_name from information_schema.tables where table_schema = %s and table_name like %s"
            " order by 1",
            (settings.schema_name("dictionaries"), "dict\\_%"),
        )
        for (name,) in cursor.fetchall():
            cursor.execute(compose("select count(*) from {dictionaries}.{table}", settings, table=sql.Identifier(name)))
            row = cursor.fetchone()
            sizes[name] = int(row[0]) if row else 0
    return sizes
