-- A survivor whom `person` lacks is no survivor: the former person then keeps the notes.
select
    f.person_source_value as former_id,
    s.person_source_value as surviving_id,
    m.merged_at
from {{ source('omop', 'person_merge') }} as m
inner join {{ source('omop', 'person') }} as f on m.person_id = f.person_id
left join {{ source('omop', 'person') }} as s on m.surviving_person_id = s.person_id
