{{ config(materialized='ephemeral') }}
{% set names = ['kind', 'value'] %}
{{ patient_snapshot_rows('patient_identifier', names) }}
