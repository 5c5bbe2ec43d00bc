"""Numbers and electronic addresses that identify somebody.

Record numbers, telephone numbers, e-mail, web and network addresses keep their shape and get other digits and letters.
Check digits stay valid where the original's were valid.
"""

from deid_tasks.engine.obfuscate.identifiers.email_addresses import replace_email
from deid_tasks.engine.obfuscate.identifiers.ip_addresses import replace_ip
from deid_tasks.engine.obfuscate.identifiers.numbers import NUMBER_FORMATS, replace_number
from deid_tasks.engine.obfuscate.identifiers.spoken_values import (
    has_figures,
    replace_spoken_address,
    replace_spoken_number,
)
from deid_tasks.engine.obfuscate.identifiers.telephones import owner_in_record, replace_phone
from deid_tasks.engine.obfuscate.identifiers.web_addresses import is_file_name, replace_path, replace_url

__all__ = [
    "NUMBER_FORMATS",
    "has_figures",
    "is_file_name",
    "owner_in_record",
    "replace_email",
    "replace_ip",
    "replace_number",
    "replace_path",
    "replace_phone",
    "replace_spoken_address",
    "replace_spoken_number",
    "replace_url",
]
