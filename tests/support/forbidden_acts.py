"""What no login of a task may do in the databases of the institution `rolesite`: its statements, by task."""

ROWS_OF_THE_LOG = "rolesite_results.reidentification"
TAMPERING = (
    f"alter table {ROWS_OF_THE_LOG} disable trigger reidentification_is_append_only",
    f"drop trigger reidentification_is_append_only on {ROWS_OF_THE_LOG}",
    f"update {ROWS_OF_THE_LOG} set reason = 'other'",
    f"delete from {ROWS_OF_THE_LOG}",
    f"truncate {ROWS_OF_THE_LOG}",
    f"drop table {ROWS_OF_THE_LOG}",
    "create or replace function rolesite_results.refuse_change() returns trigger language plpgsql as"
    " $$ begin return null; end $$",
)
AUDIT_LOG_TAMPERING = tuple(
    statement.replace("reidentification", "audit_log").replace("set reason = 'other'", "set actor = 'other'")
    for statement in TAMPERING
)

NOTES = "select note_text from rolesite_staging.stg_note"
GOLD = "select text from rolesite_gold.gold_note"
RAW = "select * from rolesite_ehr.note"
RAW_WRITES = (
    "update rolesite_ehr.note set note_text = ''",
    "delete from rolesite_ehr.person",
    "drop table rolesite_ehr.note",
)
FORBIDDEN = {
    "source": (
        *RAW_WRITES, NOTES, GOLD, "select * from rolesite_results.run",
        "create table rolesite_ehr.copy as select 1 as one", "create schema of_its_own",
    ),
    "build": (
        *RAW_WRITES, "update rolesite_gold.gold_note set text = ''", "select * from rolesite_gold.annotation",
        "delete from rolesite_results.note_outcome", "insert into rolesite_results.exclusion default values",
        "alter table rolesite_results.run add column x int", "drop table rolesite_gold.sample", "create schema of_its_own",
    ),
    "engine": (
        *RAW_WRITES, RAW, GOLD, "select * from rolesite_gold.sample", "delete from rolesite_gold.gold_set",
        "insert into rolesite_results.run_day values ('x', '2024-01-01')",
        "update rolesite_results.run set review = '[]'", "delete from rolesite_results.note_outcome",
        "update rolesite_results.note_ledger set outcome = 'published'", "select * from rolesite_results.certificate",
        "select * from rolesite_results.compared_system",
        "update rolesite_results.promoted_engine set pinned_at = null",
        "alter table rolesite_results.note_outcome add column x int", "create table rolesite_results.x (y int)",
        "insert into rolesite_dictionaries.dict_facility default values", "drop view rolesite_staging.stg_note cascade",
        "select * from rolesite_quality.quality_runs",
    ),
    "evidence": (
        *RAW_WRITES, RAW, "select * from rolesite_results.run_note", "update rolesite_results.run set review = '[]'",
        "update rolesite_results.note_ledger set outcome = 'published'", "delete from rolesite_results.exclusion",
        "insert into rolesite_results.approval default values", "select * from rolesite_results.published_slice",
        "alter table rolesite_gold.gold_note add column x int", "drop table rolesite_gold.gold_set cascade",
        "update rolesite_results.certificate set verdict = 'passed'", "truncate rolesite_results.evaluation",
        "update rolesite_results.compared_system set recall = 1",
    ),
    "publish": (
        *RAW_WRITES, RAW, GOLD, "select * from rolesite_gold.sample_note",
        "insert into rolesite_results.certificate default values",
        "update rolesite_results.certificate set verdict = 'passed'", "delete from rolesite_results.evaluation",
        "update rolesite_results.approval set decision = 'approved'", "delete from rolesite_results.approval",
        "delete from rolesite_results.exclusion", "delete from rolesite_results.retraction",
        "insert into rolesite_results.promoted_engine default values",
        "alter table rolesite_results.run add column x int", "drop table rolesite_results.note_ledger",
        "delete from rolesite_results.compared_system",
        "truncate rolesite_results.note_ledger", "insert into rolesite_dictionaries.dict_facility default values",
    ),
    "page": (
        *RAW_WRITES, RAW, NOTES, GOLD, "select * from rolesite_staging.stg_patient",
        "select * from rolesite_dictionaries.dict_patient", "select * from rolesite_history.patient_history_sum",
        "select note_id from rolesite_results.note_ledger", "select fingerprint from rolesite_results.note_ledger",
        "select count(*) from rolesite_results.note_ledger", "select slice_key from rolesite_results.published_slice",
        "select reason from rolesite_results.approval", "select decided_by from rolesite_results.approval",
        "select reason from rolesite_results.approval_request", "select note_keys from rolesite_results.approval_request",
        "select patient_ids from rolesite_results.approval_request", "select note_ids from rolesite_results.approval_request",
        "select requested_by from rolesite_results.approval_request", "select actor from rolesite_results.audit_log",
        "select details from rolesite_results.audit_log", "select * from rolesite_results.audit_finding",
        "select * from rolesite_results.retraction", "insert into rolesite_results.approval (run_id) values ('x')",
        "delete from rolesite_results.engine_note_count", "update rolesite_results.ledger_count set overdue = 0",
        "select * from rolesite_results.note_outcome", "select * from rolesite_results.run_note",
        "select * from rolesite_results.exclusion", "select * from rolesite_results.approval",
        "update rolesite_results.run set review = '[]'", "delete from rolesite_results.certificate",
        "delete from rolesite_results.compared_system",
    ),
    "reidentify": (
        *RAW_WRITES, RAW, NOTES, GOLD, "select * from rolesite_results.note_ledger",
        "select * from rolesite_results.run", "select * from rolesite_dictionaries.dict_patient",
    ),
    "audit": (
        *RAW_WRITES, RAW, NOTES, GOLD, "select * from rolesite_results.note_ledger",
        "insert into rolesite_results.approval default values", "delete from rolesite_results.certificate",
        "insert into rolesite_results.approval_request default values",
        f"insert into {ROWS_OF_THE_LOG} (asked_by, reason, note_keys) values ('x', 'x', '{{}}')",
        "insert into rolesite_results.exclusion default values",
    ),
    "owner": (
        *RAW_WRITES, RAW, NOTES, "select * from rolesite_dictionaries.dict_patient",
        "drop schema rolesite_staging cascade", "create schema of_its_own", "create role somebody",
    ),
}  # fmt: skip
