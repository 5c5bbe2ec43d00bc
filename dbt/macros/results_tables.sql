{#-
    The tables that the engine writes its results to; this is the only place that defines them. Runs before everything else,
    so that the quality views can be built before the first note was read. The lock is for two dbt processes at once.
-#}
{% macro create_results_tables() -%}
    {%- set results = var('institution') ~ '_results' -%}
    select pg_advisory_xact_lock(hashtextextended('{{ results }}', 0));
    create schema if not exists {{ results }};
    create table if not exists {{ results }}.run (
        run_id text primary key,
        institution text not null,
        slice_start timestamp not null,
        slice_end timestamp not null,
        fingerprint text not null,
        certificate_id text,
        notes_read bigint not null,
        published bigint not null,
        unchanged bigint not null,
        quarantined bigint not null,
        words bigint not null,
        seconds double precision not null,
        finished_at timestamptz not null
    );
    create table if not exists {{ results }}.note_outcome (
        run_id text not null,
        note_id text not null,
        outcome text not null,
        reason text not null,
        fingerprint text not null,
        words integer not null,
        spans integer not null,
        milliseconds real not null,
        primary key (run_id, note_id)
    );
    create table if not exists {{ results }}.evaluation (
        evaluation_id text not null,
        fingerprint text not null,
        gold_version text not null,
        sample text not null,
        variant text not null,
        view text not null,
        stratum text not null,
        metric text not null,
        entity text not null,
        value double precision,
        lower double precision,
        upper double precision,
        true_positives bigint,
        false_positives bigint,
        false_negatives bigint,
        evaluated_at timestamptz not null
    );
    create index if not exists evaluation_by_fingerprint on {{ results }}.evaluation (fingerprint);
    create table if not exists {{ results }}.certificate (
        certificate_id text primary key,
        fingerprint text not null,
        gold_version text not null,
        verdict text not null,
        document jsonb not null,
        issued_at timestamptz not null
    );
    create table if not exists {{ results }}.audit_finding (
        run_id text not null,
        note_id text not null,
        kind text not null,
        start_offset integer not null,
        end_offset integer not null
    );
    create index if not exists audit_finding_by_run on {{ results }}.audit_finding (run_id);
{%- endmacro %}
