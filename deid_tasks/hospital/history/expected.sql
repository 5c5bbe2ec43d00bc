-- What the warehouse is expected to hold after a history, kept beside it: written from the events, never read from its tables.
CREATE TABLE expected_note (
    note_id text PRIMARY KEY,
    patient_id text NOT NULL, -- as the note has it, a former id included
    note_type text NOT NULL,
    note_datetime timestamp NOT NULL,
    author_id text NOT NULL,
    facility_id text NOT NULL,
    skeleton text NOT NULL,
    note_text bytea, -- NULL where the note arrived without a text
    spans text NOT NULL, -- JSON: start, end, entity
    modified_at timestamp NOT NULL,
    is_deleted boolean NOT NULL DEFAULT false
);
CREATE INDEX ON expected_note (patient_id);
CREATE TABLE expected_patient (
    patient_id text PRIMARY KEY,
    is_registered boolean NOT NULL,
    left_with text -- the person whose records left the EHR
);
CREATE INDEX ON expected_patient (left_with);
CREATE TABLE expected_merge (former_id text PRIMARY KEY, surviving_id text NOT NULL, merged_at timestamp NOT NULL);
CREATE TABLE expected_exclusion (
    exclusion_id integer PRIMARY KEY,
    patient_id text,
    note_id text,
    reason text NOT NULL,
    valid_from timestamp NOT NULL,
    valid_to timestamp
);
CREATE TABLE expected_newcomer (kind text, id text, PRIMARY KEY (kind, id)); -- clinicians and places
CREATE TABLE expected_event (digest text PRIMARY KEY); -- events that were applied
CREATE TABLE expected_key (name text PRIMARY KEY, last bigint NOT NULL); -- the newest key of each raw table
CREATE TABLE expected_person (patient_id text PRIMARY KEY, person_key bigint NOT NULL); -- keys given before registration
-- A merge's chain is followed to the patient who is nobody's former id.
CREATE VIEW expected_survivor AS
WITH RECURSIVE chain AS (
    SELECT former_id, surviving_id FROM expected_merge
    UNION
    SELECT c.former_id, m.surviving_id FROM chain AS c INNER JOIN expected_merge AS m ON c.surviving_id = m.former_id
)
SELECT c.former_id, c.surviving_id
FROM chain AS c
WHERE NOT EXISTS (SELECT 1 FROM expected_merge AS m WHERE m.former_id = c.surviving_id);
