-- Quarantined notes by the exception that quarantined them. It has counts only: the note ids are in `note_outcome`.
select
    run_id,
    reason,
    error_class,
    error_location,
    count(*) as notes
from {{ source('results', 'note_outcome') }}
where error_class is not null
group by run_id, reason, error_class, error_location
