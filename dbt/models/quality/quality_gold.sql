-- What the gold set holds; empty while there is none.
{% if relation_exists(var('institution') ~ '_gold', 'gold_span') %}
select
    n.gold_version,
    n.sample,
    n.note_type,
    s.entity,
    count(*) as spans,
    count(distinct s.note_id) as notes
from {{ source('gold', 'gold_span') }} as s
inner join {{ source('gold', 'gold_note') }} as n on s.note_id = n.note_id
group by n.gold_version, n.sample, n.note_type, s.entity
{% else %}
select
    null::text as gold_version,
    null::text as sample,
    null::text as note_type,
    null::text as entity,
    null::bigint as spans,
    null::bigint as notes
where false
{% endif %}
