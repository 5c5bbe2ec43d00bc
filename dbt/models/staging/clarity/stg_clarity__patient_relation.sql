select
    r.pat_id as patient_id,
    z.name as relation,
    {{ given_names('r.pat_rel_name') }} as first_name,
    {{ last_name('r.pat_rel_name') }} as last_name,
    r.pat_rel_home_phone as phone
from {{ source('clarity', 'pat_relationships') }} as r
left join {{ source('clarity', 'zc_pat_relation') }} as z on r.pat_rel_relation_c = z.pat_relation_c
