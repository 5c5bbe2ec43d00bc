select
    p.person_source_value as patient_id,
    n.first_name,
    n.middle_name,
    n.last_name,
    n.preferred_name,
    n.valid_from,
    n.valid_to
from {{ source('omop', 'person_name') }} as n
inner join {{ source('omop', 'person') }} as p on n.person_id = p.person_id
