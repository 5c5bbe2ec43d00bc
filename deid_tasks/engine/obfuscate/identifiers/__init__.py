"""Numbers and electronic addresses that identify somebody.

Record numbers, telephone numbers, e-mail, web and network addresses keep their shape and get other digits and letters. Check
digits stay valid where the original's were valid.
"""

from deid_tasks.engine.obfuscate.identifiers.internet import replace_email, replace_ip, replace_url
from deid_tasks.engine.obfuscate.identifiers.numbers import replace_number
from deid_tasks.engine.obfuscate.identifiers.telephones import replace_phone

__all__ = ["replace_email", "replace_ip", "replace_number", "replace_phone", "replace_url"]
