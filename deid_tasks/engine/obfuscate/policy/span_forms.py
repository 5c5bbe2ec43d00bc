"""The form of a span, from its entity and its text."""

from functools import lru_cache

from deid_tasks.core.entities import Entity
from deid_tasks.core.forms import IdentifierForm, forms_of
from deid_tasks.engine.obfuscate.policy.age_forms import form_of_age
from deid_tasks.engine.obfuscate.policy.date_forms import form_of_date, form_of_time
from deid_tasks.engine.obfuscate.policy.place_forms import form_of_country, form_of_state, form_of_zip

_MAX_AGE = 89
_AS_OF_YEAR = 2026


@lru_cache(maxsize=65_536)
def form_of_span(
    value: str, entity: Entity, as_of_year: int = _AS_OF_YEAR, max_age_years: int = _MAX_AGE
) -> IdentifierForm:
    """Return the form of a text.

    Args:
        value: the text of the span.
        entity: what the span was marked as.
        as_of_year: the year in which the age of people is judged by their birth year.
        max_age_years: the highest age that is no identifier.
    """
    if entity is Entity.DATE:
        return form_of_date(value, as_of_year, max_age_years)
    if entity is Entity.TIME:
        return form_of_time(value)
    if entity is Entity.AGE:
        return form_of_age(value, max_age_years)
    if entity is Entity.ZIP:
        return form_of_zip(value)
    if entity is Entity.STATE:
        return form_of_state(value)
    if entity is Entity.COUNTRY:
        return form_of_country(value)
    [form] = forms_of(entity)
    return form
