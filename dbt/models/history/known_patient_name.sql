{% set names = ['first_name', 'middle_name', 'last_name', 'preferred_name'] %}
{{ known_patient_values('patient_name', names) }}
