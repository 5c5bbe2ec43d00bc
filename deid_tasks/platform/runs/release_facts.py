"""What the report on a release says of its policy, of who can reverse it, and of how the table grows."""

import datetime
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from deid_tasks.core.forms import FORMS, IdentifierForm
from deid_tasks.settings import InstitutionSettings

_GROUPS_OF_AGES = "age_group"


def policy_facts(settings: InstitutionSettings) -> dict[str, Any]:
    """Return the policy, and what becomes of each form of an identifier by it."""
    policy = settings.policy
    return {
        "name": policy.name,
        "policy": policy.model_dump(mode="json"),
        "surrogates": settings.obfuscate.model_dump(mode="json", exclude={"key"}),
        "second_search": settings.second_search.model_dump(mode="json"),
        "dates_stay": policy.keeps_dates,
        "forms": [
            {"form": str(form), "means": entry.means, **_form_facts(settings, form)} for form, entry in FORMS.items()
        ],
        "other_modes": sorted(settings.obfuscate.note_types),
    }


def _form_facts(settings: InstitutionSettings, form: IdentifierForm) -> dict[str, str]:
    """Return what becomes of a form, and what says so."""
    policy = settings.policy
    action, rule = str(policy.form_action(form)), policy.paragraph(form)
    if form is IdentifierForm.AGE_UNDER_90 and action == "surrogate" and not policy.has_forms:
        # Without a table of forms, ages are replaced by their number alone.
        action, rule = (_GROUPS_OF_AGES if policy.age_groups else "keep"), "policy.max_kept_age_years"
    elif action == "surrogate":
        action = settings.obfuscate.modes.get(FORMS[form].entity, "surrogate")
    return {"becomes": action, "rule": rule}


def reversal_facts(settings: InstitutionSettings) -> dict[str, Any]:
    """Return with what the platform could give originals back."""
    vault = settings.vault
    return {"vault": None if vault is None else {"wrap": vault.wrap}, "two_people": list(settings.approvals.two_people)}


def growth_facts(settings: InstitutionSettings, pace: Mapping[str, Any], now: datetime.datetime) -> dict[str, Any]:
    """Return how many notes a day the table gains, and how many it would hold when the report is made again.

    Args:
        settings: The institution.
        pace: The newest published days, as ``read_release_counts`` returns them.
        now: The time of the report.
    """
    last = settings.notes.end_date
    days = settings.release.reassess_days
    if last is not None:
        days = max(0, min(days, (last - now.date()).days))
    a_day = float(pace["notes"] or 0) / float(pace["days"] or 1)
    return {"notes_a_day": a_day, "days": days, "notes": round(a_day * days)}


def patients_by_type(notes: pa.Table) -> dict[str, int]:
    """Return the number of patients with a note of each type."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for note_type, patient in zip(notes["note_type"].to_pylist(), notes["patient_key"].to_pylist(), strict=True):
        if patient is not None:
            found[note_type or ""].add(patient)
    return {name: len(patients) for name, patients in found.items()}
