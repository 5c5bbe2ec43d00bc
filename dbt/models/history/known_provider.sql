{% set names = ['first_name', 'middle_name', 'last_name', 'user_id', 'npi', 'phone', 'pager'] %}
{{ known_values('provider', 'provider_id', names) }}
