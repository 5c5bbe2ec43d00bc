-- An Epic-Clarity-like layout: names as 'Last,First Middle', categories in ZC_ tables, note text in numbered pieces.
CREATE TABLE zc_sex (rcpt_mem_sex_c integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE zc_patient_race (patient_race_c integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE zc_ethnic_group (ethnic_group_c integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE zc_state (state_c integer PRIMARY KEY, name text, abbr text NOT NULL);
CREATE TABLE zc_pat_relation (pat_relation_c integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE zc_other_communic (other_communic_c integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE zc_note_type_ip (type_ip_c integer PRIMARY KEY, name text NOT NULL);

CREATE TABLE patient (
    pat_id text PRIMARY KEY,
    pat_name text,
    pat_middle_name text,
    preferred_name text,
    birth_date timestamp,
    sex_c integer,
    ethnic_group_c integer,
    ssn text,
    city text,
    state_c integer,
    zip text,
    home_phone text,
    email_address text
);
CREATE TABLE patient_alias (pat_id text NOT NULL, line integer NOT NULL, alias text, PRIMARY KEY (pat_id, line));
CREATE TABLE patient_race (pat_id text NOT NULL, line integer NOT NULL, patient_race_c integer, PRIMARY KEY (pat_id, line));
CREATE TABLE pat_address (pat_id text NOT NULL, line integer NOT NULL, address text, PRIMARY KEY (pat_id, line));
CREATE TABLE identity_id_type (id_type integer PRIMARY KEY, id_type_name text NOT NULL);
CREATE TABLE identity_id (
    pat_id text NOT NULL, line integer NOT NULL, identity_type_id integer, identity_id text, PRIMARY KEY (pat_id, line)
);
CREATE TABLE hsp_account (hsp_account_id text NOT NULL, pat_id text NOT NULL);
CREATE TABLE other_communctn (
    pat_id text NOT NULL, line integer NOT NULL, other_communic_c integer, other_communic_num text, PRIMARY KEY (pat_id, line)
);
CREATE TABLE pat_relationships (
    pat_id text NOT NULL,
    line integer NOT NULL,
    pat_rel_name text,
    pat_rel_relation_c integer,
    pat_rel_home_phone text,
    PRIMARY KEY (pat_id, line)
);

CREATE TABLE clarity_ser (
    prov_id text PRIMARY KEY, prov_name text, prov_type text, clinician_title text, user_id text, office_phone_num text
);
CREATE TABLE clarity_ser_2 (prov_id text PRIMARY KEY, npi text, middle_name text, pager_num text, primary_loc_id text);
CREATE TABLE clarity_emp (user_id text PRIMARY KEY, name text, prov_id text);

CREATE TABLE clarity_loc (
    loc_id text PRIMARY KEY,
    loc_name text,
    location_abbr text,
    loc_type text,
    address_line text,
    city text,
    state_c integer,
    zip text,
    phone_num text,
    fax_num text
);
CREATE TABLE clarity_dep (
    department_id text PRIMARY KEY,
    department_name text,
    dept_abbreviation text,
    address_line text,
    city text,
    state_c integer,
    zip text,
    phone_num text,
    fax_num text
);

CREATE TABLE pat_enc (
    pat_enc_csn_id bigint PRIMARY KEY,
    pat_id text NOT NULL,
    contact_date timestamp,
    visit_prov_id text,
    department_id text
);
CREATE TABLE hno_info (
    note_id text PRIMARY KEY,
    pat_enc_csn_id bigint NOT NULL,
    ip_note_type_c integer,
    create_instant_dttm timestamp,
    current_author_id text,
    update_date timestamp NOT NULL DEFAULT (now() AT TIME ZONE 'UTC'),
    delete_instant_dttm timestamp -- set where the note was deleted; the row stays
);
-- One row a version of a note; the text in force is that of the last contact.
CREATE TABLE note_enc_info (
    contact_serial_num bigint PRIMARY KEY,
    note_id text NOT NULL,
    contact_num integer NOT NULL,
    spec_note_time_dttm timestamp,
    upd_dttm timestamp
);
-- The pieces of a text joined in the order of their lines, with nothing between them, are the text.
CREATE TABLE hno_note_text (
    note_csn_id bigint NOT NULL, line integer NOT NULL, note_id text NOT NULL, note_text text, PRIMARY KEY (note_csn_id, line)
);
-- A medical record that was found to be the same person's as another. The newest row of a patient counts; a row without a
-- survivor undoes the merge.
CREATE TABLE pat_merge_history (
    pat_id text NOT NULL,
    surviving_pat_id text,
    merge_dttm timestamp NOT NULL DEFAULT (now() AT TIME ZONE 'UTC'),
    PRIMARY KEY (pat_id, merge_dttm)
);
-- Patients or single notes that research may not see, from a moment or until one where the row says so.
CREATE TABLE research_exclusion (
    line integer PRIMARY KEY, pat_id text, note_id text, reason text, from_dttm timestamp, to_dttm timestamp
);
CREATE INDEX ON pat_merge_history (surviving_pat_id);
CREATE INDEX ON research_exclusion (pat_id);
CREATE INDEX ON research_exclusion (note_id);
CREATE INDEX ON hsp_account (pat_id);
CREATE INDEX ON pat_enc (pat_id);
CREATE INDEX ON hno_info (pat_enc_csn_id);
CREATE INDEX ON hno_info (create_instant_dttm);
CREATE INDEX ON hno_info (update_date);
CREATE INDEX ON note_enc_info (note_id);
