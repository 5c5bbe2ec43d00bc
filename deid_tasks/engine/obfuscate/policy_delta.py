"""Which notes a changed policy can touch: those that hold an entity whose replacement depends on the change."""

from deid_tasks.core.entities import CATEGORY, GROUP_ENTITIES, Category, Entity
from deid_tasks.settings import PolicySettings

_PLACES = frozenset(
    entity for entity, category in CATEGORY.items() if category in {Category.LOCATION, Category.ORGANIZATION}
)
_MOMENTS = frozenset({Entity.DATE, Entity.TIME})
_AGES = ("max_kept_age_years", "age_form", "age_groups")


def touched_entities(before: PolicySettings, after: PolicySettings) -> frozenset[Entity]:
    """Return the entities that may be replaced otherwise under the policy ``after`` than under ``before``.

    A note without any of them comes out the same. Surrogates of places depend on whether states and ZIP digits stay,
    and those of dates on whether times stay.
    """
    touched = set(_transformed(before) ^ _transformed(after))
    if any(getattr(before, name) != getattr(after, name) for name in _AGES):
        touched.add(Entity.AGE)
    if before.kept_zip_digits != after.kept_zip_digits or touched & _PLACES:
        touched |= _PLACES
    if touched & _MOMENTS:
        touched |= _MOMENTS
    return frozenset(touched)


def _transformed(policy: PolicySettings) -> frozenset[Entity]:
    return GROUP_ENTITIES[policy.group] - frozenset(policy.keep)
