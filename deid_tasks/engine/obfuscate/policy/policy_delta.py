"""Which notes a changed policy can touch: those that hold an entity whose replacement depends on the change."""

from deid_tasks.core.entities import CATEGORY, Category, Entity
from deid_tasks.core.forms import FORMS, IdentifierForm
from deid_tasks.settings import PolicySettings

_PLACES = frozenset(
    entity for entity, category in CATEGORY.items() if category in {Category.LOCATION, Category.ORGANIZATION}
)
_MOMENTS = frozenset({Entity.DATE, Entity.TIME})
_AGES = ("max_kept_age_years", "age_form", "age_groups")
_YEARS = ("max_kept_age_years", "as_of_year")


def touched_entities(before: PolicySettings, after: PolicySettings) -> frozenset[Entity]:
    """Return the entities that may be replaced otherwise under the policy ``after`` than under ``before``.

    A note without any of them comes out the same. Surrogates of places depend on whether states and ZIP digits stay,
    and those of dates on whether times stay.
    """
    touched = set(before.replaced_entities ^ after.replaced_entities)
    touched |= {FORMS[form].entity for form in IdentifierForm if before.form_action(form) != after.form_action(form)}
    if _differ(before, after, _AGES):
        touched.add(Entity.AGE)
    if (before.has_forms or after.has_forms) and _differ(before, after, _YEARS):
        touched.add(Entity.DATE)
    if before.has_forms != after.has_forms:
        # Addresses in one span are divided under a policy of forms alone, and years over 89 are lifted.
        touched |= _PLACES | {Entity.DATE}
    if before.kept_zip_digits != after.kept_zip_digits or touched & _PLACES:
        touched |= _PLACES
    if touched & _MOMENTS:
        touched |= _MOMENTS
    return frozenset(touched)


def _differ(before: PolicySettings, after: PolicySettings, names: tuple[str, ...]) -> bool:
    return any(getattr(before, name) != getattr(after, name) for name in names)
