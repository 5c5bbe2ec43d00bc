select
    coalesce(v.visit_source_value, v.visit_occurrence_id::text) as encounter_id,
    p.person_source_value as patient_id,
    v.visit_start_date as started_on,
    a.provider_source_value as provider_id,
    s.care_site_source_value as facility_id
from {{ source('omop', 'visit_occurrence') }} as v
inner join {{ source('omop', 'person') }} as p on v.person_id = p.person_id
left join {{ source('omop', 'provider') }} as a on v.provider_id = a.provider_id
left join {{ source('omop', 'care_site') }} as s on v.care_site_id = s.care_site_id
