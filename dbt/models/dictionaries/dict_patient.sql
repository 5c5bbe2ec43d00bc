-- A view: runs read a patient's terms as the EHR has them at that moment, not as they were when dictionaries were last
-- built. Former values are terms too: notes go on naming what the patient was called. A patient's own terms are never
-- filtered: in the notes of Mr. Young, "Young" is a name.
{{ config(materialized='view') }}
with {{ name_terms('name_parts', ref('known_patient_name'), {
    'first': 'first_name', 'middle': 'middle_name', 'last': 'last_name', 'preferred': 'preferred_name'
}) }},

{{
    name_terms(
        'relative_parts', ref('known_patient_relation'),
        {'relative_first': 'first_name', 'relative_last': 'last_name'}
    )
}},

terms as (
    select
        patient_id,
        term,
        kind,
        {{ known_source('stg_patient_name', 'former names') }} as source,
        first_seen
    from name_parts
    union all
    select
        patient_id,
        term,
        kind,
        {{ known_source('stg_patient_relation', 'former relations') }} as source,
        first_seen
    from relative_parts
    union all
    select
        patient_id,
        value as term,
        kind,
        {{ known_source('stg_patient_identifier', 'former identifiers') }} as source,
        first_seen
    from {{ ref('known_patient_identifier') }}
    union all
    select
        patient_id,
        value as term,
        kind,
        {{ known_source('stg_patient_contact', 'former contacts') }} as source,
        first_seen
    from {{ ref('known_patient_contact') }}
    union all
    select
        patient_id,
        phone as term,
        'phone' as kind,
        {{ known_source('stg_patient_relation', 'former relations') }} as source,
        first_seen
    from {{ ref('known_patient_relation') }}
    union all
    select
        a.patient_id,
        x.term,
        x.kind,
        {{ known_source('stg_patient_address', 'former addresses') }} as source,
        a.first_seen
    from {{ ref('known_patient_address') }} as a
    cross join lateral (
        values (a.street, 'street'), (a.city, 'city'), (a.state, 'state'), (a.zip, 'zip')
    ) as x (term, kind)
)

{{ dictionary('terms', keys=['patient_id']) }}

select
    patient_id,
    term,
    normalised,
    kind,
    occurrences,
    source,
    first_seen
from grouped
