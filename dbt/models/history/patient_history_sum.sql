-- One number for all values that snapshots have seen of a patient, under the id that the EHR had. A run of changes
-- compares it in place of the values: it says whether the history of a patient is another one than before.
{{
    config(
        materialized='table', indexes=[{'columns': ['patient_id'], 'unique': true}], post_hook="{{ analyze(this) }}"
    )
}}
select
    patient_id,
    sum(hashtextextended(value_key, 0)) as value_sum
from (
    {% for table in ['patient_name', 'patient_identifier', 'patient_contact', 'patient_address', 'patient_relation'] %}
    select
        patient_id,
        '{{ table }} ' || value_key as value_key
    from {{ ref(table ~ '_history') }}
    {{ 'union' if not loop.last }}
    {% endfor %}
) as every_value
group by patient_id
