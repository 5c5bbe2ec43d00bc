-- Medical phrases of the institution: one to three words that occur in the notes of at least harvest_patients patients.
-- Each word is in the literature counts or in a public medical list, is not common, and is not part of the name of a
-- person or place here. The middle word of three may be common ("shortness of breath"). Texts are read only when
-- harvest_sample or the words are others than last time: otherwise every row stays. When literature_counts holds
-- phrases (`deid corpus count`), a phrase must be among them and has its own count. The counts that ship are of single
-- words: literature_count is then the minimum of the words' counts, an upper bound for the phrase.
{{ config(
    materialized='incremental', incremental_strategy='append', on_schema_change='append_new_columns',
    pre_hook=["set local work_mem = '256MB'", "{{ forget_other_harvests() }}"]
) }}
with current_version as materialized (
    select {{ harvest_version() }} as version
),

sampled as materialized (
    select
        n.note_text,
        dense_rank() over (order by s.patient_id) as patient
    from {{ ref('harvest_sample') }} as s
    inner join {{ ref('stg_note') }} as n on s.note_id = n.note_id
    {%- if is_incremental() %}
    where not exists (select 1 from {{ this }})
    {%- endif %}
),

-- Notes repeat themselves, so the next steps work on distinct stretches of text between punctuation marks.
stretches as materialized (
    select
        s.stretch,
        (array_agg(distinct n.patient))[1:{{ var('harvest_patients') }}] as patients,
        count(*) as occurrences
    from sampled as n
    cross join lateral regexp_split_to_table(n.note_text, '[^[:alnum:]''’ /\-]+') as s (stretch)
    where length(s.stretch) between 3 and 500
    group by s.stretch
),

counted as materialized (
    select coalesce(bool_or(term like '% %'), false) as has_phrases
    from {{ ref('literature_counts') }}
),

tokens as materialized (
    select
        s.stretch_number,
        t.position,
        v.word,
        v.literature_count,
        v.is_common,
        s.patients,
        s.occurrences
    from (select
        row_number() over () as stretch_number,
        st.*
    from stretches as st) as s
    cross join
        lateral
        regexp_split_to_table({{ normalise_term('s.stretch') }}, ' ') with ordinality as t (word, position)
    left join {{ ref('harvest_vocabulary') }} as v on t.word = v.word
),

neighbours as (
    select
        word as first_word,
        is_common as is_first_common,
        literature_count as first_count,
        lead(word, 1) over following as second_word,
        lead(is_common, 1) over following as is_second_common,
        lead(literature_count, 1) over following as second_count,
        lead(word, 2) over following as third_word,
        lead(is_common, 2) over following as is_third_common,
        lead(literature_count, 2) over following as third_count,
        patients,
        occurrences
    from tokens
    window following as (partition by stretch_number order by position)
),

phrases as (
    select
        first_word as phrase,
        first_count as literature_count,
        patients,
        occurrences
    from neighbours
    where not is_first_common
    union all
    select
        first_word || ' ' || second_word as phrase,
        least(first_count, second_count) as literature_count,
        patients,
        occurrences
    from neighbours
    where not is_first_common and not is_second_common
    union all
    select
        first_word || ' ' || second_word || ' ' || third_word as phrase,
        least(first_count, second_count, third_count) as literature_count,
        patients,
        occurrences
    from neighbours
    where not is_first_common and second_word is not null and not is_third_common
),

standing as (
    select
        p.phrase,
        p.patients,
        p.occurrences,
        case
            when c.has_phrases and p.phrase like '% %' then l.occurrences else p.literature_count
        end as literature_count
    from phrases as p
    cross join counted as c
    left join {{ ref('literature_counts') }} as l on p.phrase = l.term
    where
        p.phrase not like '% %'
        or not c.has_phrases
        or l.term is not null
)

select
    p.phrase as term,
    p.phrase as normalised,
    'harvested'::text as kind,
    count(distinct u.patient) as patients,
    min(p.literature_count)::bigint as literature_count,
    -- A stretch is here once for each of its patients (at most harvest_patients), so the sum is divided.
    sum(p.occurrences::numeric / cardinality(p.patients))::bigint as occurrences,
    min(v.version) as version
from standing as p
cross join current_version as v
cross join lateral unnest(p.patients) as u (patient)
group by p.phrase
having count(distinct u.patient) >= {{ var('harvest_patients') }}
