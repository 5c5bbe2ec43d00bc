"""Numbers and codes that name a person, a plan, a licence, a vehicle, a device or a document."""

from deid_tasks.engine.detect.patterns.identifiers import (
    archive_headers,
    civil_numbers,
    grouped_numbers,
    labelled_numbers,
    number_formats,
    other_numbers,
    user_names,
)
from deid_tasks.engine.detect.patterns.rule import Rule

__all__ = ["FORM_TABLES", "RULES"]

RULES = (
    Rule("code of entry", other_numbers.CODE_TRIGGER, other_numbers.read_entry_code),
    Rule("lot of a drug", other_numbers.LOT_TRIGGER, other_numbers.read_lot),
    Rule("lot without a mark", other_numbers.BARE_LOT_TRIGGER, other_numbers.read_bare_lot),
    Rule("number of an agreement", other_numbers.AGREEMENT_TRIGGER, other_numbers.read_number_of_agreement),
    Rule("unit of blood", other_numbers.BLOOD_UNIT_TRIGGER, other_numbers.read_blood_unit),
    Rule("rescue vehicle", other_numbers.RESCUE_VEHICLE_TRIGGER, other_numbers.read_rescue_vehicle),
    Rule("log-in", user_names.LOGIN_TRIGGER, user_names.read_login),
    Rule("name of a player", user_names.PLAYER_TRIGGER, user_names.read_name_of_player),
    Rule("user of a chat", user_names.CHAT_TRIGGER, user_names.read_user_of_chat),
    Rule("file name", other_numbers.FILE_TRIGGER, other_numbers.read_file_name),
    Rule("number with blanks", other_numbers.BLANKS_TRIGGER, other_numbers.read_number_with_blanks),
    Rule("header of an archived report", archive_headers.HEADER_TRIGGER, archive_headers.read_archive_header),
    Rule("batch of a transcription", archive_headers.BATCH_TRIGGER, archive_headers.read_batch),
    Rule("number in groups", grouped_numbers.GROUPS_TRIGGER, grouped_numbers.read_number_in_groups),
    Rule("number plate", other_numbers.PLATE_TRIGGER, other_numbers.read_plate),
    Rule("labelled number", labelled_numbers.LABELLED_NUMBER_TRIGGER, labelled_numbers.read_labelled_number),
    Rule("civil number", civil_numbers.CIVIL_NUMBER_TRIGGER, civil_numbers.read_civil_number),
    Rule("social security number", number_formats.SSN_TRIGGER, number_formats.read_ssn),
    Rule("number format", number_formats.FORMAT_TRIGGER, number_formats.read_number_format),
    Rule("dictation number", user_names.DICTATION_TRIGGER, user_names.read_dictation_number),
    Rule("user behind a stamp", user_names.STAMPED_TRIGGER, user_names.read_user_behind_stamp),
    Rule("user name", user_names.USER_NAME_TRIGGER, user_names.read_user_name),
)
"""The rules of this room."""

FORM_TABLES = (labelled_numbers.LABELLED_NUMBERS, number_formats.NUMBER_FORMATS)
"""The tables of forms, whose examples are tests."""
