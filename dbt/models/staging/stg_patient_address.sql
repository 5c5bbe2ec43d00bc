{% set where = is_present('concat(street, city, state, zip)') %}
{{ of_surviving_patients('patient_address', patient_values('patient_address'), where=where, is_looked_up=true) }}
