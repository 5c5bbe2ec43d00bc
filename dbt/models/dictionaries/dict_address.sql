-- Two-letter states are left out: MI, PA and CT are mostly clinical abbreviations. The pattern detector finds them
-- after a city.
with terms as (
    select
        x.term,
        x.kind,
        a.source,
        a.first_seen
    from (
        select
            street,
            city,
            state,
            zip,
            {{ known_source('stg_patient_address', 'former addresses') }} as source,
            first_seen
        from {{ ref('known_patient_address') }}
        union all
        select
            street,
            city,
            state,
            zip,
            {{ known_source('stg_facility', 'former facilities') }} as source,
            first_seen
        from {{ ref('known_facility') }}
    ) as a
    cross join lateral (
        values (a.street, 'street'), (a.city, 'city'), (a.state, 'state'), (a.zip, 'zip')
    ) as x (term, kind)
)

{{ dictionary('terms') }},

kept as (
    select g.*
    from grouped as g
    where
        length(g.normalised) > 2
        and {{ is_uncommon('g.normalised') }}
)
{{ versioned('kept') }}

{{ dictionary_rows() }}
