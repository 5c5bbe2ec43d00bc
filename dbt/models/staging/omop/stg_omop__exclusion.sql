select
    p.person_source_value as patient_id,
    coalesce(n.note_source_value, n.note_id::text) as note_id,
    x.reason,
    x.valid_from,
    x.valid_to
from {{ source('omop', 'research_exclusion') }} as x
left join {{ source('omop', 'person') }} as p on x.person_id = p.person_id
left join {{ source('omop', 'note') }} as n on x.note_id = n.note_id
