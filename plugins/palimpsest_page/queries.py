"""What the page asks the database: sums and states, in a number of rows that years of runs do not change.

Each statement has ``{schema}`` for the results schema, ``{newest_day}`` and ``{newest_evaluation}`` for queries of
these, and the values ``%(length)s`` and ``%(bucket)s`` of the period. Charts by day of notes end with the newest day,
charts by evaluation with the newest evaluation.
"""

from collections.abc import Mapping

RUNS_ON_A_PAGE = 20
LEDGER_DAYS = 15
"""Days of the ledger that are listed; the sums are over all of them."""

# A run that was published needs no answer any more, and one that a person has answered waits for none. What waits for
# longer than 90 days was abandoned: its task ended after twenty hours at most.
_HELD = """
    select r.run_id, r.kind, r.slice_start, r.slice_end, r.notes_read, r.finished_at, r.review,
        exists (
            select 1 from {schema}.approval as a where a.run_id = r.run_id and a.decision = 'rejected'
        ) as is_rejected
    from {schema}.run as r
    where r.review <> '[]' and r.finished_at > now() - interval '90 days'
        and not exists (
            select 1 from {schema}.approval as a where a.run_id = r.run_id and a.decided_at >= r.finished_at
                and a.decision = 'approved'
        )
        and not exists (
            select 1 from {schema}.published_slice as s
            where s.note_day >= r.slice_start::date and s.note_day < r.slice_end and s.published_at >= r.finished_at
        )
    order by r.finished_at desc limit 10
"""

GLANCE: Mapping[str, str] = {
    "published": """
        select max(note_day) as last_day, min(note_day) as first_day, max(published_at) as published_at
        from {schema}.published_slice
        where published_at is not null and replaced_at is null and note_day is not null
    """,
    "held": _HELD,
    "engine": """
        select fingerprint, compiled_at, promoted_at, certificate_id from {schema}.promoted_engine
        order by promoted_at desc, fingerprint limit 1
    """,
    "certificate_in_use": """
        select certificate_id, verdict, issued_at, document, signature from {schema}.certificate
        where fingerprint = (
            select fingerprint from {schema}.promoted_engine order by promoted_at desc, fingerprint limit 1
        )
        order by issued_at desc, certificate_id desc limit 1
    """,
    "newest_certificate": """
        select certificate_id, verdict, issued_at from {schema}.certificate
        order by issued_at desc, certificate_id desc limit 1
    """,
    "stale": """
        select coalesce(sum(c.notes), 0)::bigint as notes, max(c.counted_at) as counted_at,
            coalesce(sum(c.notes) filter (
                where c.fingerprint <> newest.fingerprint
                    and e.base_fingerprint is distinct from newest.base_fingerprint
            ), 0)::bigint as stale
        from {schema}.engine_note_count as c
        left join {schema}.promoted_engine as e on c.fingerprint = e.fingerprint
        left join (
            select * from {schema}.promoted_engine order by promoted_at desc, fingerprint limit 1
        ) as newest on true
    """,
    "ledger": """
        select coalesce(sum(source), 0)::bigint as source, coalesce(sum(published), 0)::bigint as published,
            coalesce(sum(quarantined), 0)::bigint as quarantined, coalesce(sum(excluded), 0)::bigint as excluded,
            coalesce(sum(in_table), 0)::bigint as in_table, coalesce(sum(differing), 0)::bigint as differing,
            coalesce(sum(pending), 0)::bigint as pending, coalesce(sum(overdue), 0)::bigint as overdue,
            max(counted_at) as counted_at
        from {schema}.ledger_count
    """,
    "last_run": """
        select slice_start, slice_end, notes_read, published, unchanged, quarantined, finished_at from {schema}.run
        where kind = 'notes' order by finished_at desc limit 1
    """,
    "requests": """
        select q.act, count(*) as waiting, min(q.expires_at) as expires_at from {schema}.approval_request as q
        where q.expires_at > now() and not exists (
            select 1 from {schema}.audit_log as l
            where l.event = 'request' and l.subject = q.request_id and l.role in ('approved', 'rejected')
        )
        group by 1 order by 1
    """,
}
"""What the summary of each institution needs."""

NEWEST_EVALUATION = """
    select max(evaluated_at) from {schema}.evaluation
    where view = 'word' and entity = 'ALL' and metric = 'recall' and stratum = ''
"""
NEWEST_DAY = "select max(slice_start) from {schema}.run where kind = 'notes'"

