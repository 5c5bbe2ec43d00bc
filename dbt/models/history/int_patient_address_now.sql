{{ config(materialized='ephemeral') }}
{% set names = ['street', 'city', 'state', 'zip'] %}
{{ patient_snapshot_rows('patient_address', names) }}
