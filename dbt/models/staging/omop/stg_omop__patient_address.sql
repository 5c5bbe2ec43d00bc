select
    p.person_source_value as patient_id,
    concat_ws(' ', l.address_1, l.address_2) as street,
    l.city,
    l.state,
    l.zip
from {{ source('omop', 'person') }} as p
inner join {{ source('omop', 'location') }} as l on p.location_id = l.location_id
