"""Names and initials: behind a title, a label or a relation, beside a credential, in lists, and in passing."""

from deid_tasks.engine.detect.patterns.names import (
    bracketed,
    credentials,
    full_names,
    initials,
    labelled_initials,
    name_parts,
    passing_mentions,
    patients,
    relatives,
    rosters,
    sign_offs,
    signatures,
    titles,
)
from deid_tasks.engine.detect.patterns.rule import Rule

__all__ = ["FORM_TABLES", "RULES"]

RULES = (
    Rule("fields of a name", patients.FIELDS_TRIGGER, patients.read_name_fields),
    Rule("doctor", titles.DOCTOR_TRIGGER, titles.read_doctor),
    Rule("half of a name", titles.BLANK_TRIGGER, titles.read_half_of_name),
    Rule("mister", titles.MISTER_TRIGGER, titles.read_mister),
    Rule("patient's name", patients.PATIENT_TRIGGER, patients.read_labelled_patient),
    Rule("patient in a header", patients.HEADER_TRIGGER, patients.read_patient_in_header),
    Rule(
        "relative in small letters",
        relatives.LOWER_RELATION_TRIGGER,
        relatives.read_relative_in_small_letters,
    ),
    Rule(
        "credential in small letters",
        credentials.LOWER_CREDITED_TRIGGER,
        credentials.read_credited_in_small_letters,
    ),
    Rule("relative", relatives.RELATION_TRIGGER, relatives.read_relative),
    Rule("name and relation", relatives.NAME_AND_RELATION_TRIGGER, relatives.read_name_and_relation),
    Rule("signature", signatures.SIGNATURE_TRIGGER, signatures.read_signature),
    Rule("name in a cell", signatures.CELL_TRIGGER, signatures.read_name_in_cell),
    Rule("credential", credentials.CREDENTIAL_TRIGGER, credentials.read_credited_name),
    Rule("initials of a trial", labelled_initials.TRIAL_TRIGGER, labelled_initials.read_initials_of_trial),
    Rule("initials on a line", initials.OWN_LINE_TRIGGER, initials.read_initials_on_line),
    Rule("initials after a sentence", initials.AFTER_SENTENCE_TRIGGER, initials.read_initials_after_sentence),
    Rule("initials in a column", initials.COLUMN_TRIGGER, initials.read_initials_in_column),
    Rule("labelled initials", labelled_initials.LABEL_TRIGGER, labelled_initials.read_labelled_initials),
    Rule("initials behind a closing", sign_offs.CLOSING_TRIGGER, sign_offs.read_closing_initials),
    Rule("initials behind a dash", sign_offs.DASH_TRIGGER, sign_offs.read_dashed_initials),
    Rule("initials of a dictation", sign_offs.DICTATED_TRIGGER, sign_offs.read_dictated_by),
    Rule("spoken initials of a dictation", sign_offs.SPOKEN_TRIGGER, sign_offs.read_spoken_pair),
    Rule("initials letter by letter", sign_offs.SPELLED_TRIGGER, sign_offs.read_spelled_initials),
    Rule("initials in a pair", sign_offs.PAIR_TRIGGER, sign_offs.read_pair_at_end),
    Rule("initials with a credential", sign_offs.CREDITED_TRIGGER, sign_offs.read_credited_initials),
    Rule("initials behind /s/", sign_offs.SLASHED_TRIGGER, sign_offs.read_slashed_initials),
    Rule("author and typist", labelled_initials.TWINS_TRIGGER, labelled_initials.read_author_and_typist),
    Rule("name and initials", labelled_initials.WITH_NAME_TRIGGER, labelled_initials.read_name_and_initials),
    Rule(
        "initials of a patient",
        labelled_initials.PATIENT_INITIALS_TRIGGER,
        labelled_initials.read_initials_of_patient,
    ),
    Rule("row of a round list", rosters.ROW_TRIGGER, rosters.read_roster_row),
    Rule("header of a ward note", rosters.WARD_HEADER_TRIGGER, rosters.read_ward_header),
    Rule("name, age and sex", rosters.NAME_AGE_SEX_TRIGGER, rosters.read_name_age_sex),
    Rule("surgeon and day", rosters.OPERATION_TRIGGER, rosters.read_surgeon_and_day),
    Rule("described patient", passing_mentions.DESCRIBED_TRIGGER, passing_mentions.read_described_patient),
    Rule("person who was told", passing_mentions.TOLD_TRIGGER, passing_mentions.read_person_who_was_told),
    Rule("person who called", passing_mentions.CALLS_TRIGGER, passing_mentions.read_person_who_called),
    Rule(
        "credential in front of a name",
        credentials.CREDENTIAL_FIRST_TRIGGER,
        credentials.read_name_behind_credential,
    ),
    Rule("surname behind a department", bracketed.DEPARTMENT_TRIGGER, bracketed.read_surname_behind_department),
    Rule("name behind a referral", bracketed.REFERRAL_TRIGGER, bracketed.read_name_behind_referral),
    Rule("interpreter", bracketed.INTERPRETER_TRIGGER, bracketed.read_interpreter),
    Rule("name by its letters", full_names.SPELLED_TRIGGER, full_names.read_spelled_name),
    Rule("given name and surname", full_names.FULL_NAME_TRIGGER, full_names.read_full_name),
)
"""The rules of this room."""

FORM_TABLES = (
    name_parts.NAME_PARTS,
    patients.LABELLED_PATIENTS,
    relatives.RELATIVES,
    signatures.SIGNATURES,
    credentials.CREDITED_NAMES,
    labelled_initials.LABELLED_LETTERS,
)
"""The tables of forms, whose examples are tests."""
