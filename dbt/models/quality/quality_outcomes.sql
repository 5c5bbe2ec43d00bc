select
    run_id,
    outcome,
    reason,
    count(*) as notes,
    sum(words)::bigint as words,
    sum(spans)::bigint as spans,
    avg(milliseconds)::double precision as mean_milliseconds,
    max(milliseconds)::double precision as max_milliseconds
from {{ source('results', 'note_outcome') }}
group by run_id, outcome, reason
