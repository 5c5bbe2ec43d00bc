"""Years of runs and evaluations in an institution's results schema, made by PostgreSQL itself: sums, and no note."""

import datetime
import json
from typing import Any

import psycopg2

from deid_tasks.evidence.gate import Certificate, issue_certificate
from deid_tasks.settings import InstitutionSettings

NOTE_TYPES = (
    "consult",
    "discharge",
    "ed_provider",
    "nursing",
    "operative",
    "pathology",
    "progress",
    "radiology",
    "social_work",
    "telephone",
)

_RUNS = """
set search_path to {schema};
create temporary table day as
select d::date as day, (current_date - d::date) as age,
    (900 + 500 * (extract(isodow from d) < 6)::int + (hashint4(extract(epoch from d)::int) %% 80))::int as notes
from generate_series(current_date - %(days)s, current_date - 1, interval '1 day') as d;
insert into run (run_id, institution, slice_start, slice_end, fingerprint, certificate_id, notes_read, published,
    unchanged, quarantined, words, seconds, finished_at, review, kind, removed)
select 'notes/' || day, %(institution)s, day, day + 1, 'engine' || (age / 30), 'certificate' || (age / 30), notes,
    notes - notes / 50 - notes / 90, notes / 50, notes / 90, notes * 420,
    notes * (0.11 + 0.00006 * age), least(day + interval '1 day 2 hours', now() - interval '4 hours'), '[]', 'notes', 0
from day;
insert into run (run_id, institution, slice_start, slice_end, fingerprint, certificate_id, notes_read, published,
    unchanged, quarantined, words, seconds, finished_at, review, kind, removed)
select 'changes/' || day || 'T' || hour, %(institution)s, day - 5, day + 1, 'engine' || (age / 30),
    'certificate' || (age / 30), notes / 80, notes / 80, 0, 0, notes * 5, notes * 0.002,
    day + make_interval(hours => hour), '[]', 'changes', hour %% 3
from day, generate_series(0, 23) as hour;
insert into run_count (run_id, measure, entity, value)
select run_id, 'sentences_read', '', notes_read * 9 from run
union all
select run_id, 'recovered_spans', e, notes_read / 20 from run, unnest(array['PATIENT', 'DATE', 'FACILITY']) as e
where kind = 'notes'
union all
select run_id, 'quarantined_notes', 'no_patient_record', quarantined - quarantined / 3 from run where kind = 'notes'
union all
select run_id, 'quarantined_notes', 'own_value_in_output', quarantined / 3 from run where kind = 'notes';
insert into run_figure (run_id, note_type, measure, words, value, baseline, lowest, highest, judgement, is_held)
select run_id, t, m, 24000, figure, base, base / 1.6, base * 1.6,
    case when figure between base / 1.6 and base * 1.6 then 'within' else 'outside' end,
    figure not between base / 1.6 and base * 1.6
from (
    select r.run_id, t, m, base,
        base * (1 + 0.25 * sin(number + extract(epoch from r.slice_start) / 86400 / (17 + number))
            + (t = 'telephone' and m = 'changed_share' and r.slice_start > now() - interval '2 days')::int * 0.9
        ) as figure
    from run as r, unnest(%(types)s) with ordinality as n (t, number),
        (values ('entities_per_1000_words', 48.0), ('changed_share', 0.062), ('agreement', 0.71)) as k (m, base)
    where r.kind = 'notes'
) as figures;
insert into published_slice (slice_key, slice_start, slice_end, key_id, run_id, notes, published_at, note_day)
select 'slice' || day, day, day + 1, 'key', 'notes/' || day, notes, day + interval '1 day 3 hours', day
from day where age > %(unpublished)s;
insert into ledger_count (note_day, note_type, source, published, quarantined, excluded, in_table, pending, overdue)
select day, t, notes / 10, notes / 10 - 2, 1, 1, notes / 10 - 2,
    (age < 4)::int * 3, 0
from day, unnest(%(types)s) as t;
insert into promoted_engine (fingerprint, base_fingerprint, lexicon, people, harvest, compiled_at, certificate_id,
    promoted_at, policy_free_fingerprint, policy)
select 'engine' || age, 'base' || (age / 3), 'lexicon', 'people', '',
    now() - make_interval(days => age * 30, hours => 9),
    'certificate' || age, now() - make_interval(days => age * 30, hours => 8), '', '{{}}'
from generate_series(0, %(days)s / 30) as age;
insert into engine_note_count (fingerprint, notes)
select 'engine' || age, case age when 0 then 1200000 when 1 then 61000 else 4000 end from generate_series(0, 3) as age;
"""
_EVALUATIONS = """
insert into {schema}.evaluation (evaluation_id, fingerprint, gold_version, sample, variant, view, stratum, metric,
    entity, value, lower, upper, true_positives, false_positives, false_negatives, evaluated_at)
select 'evaluation' || age, 'engine' || (age / 30), 'gold' || (age / 180), design, variant, view, stratum, metric,
    entity, value, value - spread, least(1, value + spread * 0.7), 20000, 300, round(20000 * (1 - value)),
    now() - make_interval(days => age, hours => 8)
from generate_series(0, %(days)s, %(every)s) as age
cross join unnest(array['random', 'stratified']) as design
cross join unnest(array['full', 'without_dictionaries']) as variant
cross join (values ('word', 'ALL'), ('category', 'ALL'), ('word', 'PATIENT'), ('word', 'DATE'), ('word', 'MRN'))
    as v (view, entity)
cross join unnest(array['recall', 'precision', 'f1', 'recall_lower_bound']) as metric
cross join (
    select '' as stratum, 0 as number union all
    select 'note_type=' || t, number from unnest(%(types)s) with ordinality as n (t, number)
) as s
cross join lateral (
    select least(0.9995, (case metric when 'precision' then 0.968 when 'recall_lower_bound' then 0.987 else 0.991 end)
        - 0.0000065 * age - 0.0012 * number - 0.002 * (design = 'stratified')::int
        - 0.014 * (variant <> 'full')::int + 0.0016 * sin(age / 23.0 + number)) as value,
        (case when stratum = '' then 0.0025 else 0.008 end) * (metric <> 'recall_lower_bound')::int as spread
) as f
where stratum = '' or (entity = 'ALL' and metric = 'recall' and variant = 'full');
"""
_HELD = """
insert into {schema}.run (run_id, institution, slice_start, slice_end, fingerprint, certificate_id, notes_read,
    published, unchanged, quarantined, words, seconds, finished_at, review, kind, removed)
select 'held', %(institution)s, current_date - 1, current_date, 'engine0', 'certificate0', 1460, 1433, 20, 7, 613200,
    171.5, now() - interval '2 hours', %(review)s, 'notes', 0;
"""
_COMPARED = """
insert into {schema}.compared_system (evaluation_id, design, system, title, version, is_engine, fingerprint,
    gold_version, gold_notes, notes, words, reason, failed_notes, full_notes, recall, recall_lower, recall_upper,
    precision, precision_lower, precision_upper, recall_difference, recall_difference_lower, recall_difference_upper,
    precision_difference, precision_difference_lower, precision_difference_upper, words_per_core_second, compared_at)
select 'evaluation0', design, system, title, version, system = 'engine', 'engine0', 'gold0', 500, 200, 84210, reason,
    failed, whole, recall, greatest(recall - 0.004, 0 * recall), recall + 0.003, precision,
    precision - 0.006, precision + 0.006,
    recall - 0.991, recall - 0.996, recall - 0.985, precision - 0.968, precision - 0.975, precision - 0.961, speed,
    now() - interval '7 hours'
from unnest(array['random', 'stratified']) as design cross join (values
    ('engine', 'This institution''s engine', 'engine0', '', 0, 171, 0.991, 0.968, 4100.0),
    ('simulated', 'simulated', '1', '', 3, 88, 0.871, 0.822, 950.0),
    ('silent', 'silent', '2', '', 0, 12, 0.0, null, null),
    ('absent', 'absent', '', 'InstallFailed', null, null, null, null, null)
) as s (system, title, version, reason, failed, whole, recall, precision, speed);
update {schema}.compared_system set recall_difference = null, recall_difference_lower = null,
    recall_difference_upper = null, precision_difference = null, precision_difference_lower = null,
    precision_difference_upper = null
where is_engine;
"""
_REQUEST = """
insert into {schema}.approval_request (request_id, act, requested_at, requested_by, reason, note_keys, patient_ids,
    note_ids, expires_at)
values ('abc', 'reidentification', now(), 'CANARY-ASKER', 'CANARY-REASON', '{{CANARY-KEY}}', '{{CANARY-PATIENT}}',
    '{{CANARY-NOTE}}', now() + interval '20 hours')
"""
REVIEW = json.dumps([{"kind": "drift", "reason": "note type telephone: share of words changed 0.12, baseline 0.062"}])


