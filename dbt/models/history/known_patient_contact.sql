{% set names = ['kind', 'value'] %}
{{ known_patient_values('patient_contact', names) }}
