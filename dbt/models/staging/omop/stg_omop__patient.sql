select
    p.person_source_value as patient_id,
    case p.gender_concept_id when 8532 then 'F' when 8507 then 'M' else 'U' end as sex,
    coalesce({{ readable_date('b.moment') }}, b.parts, b.moment) as birth_date,
    case
        when p.ethnicity_concept_id = 38003563 then 'hispanic'
        when p.race_concept_id = 8527 then 'white'
        when p.race_concept_id = 8516 then 'black'
        when p.race_concept_id in (8515, 8557) then 'api'
        when p.race_concept_id = 8657 then 'native'
        when lower(p.race_source_value) = 'multiple' then 'multiple'
        else 'unknown'
    end as ethnicity_hint
from {{ source('omop', 'person') }} as p
cross join lateral (
    select
        {{ date_of_text('p.birth_datetime') }} as moment,
        {{ date_of_text(
            "lpad(p.year_of_birth::text, 4, '0') || '-' || lpad(p.month_of_birth::text, 2, '0')"
            ~ " || '-' || lpad(p.day_of_birth::text, 2, '0')"
        ) }} as parts
) as b
