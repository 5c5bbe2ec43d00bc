"""The tables of forms and of policies are whole."""

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.forms import FORMS, IdentifierForm, forms_of
from deid_tasks.core.policies import EXPERT, PRESETS

NAMED = [preset for preset in PRESETS.values() if preset.name != EXPERT]
DIRECT = {
    *(
        IdentifierForm.PATIENT,
        IdentifierForm.RELATIVE,
        IdentifierForm.INITIALS,
        IdentifierForm.STREET,
        IdentifierForm.PHONE,
        IdentifierForm.FAX,
        IdentifierForm.EMAIL,
        IdentifierForm.SSN,
        IdentifierForm.MRN,
    ),
    *(
        IdentifierForm.HEALTH_PLAN,
        IdentifierForm.ACCOUNT,
        IdentifierForm.LICENSE,
        IdentifierForm.VEHICLE,
        IdentifierForm.DEVICE,
        IdentifierForm.URL,
        IdentifierForm.IP,
        IdentifierForm.BIOMETRIC,
    ),
}


def test_every_form_has_a_row_and_every_entity_a_form():
    assert set(FORMS) == set(IdentifierForm)
    assert all(forms_of(entity) for entity in Entity)


@pytest.mark.parametrize("preset", NAMED, ids=lambda preset: preset.name)
def test_a_preset_has_a_rule_with_its_paragraph_for_every_form(preset):
    assert list(preset.rules) == list(IdentifierForm)
    assert all(rule.paragraph for rule in preset.rules.values())
    assert all(preset.rules[form].action != "keep" for form in DIRECT)


def test_what_cannot_be_read_stays_under_no_policy_that_output_is_released_under():
    unclear = [form for form in IdentifierForm if form.value.endswith("unclear")]
    for name in ("safe-harbor", "limited-dataset", "gdpr"):
        assert all(PRESETS[name].rules[form].action != "keep" for form in unclear)


def test_what_safe_harbor_lets_stay_is_what_the_paragraph_excepts():
    kept = {form for form, rule in PRESETS["safe-harbor"].rules.items() if rule.action == "keep"}
    assert kept == {
        *(
            IdentifierForm.STATE,
            IdentifierForm.COUNTRY,
            IdentifierForm.ZIP_3,
            IdentifierForm.AGE_UNDER_90,
            IdentifierForm.YEAR,
        ),
        IdentifierForm.RELATIVE_DAY,
    }


@pytest.mark.parametrize("name", ["safe-harbor", "limited-dataset", "gdpr"])
def test_direct_identifiers_can_be_kept_under_no_policy_of_release(name):
    preset = PRESETS[name]
    assert all(preset.forbids_keeping(form) for form in DIRECT)
    assert all(preset.rules[form].action != "keep" for form in preset.not_listed)


def test_what_a_limited_data_set_lets_stay():
    rules = PRESETS["limited-dataset"].rules
    for form in (
        IdentifierForm.CITY,
        IdentifierForm.STATE,
        IdentifierForm.ZIP,
        IdentifierForm.FULL_DATE,
        IdentifierForm.AGE_90_OR_OVER,
        IdentifierForm.BIRTH_YEAR_OVER_89,
    ):
        assert rules[form].action == "keep"
