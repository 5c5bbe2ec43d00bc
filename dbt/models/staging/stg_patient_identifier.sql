-- A kind that is not known is other_id: the number identifies the patient all the same.
{% set where = is_present('value::text') %}
{{ of_surviving_patients('patient_identifier', patient_values('patient_identifier'), where=where, is_looked_up=true) }}
