-- A table, since each lookup by patient reads it. It is filled in place: to replace it would drop the views that read
-- it. Runs fill it too, before they compare notes: a merge takes effect without a refresh of the dictionaries.
{{ config(
    materialized='incremental', incremental_strategy='append', on_schema_change='fail', full_refresh=false,
    pre_hook="{% if is_incremental() %}delete from {{ this }}{% endif %}",
    post_hook=["{{ analyze(this) }}", "{{ grant_filling() }}"],
    indexes=[{'columns': ['former_id']}, {'columns': ['surviving_id']}]
) }}
select
    former_id,
    surviving_id,
    merged_at
from {{ ref('int_patient_merge') }}
