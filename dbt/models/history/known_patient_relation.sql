{% set names = ['first_name', 'last_name', 'phone'] %}
{{ known_patient_values('patient_relation', names) }}
