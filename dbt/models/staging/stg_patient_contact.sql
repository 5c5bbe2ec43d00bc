-- A kind that is not known is told by the value: it identifies the patient all the same.
{% set where = is_present('value::text') %}
{{ of_surviving_patients('patient_contact', patient_values('patient_contact'), where=where, is_looked_up=true) }}
