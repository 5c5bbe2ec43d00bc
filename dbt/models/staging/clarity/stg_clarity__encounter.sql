select
    pat_enc_csn_id::text as encounter_id,
    pat_id as patient_id,
    {{ date_of_text('contact_date') }} as started_on,
    visit_prov_id as provider_id,
    department_id as facility_id
from {{ source('clarity', 'pat_enc') }}
