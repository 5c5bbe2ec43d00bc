"""The section ``policy``: presets, departures, and what contradicts them."""

import pytest
from pydantic import ValidationError

from deid_tasks.core.entities import GROUP_ENTITIES, Entity, Group
from deid_tasks.core.errors import SettingsError
from deid_tasks.core.forms import FORMS, IdentifierForm
from deid_tasks.core.policies import PRESETS
from deid_tasks.engine.fingerprint import decisive_settings, fingerprint
from deid_tasks.settings import EngineSettings, PolicySettings
from deid_tasks.settings.policy import PolicyWarning


def test_the_default_decides_by_entity():
    policy = PolicySettings()
    assert (policy.preset, policy.name, policy.has_forms) == ("expert", "expert", False)
    kept = {form for form in IdentifierForm if policy.form_action(form) == "keep"}
    assert {FORMS[form].entity for form in kept} == {Entity.TIME}
    assert PolicySettings(group="A").replaced_entities == GROUP_ENTITIES[Group.A] - {Entity.TIME}
    assert PolicySettings(group="A").decision(IdentifierForm.CLINICIAN) == "keep (policy.group A)"


@pytest.mark.parametrize("preset", PRESETS)
def test_a_policy_is_the_same_after_a_round_trip(preset):
    policy = PolicySettings(preset=preset)
    assert PolicySettings.model_validate_json(policy.model_dump_json()) == policy
    assert policy.name == preset


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ({"preset": "safe-harbor", "group": "A"}, "group and keep are for preset expert"),
        ({"preset": "gdpr", "keep": ["TIME"]}, "depart from gdpr with forms"),
        ({"preset": "safe-harbor", "max_kept_age_years": 95}, "no max_kept_age_years above 89"),
        ({"preset": "hipaa"}, "Input should be 'expert'"),
        ({"forms": {"birthday": "keep"}}, "forms"),
        ({"forms": {"year": "burn"}}, "forms"),
    ],
)
def test_what_is_refused(policy, message):
    with pytest.raises(ValidationError, match=message):
        PolicySettings(**policy)


@pytest.mark.parametrize(
    ("obfuscate", "message"),
    [
        ({"modes": {"PATIENT": "keep"}}, "PATIENT is keep, but safe-harbor replaces it"),
        ({"weekdays": "kept"}, "safe-harbor replaces weekdays"),
        ({"holidays": "kept"}, "safe-harbor replaces holidays"),
    ],
)
def test_surrogates_that_would_leave_what_a_preset_replaces_are_refused(obfuscate, message):
    with pytest.raises(ValidationError, match=message):
        EngineSettings.model_validate({"policy": {"preset": "safe-harbor"}, "obfuscate": obfuscate})
    loose = EngineSettings.model_validate({"obfuscate": obfuscate})
    with pytest.raises(SettingsError, match=message):
        loose.with_policy("safe-harbor")
    assert loose.with_policy(None) is loose


def test_an_identifier_that_the_rule_lists_cannot_be_kept():
    forms = {"clinician": "mask", "full_date": "keep", "phone": "keep"}
    policy = {"preset": "safe-harbor", "forms": forms}
    with pytest.raises(ValidationError, match=r"keep .* safe-harbor lists: full_date \(164.*\), phone \(164"):
        EngineSettings.model_validate({"policy": policy})
    # Policies of former releases are still read.
    assert PolicySettings.model_validate(policy).form_action(IdentifierForm.PHONE) == "keep"


def test_keeping_what_a_preset_replaces_out_of_caution_is_said():
    with pytest.warns(PolicyWarning, match="clinician .*may be a relative.* 'safe-harbor with changes'"):
        EngineSettings.model_validate({"policy": {"preset": "safe-harbor", "forms": {"clinician": "keep"}}})
    # What a preset leaves, what a corpus marks and what expert leaves are not worth a word.
    for policy in ({"preset": "safe-harbor", "forms": {"year": "keep"}}, {"forms": {"clinician": "keep"}}):
        EngineSettings.model_validate({"policy": policy})
    EngineSettings.model_validate({"policy": {"preset": "i2b2-2014", "forms": {"profession": "keep"}}})


def test_a_mode_of_what_a_preset_replaces_holds():
    made = EngineSettings.model_validate(
        {"policy": {"preset": "safe-harbor"}, "obfuscate": {"modes": {"DATE": "mask", "SSN": "remove"}}}
    )
    assert made.policy.preset == "safe-harbor"


def test_the_fingerprint_names_the_policy():
    def of(policy):
        return fingerprint(EngineSettings.public().with_policy(policy), "", "", ())

    assert len({of(name) for name in PRESETS}) == len(PRESETS)
    assert decisive_settings(EngineSettings.public("gdpr"))["policy"]["preset"] == "gdpr"
    with pytest.raises(SettingsError, match="policy 'hipaa' is not known"):
        EngineSettings.public("hipaa")
