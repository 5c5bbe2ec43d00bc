with terms as (
    select
        x.term,
        x.kind,
        {{ known_source('stg_facility', 'former facilities') }} as source,
        f.first_seen
    from {{ ref('known_facility') }} as f
    cross join lateral (
        values (f.name, 'name'), (f.short_name, 'short_name'), (f.phone, 'phone'), (f.fax, 'fax')
    ) as x (term, kind)
)

{{ dictionary('terms') }},

kept as (
    select g.*
    from grouped as g
    where
        length(g.normalised) > 1
        and {{ is_uncommon('g.normalised') }}
)
{{ versioned('kept') }}

{{ dictionary_rows() }}
