{% set names = ['name', 'short_name', 'street', 'city', 'state', 'zip', 'phone', 'fax'] %}
{{ known_values('facility', 'facility_id', names) }}
