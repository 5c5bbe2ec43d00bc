select
    p.prov_id as provider_id,
    {{ first_name('p.prov_name', 'm.middle_name') }} as first_name,
    m.middle_name,
    {{ last_name('p.prov_name') }} as last_name,
    p.clinician_title as credentials,
    coalesce(p.user_id, e.user_id) as user_id,
    m.npi,
    p.office_phone_num as phone,
    m.pager_num as pager
from {{ source('clarity', 'clarity_ser') }} as p
left join {{ source('clarity', 'clarity_ser_2') }} as m on p.prov_id = m.prov_id
left join {{ source('clarity', 'clarity_emp') }} as e on p.user_id is null and p.prov_id = e.prov_id
