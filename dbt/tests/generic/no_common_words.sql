{#- A single word in a shared dictionary is not a common word of scientific prose. -#}
{% test no_common_words(model, column_name) %}
select 1 as failure
from {{ model }} as d
inner join {{ ref('literature_counts') }} as l on d.{{ column_name }} = l.term
where l.occurrences > {{ common_word_threshold() }}
{% endtest %}
