-- Spans of each gold set, and how its notes were drawn: figures on a stratified sample do not represent all notes.
select
    g.gold_version,
    g.design,
    g.preannotated_by <> '' as is_preannotated,
    g.kappa,
    n.note_type,
    s.entity,
    count(*) as spans,
    count(distinct s.note_id) as notes
from {{ source('gold', 'gold_span') }} as s
inner join {{ source('gold', 'gold_note') }} as n on s.gold_version = n.gold_version and s.note_id = n.note_id
inner join {{ source('gold', 'gold_set') }} as g on s.gold_version = g.gold_version
group by g.gold_version, g.design, g.preannotated_by, g.kappa, n.note_type, s.entity
