-- Every word that names, or once named, a person or a place of the institution. No medical term may be one of these.
-- Scope `name`: any word of a person's name, or a whole place name. Scope `part`: a word inside a place name.
with people as (
    select x.name
    from {{ ref('known_patient_name') }} as n
    cross join lateral (values (n.first_name), (n.middle_name), (n.last_name), (n.preferred_name)) as x (name)
    union all
    select x.name
    from {{ ref('known_patient_relation') }} as r
    cross join lateral (values (r.first_name), (r.last_name)) as x (name)
    union all
    select x.name
    from {{ ref('known_provider') }} as p
    cross join lateral (values (p.first_name), (p.middle_name), (p.last_name), (p.user_id)) as x (name)
),

places as (
    select x.name
    from {{ ref('known_facility') }} as f
    cross join lateral (values (f.name), (f.short_name), (f.street), (f.city)) as x (name)
    union all
    select x.name
    from {{ ref('known_patient_address') }} as a
    cross join lateral (values (a.street), (a.city)) as x (name)
),

people_names as (
    select distinct {{ normalise_term('name') }} as phrase
    from people
    where name is not null
),

place_names as (
    select distinct {{ normalise_term('name') }} as phrase
    from places
    where name is not null
),

words as (
    select
        w.word as phrase,
        'name' as scope
    from people_names as n
    cross join lateral regexp_split_to_table(n.phrase, ' ') as w (word)
    union all
    select
        phrase,
        'name' as scope
    from place_names
    union all
    select
        w.word as phrase,
        'part' as scope
    from place_names as n
    cross join lateral regexp_split_to_table(n.phrase, ' ') as w (word)
)

select
    phrase,
    min(scope) as scope
from words
where length(phrase) > 1
group by phrase
