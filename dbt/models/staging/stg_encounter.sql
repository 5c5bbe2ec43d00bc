{% set columns %}
    encounter_id::text as encounter_id,
    {{ readable_date('started_on::date') }} as started_on,
    {{ present('provider_id::text') }} as provider_id,
    {{ present('facility_id::text') }} as facility_id
{%- endset %}
{{ of_surviving_patients('encounter', columns) }}
