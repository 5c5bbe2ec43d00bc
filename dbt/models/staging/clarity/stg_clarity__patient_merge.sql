select
    pat_id as former_id,
    surviving_pat_id as surviving_id,
    merge_dttm as merged_at
from {{ source('clarity', 'pat_merge_history') }}
