select
    p.person_source_value as patient_id,
    r.relationship as relation,
    r.first_name,
    r.last_name,
    r.phone
from {{ source('omop', 'person_relation') }} as r
inner join {{ source('omop', 'person') }} as p on r.person_id = p.person_id
