-- One row a run. The gate refuses to publish a run whose counts do not add up; a test checks that it did.
select
    run_id,
    institution,
    kind,
    slice_start,
    slice_end,
    fingerprint,
    certificate_id,
    notes_read,
    published,
    unchanged,
    quarantined,
    removed,
    notes_read = published + unchanged + quarantined as is_reconciled,
    quarantined::double precision / nullif(notes_read, 0) as quarantined_share,
    words,
    seconds,
    notes_read / nullif(seconds, 0) as notes_per_second,
    finished_at
from {{ source('results', 'run') }}
