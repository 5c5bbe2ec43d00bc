{{ config(materialized='ephemeral') }}
{% set names = ['name', 'short_name', 'street', 'city', 'state', 'zip', 'phone', 'fax'] %}
{{ snapshot_rows('facility_id', names, 'select * from ' ~ ref('stg_facility')) }}
