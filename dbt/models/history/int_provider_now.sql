{{ config(materialized='ephemeral') }}
{% set names = ['first_name', 'middle_name', 'last_name', 'user_id', 'npi', 'phone', 'pager'] %}
{{ snapshot_rows('provider_id', names, 'select * from ' ~ ref('stg_provider')) }}
