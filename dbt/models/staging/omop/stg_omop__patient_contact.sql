select
    p.person_source_value as patient_id,
    c.contact_system as kind,
    c.contact_value as value
from {{ source('omop', 'person_contact') }} as c
inner join {{ source('omop', 'person') }} as p on c.person_id = p.person_id
