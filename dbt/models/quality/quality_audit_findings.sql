-- Counts only: offsets of findings are for people who may read the note.
select
    run_id,
    kind,
    count(*) as findings,
    count(distinct note_id) as notes
from {{ source('results', 'audit_finding') }}
group by run_id, kind
