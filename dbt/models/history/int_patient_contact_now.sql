{{ config(materialized='ephemeral') }}
{% set names = ['kind', 'value'] %}
{{ patient_snapshot_rows('patient_contact', names) }}
