select
    pat_id as patient_id,
    'phone' as kind,
    home_phone as value
from {{ source('clarity', 'patient') }}

union all

select
    pat_id as patient_id,
    'email' as kind,
    email_address as value
from {{ source('clarity', 'patient') }}

union all

select
    c.pat_id as patient_id,
    'phone' as kind,
    c.other_communic_num as value
from {{ source('clarity', 'other_communctn') }} as c
inner join {{ source('clarity', 'zc_other_communic') }} as z on c.other_communic_c = z.other_communic_c
where z.name in ('Mobile', 'Work Phone', 'Home Phone')
