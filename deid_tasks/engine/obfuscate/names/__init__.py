"""Names of people as they are written in notes.

The generators here take a written name, initials or a user name apart, replace each part through its ``NameScope``, and
keep order, punctuation, letter case and titles.
"""

from deid_tasks.engine.obfuscate.names.account_names import replace_account_part
from deid_tasks.engine.obfuscate.names.initials import replace_initials, replace_username
from deid_tasks.engine.obfuscate.names.person_names import replace_name, replace_name_column

__all__ = ["replace_account_part", "replace_initials", "replace_name", "replace_name_column", "replace_username"]
