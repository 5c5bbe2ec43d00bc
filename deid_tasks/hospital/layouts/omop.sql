-- OMOP Common Data Model 5.4 (https://ohdsi.github.io/CommonDataModel/cdm54.html): the clinical tables in use here, whole,
-- and below them the identities that OMOP leaves out.
CREATE TABLE concept (
    concept_id integer PRIMARY KEY,
    concept_name varchar(255) NOT NULL,
    domain_id varchar(20) NOT NULL,
    vocabulary_id varchar(20) NOT NULL,
    concept_class_id varchar(20) NOT NULL,
    standard_concept varchar(1),
    concept_code varchar(50) NOT NULL,
    valid_start_date date NOT NULL DEFAULT '1970-01-01',
    valid_end_date date NOT NULL DEFAULT '2099-12-31',
    invalid_reason varchar(1)
);
CREATE TABLE cdm_source (
    cdm_source_name varchar(255) NOT NULL,
    cdm_source_abbreviation varchar(25) NOT NULL,
    cdm_holder varchar(255) NOT NULL,
    source_description text,
    source_documentation_reference varchar(255),
    cdm_etl_reference varchar(255),
    source_release_date date NOT NULL,
    cdm_release_date date NOT NULL DEFAULT CURRENT_DATE,
    cdm_version varchar(10),
    cdm_version_concept_id integer NOT NULL,
    vocabulary_version varchar(20) NOT NULL
);
CREATE TABLE location (
    location_id integer PRIMARY KEY,
    address_1 varchar(50),
    address_2 varchar(50),
    city varchar(50),
    state varchar(2),
    zip varchar(9),
    county varchar(50),
    location_source_value varchar(50),
    country_concept_id integer,
    country_source_value varchar(80),
    latitude numeric,
    longitude numeric
);
CREATE TABLE care_site (
    care_site_id integer PRIMARY KEY,
    care_site_name varchar(255),
    place_of_service_concept_id integer,
    location_id integer,
    care_site_source_value varchar(50),
    place_of_service_source_value varchar(50)
);
CREATE TABLE provider (
    provider_id integer PRIMARY KEY,
    provider_name varchar(255),
    npi varchar(20),
    dea varchar(20),
    specialty_concept_id integer,
    care_site_id integer,
    year_of_birth integer,
    gender_concept_id integer,
    provider_source_value varchar(50),
    specialty_source_value varchar(50),
    specialty_source_concept_id integer,
    gender_source_value varchar(50),
    gender_source_concept_id integer
);
CREATE TABLE person (
    person_id integer PRIMARY KEY,
    gender_concept_id integer NOT NULL,
    year_of_birth integer NOT NULL,
    month_of_birth integer,
    day_of_birth integer,
    birth_datetime timestamp,
    race_concept_id integer NOT NULL,
    ethnicity_concept_id integer NOT NULL,
    location_id integer,
    provider_id integer,
    care_site_id integer,
    person_source_value varchar(50),
    gender_source_value varchar(50),
    gender_source_concept_id integer,
    race_source_value varchar(50),
    race_source_concept_id integer,
    ethnicity_source_value varchar(50),
    ethnicity_source_concept_id integer
);
CREATE TABLE visit_occurrence (
    visit_occurrence_id integer PRIMARY KEY,
    person_id integer NOT NULL,
    visit_concept_id integer NOT NULL,
    visit_start_date date NOT NULL,
    visit_start_datetime timestamp,
    visit_end_date date NOT NULL,
    visit_end_datetime timestamp,
    visit_type_concept_id integer NOT NULL,
    provider_id integer,
    care_site_id integer,
    visit_source_value varchar(50),
    visit_source_concept_id integer,
    admitted_from_concept_id integer,
    admitted_from_source_value varchar(50),
    discharged_to_concept_id integer,
    discharged_to_source_value varchar(50),
    preceding_visit_occurrence_id integer
);
CREATE TABLE note (
    note_id integer PRIMARY KEY,
    person_id integer NOT NULL,
    note_date date NOT NULL,
    note_datetime timestamp,
    note_type_concept_id integer NOT NULL,
    note_class_concept_id integer NOT NULL,
    note_title varchar(250),
    note_text text NOT NULL,
    encoding_concept_id integer NOT NULL,
    language_concept_id integer NOT NULL,
    provider_id integer,
    visit_occurrence_id integer,
    visit_detail_id integer,
    note_source_value varchar(50),
    note_event_id integer,
    note_event_field_concept_id integer,
    load_datetime timestamp -- when the row was last loaded; not in OMOP
);
CREATE INDEX ON note (note_datetime);
CREATE INDEX ON note (person_id);
CREATE INDEX ON note (load_datetime);
CREATE INDEX ON note (note_source_value);
CREATE INDEX ON person (person_source_value);
CREATE INDEX ON visit_occurrence (person_id);

CREATE TABLE person_name (
    person_id integer NOT NULL,
    name_use text NOT NULL, -- official or former
    first_name text,
    middle_name text,
    last_name text,
    preferred_name text,
    valid_from date,
    valid_to date
);
CREATE INDEX ON person_name (person_id);
-- A person who was found to be the same as another. The newest row of a person counts; a row without a survivor undoes the
-- merge. The former person's own rows may stay where they are.
CREATE TABLE person_merge (
    person_id integer NOT NULL,
    surviving_person_id integer,
    merged_at timestamp NOT NULL DEFAULT (now() AT TIME ZONE 'UTC'),
    PRIMARY KEY (person_id, merged_at)
);
CREATE INDEX ON person_merge (surviving_person_id);
-- Persons or single notes that research may not see, from a moment or until one where the row says so.
CREATE TABLE research_exclusion (
    exclusion_id integer PRIMARY KEY,
    person_id integer,
    note_id integer,
    reason text,
    valid_from timestamp,
    valid_to timestamp
);
CREATE INDEX ON research_exclusion (person_id);
CREATE INDEX ON research_exclusion (note_id);
CREATE TABLE person_identifier (
    person_id integer NOT NULL,
    identifier_type text NOT NULL, -- mrn, ssn, health_plan, account, license, other_id
    identifier_value text NOT NULL
);
CREATE INDEX ON person_identifier (person_id);
CREATE TABLE person_contact (
    person_id integer NOT NULL,
    contact_system text NOT NULL, -- phone or email
    contact_use text, -- home or mobile
    contact_value text NOT NULL
);
CREATE INDEX ON person_contact (person_id);
CREATE TABLE person_relation (
    person_id integer NOT NULL,
    relationship text,
    first_name text,
    last_name text,
    phone text
);
CREATE INDEX ON person_relation (person_id);
CREATE TABLE provider_identity (
    provider_id integer NOT NULL,
    first_name text,
    middle_name text,
    last_name text,
    credentials text,
    user_id text,
    phone text,
    pager text
);
CREATE TABLE care_site_contact (
    care_site_id integer NOT NULL,
    short_name text,
    phone text,
    fax text
);
