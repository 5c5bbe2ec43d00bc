{% set names = ['street', 'city', 'state', 'zip'] %}
{{ known_patient_values('patient_address', names) }}
