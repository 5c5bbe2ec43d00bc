-- A kind that is not known is other_id: the number identifies the patient all the same.
{% set where = present('value::text') ~ ' is not null' %}
{{ of_surviving_patients('patient_identifier', patient_values('patient_identifier'), where=where, is_looked_up=true) }}
