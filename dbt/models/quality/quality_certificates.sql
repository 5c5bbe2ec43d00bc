-- `is_current`: the newest certificate of its fingerprint, which decides whether the fingerprint may publish.
select
    certificate_id,
    fingerprint,
    gold_version,
    verdict,
    issued_at,
    row_number() over (partition by fingerprint order by issued_at desc, certificate_id desc) = 1 as is_current,
    (
        select count(*)
        from {{ source('results', 'run') }} as r
        where r.certificate_id = c.certificate_id
    ) as runs
from {{ source('results', 'certificate') }} as c
