"""Entities that the generators treat alike."""

from deid_tasks.core.entities import Entity

NAMES = frozenset({Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE})
"""Names of people."""
PLACES = frozenset({Entity.CITY, Entity.STATE, Entity.ZIP})
"""Parts of an address whose surrogates must exist together."""
ORGANIZATIONS = frozenset({Entity.FACILITY, Entity.ORGANIZATION})
TELEPHONES = frozenset({Entity.PHONE, Entity.FAX, Entity.PAGER})
INSTITUTIONAL = ORGANIZATIONS | {Entity.USERNAME, Entity.PROVIDER}
"""Entities that belong to the institution, whichever patient's note they stand in."""
