with terms as (
    select
        x.term,
        x.kind,
        {{ known_source('stg_provider', 'former providers') }} as source,
        n.first_seen
    from {{ ref('known_provider') }} as n
    cross join lateral (
        values
        (n.first_name, 'first'),
        (n.last_name, 'last'),
        {{ full_names('n') }},
        (n.user_id, 'user_id'),
        (n.npi, 'npi'),
        (n.phone, 'phone'),
        (n.pager, 'pager')
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
