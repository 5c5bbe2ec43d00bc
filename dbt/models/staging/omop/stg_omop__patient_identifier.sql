select
    p.person_source_value as patient_id,
    i.identifier_type as kind,
    i.identifier_value as value
from {{ source('omop', 'person_identifier') }} as i
inner join {{ source('omop', 'person') }} as p on i.person_id = p.person_id