def write_history(
    uri: str, settings: InstitutionSettings, days: int, signing_key: str, *, is_held: bool = False, every: int = 1
) -> None:
    """Write ``days`` days that end yesterday: each with a run, 24 runs of changes, and figures of ten note types.

    Args:
        uri: Owner of the results tables.
        settings: The institution.
        days: How long ago the first day is.
        signing_key: What the certificate of the newest engine is signed with.
        is_held: Whether the last two days are not published, because a run waits for a person; a request waits too, and
            the newest evaluation is compared with other systems.
        every: Days from one evaluation to the next.
    """
    schema = settings.schema_name("results")
    values = {
        "days": days, "institution": settings.institution, "types": list(NOTE_TYPES), "review": REVIEW,
        "unpublished": 2 * int(is_held), "every": every,
    }  # fmt: skip
    connection = psycopg2.connect(uri)
    try:
        with connection, connection.cursor() as cursor:
            for statement in (_RUNS, _EVALUATIONS, *([_HELD, _REQUEST, _COMPARED] if is_held else [])):
                cursor.execute(statement.format(schema=schema), values)
            _write_certificates(cursor, settings, schema, days, signing_key)
            cursor.execute(f"analyze {schema}.run, {schema}.run_figure, {schema}.run_count, {schema}.evaluation")
    finally:
        connection.close()


def _write_certificates(cursor: Any, settings: InstitutionSettings, schema: str, days: int, signing_key: str) -> None:
    now = datetime.datetime.now(datetime.UTC)
    for age in range(days // 30 + 1):
        issued = now - datetime.timedelta(days=30 * age, hours=8)
        one = signed_certificate(settings, f"engine{age}", signing_key, issued)
        cursor.execute(
            f"insert into {schema}.certificate (certificate_id, fingerprint, gold_version, verdict, document,"
            " issued_at, signature) values (%s, %s, %s, 'passed', %s, %s, %s)",
            (one.certificate_id, f"engine{age}", f"gold{age // 6}", one.document, issued, one.signature),
        )


def signed_certificate(
    settings: InstitutionSettings, fingerprint: str, signing_key: str, issued: datetime.datetime
) -> Certificate:
    """Return a certificate that allows this engine to publish."""
    evaluated = [{"design": design, "gold_version": f"{fingerprint}{design}"} for design in settings.gate.designs]
    return issue_certificate(
        settings.institution, fingerprint, fingerprint, evaluated, {}, settings.gate, [], [], signing_key, issued
    )
