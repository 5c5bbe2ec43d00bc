"""Organizations and professions.

Hospitals, clinics, employers and schools get another name of the same kind, the same in all notes of the institution. A
profession becomes another one of the same level of training.
"""

from deid_tasks.engine.obfuscate.organizations.organization_names import NOBODY, replace_organization
from deid_tasks.engine.obfuscate.organizations.professions import replace_profession

__all__ = ["NOBODY", "replace_organization", "replace_profession"]