DETAILS: Mapping[str, str] = {
    "quality": """
        select sample as design, variant, metric, value, lower, upper, gold_version, evaluated_at
        from {schema}.evaluation
        where view = 'word' and stratum = '' and entity = 'ALL'
            and metric in ('recall', 'recall_lower_bound', 'precision', 'f1')
            and evaluated_at = ({newest_evaluation})
        order by sample, variant, metric
    """,
    "compared": """
        select design, system, title, version, is_engine, notes, gold_notes, words, reason, failed_notes, full_notes,
            recall, recall_lower, recall_upper, precision, precision_lower, precision_upper, recall_difference,
            recall_difference_lower, recall_difference_upper, precision_difference, precision_difference_lower,
            precision_difference_upper, words_per_core_second, compared_at
        from {schema}.compared_system
        where evaluation_id = (
            select evaluation_id from {schema}.evaluation
            where view = 'word' and entity = 'ALL' and metric = 'recall' and stratum = ''
            order by evaluated_at desc, evaluation_id limit 1
        )
        order by design, is_engine desc, recall desc nulls last, title, system
    """,
    "over_time": """
        select distinct on (sample, metric, bucket)
            sample as design, metric, value, lower, upper, evaluated_at, gold_version,
            date_bin(%(bucket)s, evaluated_at, timestamptz '2000-01-01') as bucket
        from {schema}.evaluation
        where view = 'word' and stratum = '' and entity = 'ALL' and variant = 'full'
            and metric in ('recall', 'recall_lower_bound', 'precision')
            and evaluated_at > ({newest_evaluation}) - %(length)s
        order by sample, metric, bucket, evaluated_at desc
    """,
    "note_types": """
        select distinct on (sample, stratum, bucket)
            sample as design, substr(stratum, 11) as note_type, value, lower, upper, true_positives, false_negatives,
            evaluated_at, date_bin(%(bucket)s, evaluated_at, timestamptz '2000-01-01') as bucket
        from {schema}.evaluation
        where view = 'word' and entity = 'ALL' and variant = 'full' and metric = 'recall'
            and stratum like 'note\\_type=%%' and evaluated_at > ({newest_evaluation}) - %(length)s
        order by sample, stratum, bucket, evaluated_at desc
    """,
    "certificates": """
        select certificate_id, verdict, fingerprint, gold_version, issued_at, document, signature
        from {schema}.certificate
        order by issued_at desc, certificate_id desc limit 10
    """,
    "engines": """
        select
            c.fingerprint, c.notes, e.promoted_at,
            case
                when c.fingerprint = newest.fingerprint then 'newest'
                when e.base_fingerprint = newest.base_fingerprint then 'dictionaries'
                when e.policy_free_fingerprint = newest.policy_free_fingerprint and e.policy_free_fingerprint <> ''
                    then 'policy'
                when e.fingerprint is null then 'not recorded'
                else 'code, models or settings'
            end as differs_in
        from {schema}.engine_note_count as c
        left join {schema}.promoted_engine as e on c.fingerprint = e.fingerprint
        left join (
            select * from {schema}.promoted_engine order by promoted_at desc, fingerprint limit 1
        ) as newest on true
        order by e.promoted_at desc nulls last, c.fingerprint
        limit 20
    """,
    "days": """
        select date_bin(%(bucket)s, slice_start, timestamp '2000-01-01') as bucket,
            sum(notes_read)::bigint as notes_read, sum(published + unchanged)::bigint as published,
            sum(quarantined)::bigint as quarantined, sum(words)::bigint as words, sum(seconds) as seconds,
            sum(extract(epoch from slice_end - slice_start) / 86400)::double precision as days
        from {schema}.run
        where kind = 'notes' and notes_read > 0 and slice_start > ({newest_day}) - %(length)s
        group by 1 order by 1
    """,
    "kinds": """
        select kind, count(*) as runs, sum(notes_read)::bigint as notes_read, sum(words)::bigint as words,
            sum(seconds) as seconds, sum(quarantined)::bigint as quarantined
        from {schema}.run
        where notes_read > 0 and finished_at > (select max(finished_at) from {schema}.run) - %(length)s
        group by 1 order by 3 desc
    """,
    "reasons": """
        select c.entity as reason, r.kind, sum(c.value)::bigint as notes
        from {schema}.run_count as c
        inner join {schema}.run as r on c.run_id = r.run_id
        where c.measure = 'quarantined_notes' and r.slice_start > ({newest_day}) - %(length)s
        group by 1, 2 order by 3 desc, 1, 2 limit 40
    """,
    "drift": """
        select f.note_type, f.measure, date_bin(%(bucket)s, r.slice_start, timestamp '2000-01-01') as bucket,
            sum(f.value * f.words) filter (where f.judgement in ('within', 'outside'))
                / nullif(sum(f.words) filter (where f.judgement in ('within', 'outside')), 0) as value,
            count(*) filter (where f.judgement in ('within', 'outside')) as judged,
            count(*) filter (where f.judgement = 'outside') as outside,
            (array_agg(f.value order by r.slice_start desc, r.finished_at desc))[1] as last_value,
            (array_agg(f.judgement order by r.slice_start desc, r.finished_at desc))[1] as last_judgement,
            (array_agg(f.lowest order by r.slice_start desc, r.finished_at desc))[1] as lowest,
            (array_agg(f.highest order by r.slice_start desc, r.finished_at desc))[1] as highest,
            (array_agg(f.baseline order by r.slice_start desc, r.finished_at desc))[1] as baseline
        from {schema}.run as r
        inner join {schema}.run_figure as f on r.run_id = f.run_id
        where r.kind = 'notes' and r.slice_start > ({newest_day}) - %(length)s
        group by 1, 2, 3 order by 1, 2, 3
    """,
    "ledger_days": """
        select note_day, sum(source)::bigint as source, sum(published)::bigint as published,
            sum(in_table)::bigint as in_table, sum(differing)::bigint as differing, sum(pending)::bigint as pending,
            sum(overdue)::bigint as overdue
        from {schema}.ledger_count
        group by 1 having sum(differing) + sum(pending) + sum(overdue) > 0
        order by sum(differing) desc, sum(overdue) desc, sum(pending) desc, 1 desc
        limit %(ledger_days)s
    """,
    "runs": """
        select r.run_id, r.kind, r.slice_start, r.notes_read, r.published, r.unchanged, r.quarantined, r.removed,
            r.words, r.seconds, r.certificate_id, r.finished_at, r.review,
            (
                select a.decision from {schema}.approval as a where a.run_id = r.run_id
                order by a.decided_at desc limit 1
            ) as decision
        from {schema}.run as r
        order by r.finished_at desc, r.run_id
        limit %(runs)s + 1 offset %(skipped)s
    """,
}
"""What the page of one institution needs beside its summary."""
