{#- Every gold span lies inside its note's text. Nothing fails while there is no gold set. -#}
{% test spans_inside_text(model, notes) %}
{% if relation_exists(model.schema, model.identifier) %}
select 1 as failure
from {{ model }} as s
left join {{ notes }} as n on s.note_id = n.note_id
where n.note_id is null or s.start_offset < 0 or s.end_offset <= s.start_offset or s.end_offset > length(n.text)
{% else %}
select 1 as failure
where false
{% endif %}
{% endtest %}
