{{ config(materialized='ephemeral') }}
{% set names = ['first_name', 'last_name', 'phone'] %}
{{ patient_snapshot_rows('patient_relation', names) }}
