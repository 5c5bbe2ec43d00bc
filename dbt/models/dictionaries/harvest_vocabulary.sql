-- The words of which medical phrases are made: counted in the literature or in a public medical list, and part of no
-- name here.
select
    w.word,
    max(w.literature_count)::bigint as literature_count,
    coalesce(max(w.literature_count) > {{ common_word_threshold() }}, false) as is_common
from (
    select
        term as word,
        occurrences as literature_count
    from {{ ref('literature_counts') }}
    where term not like '% %'
    union all
    select
        p.word,
        0 as literature_count
    from {{ ref('medical_terms') }} as m
    cross join lateral regexp_split_to_table({{ normalise_term('m.term') }}, ' ') as p (word)
) as w
where
    w.word ~ '[[:alpha:]]{2}'
    and not exists (select 1 from {{ ref('institution_words') }} as i where i.phrase = w.word)
group by w.word
