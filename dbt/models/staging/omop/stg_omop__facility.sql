select
    s.care_site_source_value as facility_id,
    s.care_site_name as name,
    c.short_name,
    s.place_of_service_source_value as kind,
    concat_ws(' ', l.address_1, l.address_2) as street,
    l.city,
    l.state,
    l.zip,
    c.phone,
    c.fax
from {{ source('omop', 'care_site') }} as s
left join {{ source('omop', 'care_site_contact') }} as c on s.care_site_id = c.care_site_id
left join {{ source('omop', 'location') }} as l on s.location_id = l.location_id
