-- Public medical terms, and phrases harvested from the institution's notes, without names of its people and places.
with harvested as (
    select
        term,
        normalised,
        kind,
        patients,
        literature_count,
        occurrences,
        'stg_note' as source
    from {{ ref('harvested_phrases') }}
),

public_terms as (
    select
        mode() within group (order by term) as term,
        normalised,
        kind,
        min(source) as source,
        count(*) as occurrences
    from (
        select
            term,
            kind,
            source,
            {{ normalise_term('term') }} as normalised
        from {{ ref('medical_terms') }}
    ) as listed
    where normalised <> ''
    group by normalised, kind
),

-- "Bruce protocol" stays although a patient is called Bruce; the single word "Bruce" is left out.
allowed_public as (
    select
        p.term,
        p.normalised,
        p.kind,
        0::bigint as patients,
        coalesce(l.occurrences, 0) as literature_count,
        p.occurrences,
        p.source
    from public_terms as p
    left join {{ ref('literature_counts') }} as l on p.normalised = l.term
    where not exists (
        select 1 from {{ ref('institution_words') }} as w where w.phrase = p.normalised and w.scope = 'name'
    )
),

kept as (
    select * from allowed_public
    union all
    select
        h.term,
        h.normalised,
        h.kind,
        h.patients,
        h.literature_count,
        h.occurrences,
        h.source
    from harvested as h
    where not exists (select 1 from allowed_public as a where a.normalised = h.normalised)
)
{{ versioned('kept', ['kind', 'normalised', 'term', 'patients', 'literature_count', 'occurrences']) }}

select
    k.term,
    k.normalised,
    k.kind,
    k.occurrences,
    k.source,
    c.version,
    k.patients,
    k.literature_count
from kept as k
cross join content as c
