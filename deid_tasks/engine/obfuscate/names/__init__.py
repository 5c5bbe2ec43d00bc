"""Names of people as they are written in notes.

The generators here take a written name, initials or a user name apart, replace each part through its ``NameScope``, and keep
order, punctuation, letter case and titles.
"""

from deid_tasks.engine.obfuscate.names.initials import replace_initials, replace_username
from deid_tasks.engine.obfuscate.names.person_names import replace_name

__all__ = ["replace_initials", "replace_name", "replace_username"]
