select
    i.pat_id as patient_id,
    case t.id_type_name when 'MRN' then 'mrn' when 'SUBSCRIBER ID' then 'health_plan' else 'other_id' end as kind,
    i.identity_id as value
from {{ source('clarity', 'identity_id') }} as i
left join {{ source('clarity', 'identity_id_type') }} as t on i.identity_type_id = t.id_type

union all

select
    pat_id as patient_id,
    'ssn' as kind,
    ssn as value
from {{ source('clarity', 'patient') }}

union all

select
    pat_id as patient_id,
    'account' as kind,
    hsp_account_id as value
from {{ source('clarity', 'hsp_account') }}
