-- What became of the rows of each table on their way into staging. raw = staged + quarantined; excluded notes are
-- staged too, and counted apart. A note whose text cannot be read is staged: its run quarantines it (quality_outcomes,
-- not_text). A date that cannot be read (date_of_text) is counted by its column, whatever became of the row.
{% set quarantined = {
    'patient': "case when exists (select 1 from " ~ ref('stg_patient_merge')
        ~ " as m where m.former_id = a.patient_id::text) then 'merged' end",
    'patient_name': 'null::text',
    'patient_identifier': "case when " ~ present('value::text') ~ " is null then 'blank' end",
    'patient_contact': "case when " ~ present('value::text') ~ " is null then 'blank' end",
    'patient_address': "case when " ~ present('concat(street, city, state, zip)') ~ " is null then 'blank' end",
    'patient_relation': 'null::text',
    'encounter': 'null::text',
    'note': unusable_note(),
    'exclusion': "case when " ~ present('concat(patient_id, note_id)') ~ " is null then 'names_nobody' end"
} %}
{% set note = 'note_state' if var('layout') in var('layouts_with_note_state') else 'note' %}
{% set dates = [
    ('patient', 'patient', ['birth_date']),
    ('patient_name', 'patient_name', ['valid_from', 'valid_to']),
    ('patient_merge', 'patient_merge', ['merged_at']),
    ('encounter', 'encounter', ['started_on']),
    ('note', note, ['note_datetime', 'modified_at']),
    ('exclusion', 'exclusion', ['valid_from', 'valid_to'])
] %}
with counted as (
    {% for table, reason in quarantined.items() %}
    select
        '{{ table }}' as table_name,
        'raw' as status,
        null as reason,
        count(*) as rows_counted
    from {{ ref('stg_' ~ var('layout') ~ '__' ~ table) }}
    union all
    select
        '{{ table }}' as table_name,
        'staged' as status,
        null as reason,
        count(*) as rows_counted
    from {{ ref('stg_' ~ table) }}
    union all
    select
        '{{ table }}' as table_name,
        'quarantined' as status,
        r.reason,
        count(*) as rows_counted
    from (
        select {{ reason }} as reason
        from {{ ref('stg_' ~ var('layout') ~ '__' ~ table) }} as a -- noqa: aliasing.unused
    ) as r
    where r.reason is not null
    group by r.reason
    union all
    {% endfor %}
    {% for table, adapter, columns in dates %}
    {% for column in columns %}
    select
        '{{ table }}' as table_name,
        'unreadable_date' as status,
        '{{ column }}' as reason,
        count(*) as rows_counted
    from {{ ref('stg_' ~ var('layout') ~ '__' ~ adapter) }}
    where {{ column }} = '-infinity'
    having count(*) > 0
    union all
    {% endfor %}
    {% endfor %}
    select
        'note' as table_name,
        'excluded' as status,
        x.reason,
        count(distinct n.note_id) as rows_counted
    from {{ ref('stg_exclusion') }} as x
    inner join {{ ref('stg_note') }} as n on x.patient_id = n.patient_id or x.note_id = n.note_id
    where
        localtimestamp >= coalesce(x.valid_from, '-infinity')
        and localtimestamp < coalesce(x.valid_to, 'infinity')
    group by x.reason
)

select
    table_name,
    status,
    reason,
    rows_counted
from counted
