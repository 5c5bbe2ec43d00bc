{#- Every gold span lies inside its note's text. -#}
{% test spans_inside_text(model, notes) %}
select 1 as failure
from {{ model }} as s
left join {{ notes }} as n on s.gold_version = n.gold_version and s.note_id = n.note_id
where n.note_id is null or s.end_offset > length(n.text)
{% endtest %}
