select
    p.provider_source_value as provider_id,
    i.first_name,
    i.middle_name,
    i.last_name,
    i.credentials,
    i.user_id,
    p.npi,
    i.phone,
    i.pager
from {{ source('omop', 'provider') }} as p
left join {{ source('omop', 'provider_identity') }} as i on p.provider_id = i.provider_id
