-- Names of all patients, present and former, searched for in every note. Common words are left out.
with terms as (
    select
        x.term,
        x.kind,
        {{ known_source('stg_patient_name', 'former names') }} as source,
        n.first_seen
    from {{ ref('known_patient_name') }} as n
    cross join lateral (
        values
        (n.first_name, 'first'),
        (n.last_name, 'last'),
        (n.preferred_name, 'preferred'),
        {{ full_names('n') }}
    ) as x (term, kind)
)

{{ dictionary('terms') }},

kept as (
    select g.*
    from grouped as g
    where
        length(g.normalised) > 1
        and (g.kind <> 'full' or g.normalised like '% %')
        and {{ is_uncommon('g.normalised') }}
)
{{ versioned('kept') }}

{{ dictionary_rows() }}
