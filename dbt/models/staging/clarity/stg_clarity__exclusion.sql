select
    pat_id as patient_id,
    note_id,
    reason,
    from_dttm as valid_from,
    to_dttm as valid_to
from {{ source('clarity', 'research_exclusion') }}
