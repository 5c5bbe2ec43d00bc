"""A single name has the role of the full name that it is a part of."""

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.engine.merge.roles import follow_roles
from tests.support.markup import read_markup


@pytest.mark.parametrize(
    ("marked", "role"),
    [
        ("Night tech: [PROVIDER:Buddy Lujan]. Mr. [PATIENT:Lujan] notes", Entity.PROVIDER),
        ("[PATIENT:Simone Webb] slept. [PROVIDER:Simone] endorses it", Entity.PATIENT),
        ("[PATIENT:Webb, Simone] slept. [PROVIDER:simone] endorses it", Entity.PATIENT),
        # The patient's surname is that of the husband.
        ("[RELATIVE:Raymond Doolan] came. [PATIENT:Doolan] ate. Mr. [PATIENT:Doolan] slept", Entity.PATIENT),
        ("[RELATIVE:Raymond Doolan] came. [PATIENT:Doolan] slept", Entity.PATIENT),
        # What stands in front tells more.
        ("[PATIENT:Joy Tennant] slept. Wife [RELATIVE:Joy] came", Entity.RELATIVE),
        ("[PATIENT:Penny Loomis] slept. RN [PROVIDER:Penny] came", Entity.PROVIDER),
        # Two people of one name.
        ("[PATIENT:Joy Tennant] slept, [RELATIVE:Joy Webb] came. [RELATIVE:Joy] left", Entity.RELATIVE),
    ],
)
def test_a_single_name_follows_the_full_name(marked, role):
    text, spans = read_markup(marked)
    assert follow_roles(text, spans)[-1].entity is role
