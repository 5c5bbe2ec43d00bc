{{ config(materialized='ephemeral') }}
{% set names = ['first_name', 'middle_name', 'last_name', 'preferred_name'] %}
{{ patient_snapshot_rows('patient_name', names) }}
