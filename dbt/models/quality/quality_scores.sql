-- The newest value of each figure, by fingerprint and gold set.
select
    fingerprint,
    gold_version,
    sample,
    variant,
    view,
    stratum,
    metric,
    entity,
    value,
    lower,
    upper,
    true_positives,
    false_positives,
    false_negatives,
    evaluated_at
from (
    select
        e.*,
        row_number() over (
            partition by e.fingerprint, e.gold_version, e.sample, e.variant, e.view, e.stratum, e.metric, e.entity
            order by e.evaluated_at desc, e.evaluation_id desc
        ) as age
    from {{ source('results', 'evaluation') }} as e
) as ranked
where age = 1
