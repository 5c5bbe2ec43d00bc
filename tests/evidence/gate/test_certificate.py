"""A certificate lets exactly one fingerprint publish, and any change of it is seen."""

import datetime
import json

import pytest

from deid_tasks.core.errors import GateError, SettingsError
from deid_tasks.evidence.gate import Certificate, issue_certificate, named_thresholds, new_key_pair, verify_certificate
from deid_tasks.evidence.gate.certificate import canonical
from deid_tasks.settings import GateSettings

PRIVATE, PUBLIC = new_key_pair()
OTHER_PRIVATE, OTHER_PUBLIC = new_key_pair()
GATE = GateSettings(recall_min=0.98, precision_min=0.9, stratum_recall_min=0.95)
MOMENT = datetime.datetime(2024, 5, 1, tzinfo=datetime.UTC)


def issued(failures=(), gate=GATE, key=PRIVATE, designs=("stratified", "random"), moment=MOMENT, **changes):
    evaluated = [{"design": design, "figures": {"recall": {"value": 0.1 + 0.2}}, "note": "Ünï"} for design in designs]
    fields = {"institution": "riverside", "fingerprint": "f", "evaluation_id": "e"} | changes
    return issue_certificate(
        **fields,
        evaluated=evaluated,
        baseline={"nursing": {"words": 10}},
        gate=gate,
        failures=failures,
        warnings=(),
        signing_key=key,
        issued_at=moment,
    )


def verified(certificate, institution="riverside", fingerprint="f", gate=GATE, key=PUBLIC):
    return verify_certificate(certificate, institution, fingerprint, gate, key, MOMENT)


def forged(certificate, **changes):
    return Certificate(canonical(certificate.content | changes), certificate.signature)


def test_a_good_one_is_valid_and_says_what_its_samples_stand_for():
    content = verified(issued())
    assert content["verdict"] == "passed"
    meanings = {one["design"]: one["design_means"] for one in content["evaluated"]}
    assert "not representative" in meanings["stratified"]
    assert "unbiased" in meanings["random"]


@pytest.mark.parametrize(
    ("certificate", "said"),
    [
        (None, "none was issued"),
        (issued(failures=["recall is 0.5"]), "the evaluation failed: recall is 0.5"),
        (issued(fingerprint="g"), "it belongs to fingerprint g"),
        (issued(institution="lakeshore"), "it belongs to institution lakeshore"),
        (issued(key=OTHER_PRIVATE), "signed with another key"),
        (issued(designs=("stratified",)), "no figures on the random gold set"),
        (forged(issued(failures=["recall"]), verdict="passed"), "signature is not valid"),
        (forged(issued(), issued_at="2030"), "signature is not valid"),
        (Certificate(issued().document + " ", issued().signature), "signature is not valid"),
        (Certificate(issued().document, ""), "signature is not valid"),
        (Certificate(issued().document, "ß"), "signature is not valid"),
        (Certificate(issued().document, issued(fingerprint="g").signature), "signature is not valid"),
        *(
            (issued(gate=GATE.model_copy(update={name: 0.6})), f"issued under a lower {name}")
            for name in ("recall_min", "precision_min", "category_min", "stratum_recall_min", "confidence")
        ),
    ],
)
def test_any_other_is_refused_and_the_text_says_what_to_run(certificate, said):
    with pytest.raises(GateError) as caught:
        verified(certificate)
    assert str(caught.value).startswith("riverside: no valid certificate for fingerprint f: ")
    assert said in str(caught.value)
    assert str(caught.value).endswith("; run evaluate__riverside")


def test_every_single_changed_byte_is_seen():
    certificate = issued()
    document = certificate.document
    for index in range(len(document)):
        changed = document[:index] + chr(ord(document[index]) ^ 1) + document[index + 1 :]
        with pytest.raises(GateError, match="signature is not valid"):
            verified(Certificate(changed, certificate.signature))


def test_the_file_form_keeps_the_signature():
    certificate = issued()
    read = Certificate.of_file(certificate.file())
    assert read == certificate
    assert verified(read)
    with pytest.raises(GateError, match="not a certificate file"):
        Certificate.of_file("[]")


def test_a_certificate_of_an_early_release_is_valid_under_the_thresholds_it_names():
    content = issued().content
    early = {name: value for name, value in content["thresholds"].items() if name != "category_min"}
    assert named_thresholds({"thresholds": early}).category_min == 0
    assert named_thresholds(content) == GATE


def test_stricter_thresholds_of_the_certificate_are_welcome():
    assert verified(issued(gate=GATE.model_copy(update={"recall_min": 0.999})))


def test_the_same_figures_are_the_same_certificate_whenever_issued():
    later = MOMENT + datetime.timedelta(days=1)
    assert issued().certificate_id == issued(moment=later).certificate_id
    assert issued().certificate_id != issued(fingerprint="g").certificate_id
    assert issued().document == issued().document
    assert json.loads(issued(moment=later).document)["issued_at"].startswith("2024-05-02")


@pytest.mark.parametrize("key", ["", "no key", PUBLIC])
def test_a_key_that_cannot_sign_is_named(key):
    with pytest.raises(SettingsError, match=r"gate\.signing_key"):
        issued(key=key)


@pytest.mark.parametrize("key", ["", "no key", PRIVATE])
def test_a_key_that_cannot_verify_is_named(key):
    with pytest.raises(SettingsError, match=r"gate\.verification_key"):
        verified(issued(), key=key)


@pytest.mark.parametrize(("gate", "most"), [({}, 365), ({"certificate_max_age_days": 90}, 90)])
def test_a_certificate_expires_after_a_year_or_when_the_settings_say(gate, most):
    settings = GateSettings.model_validate(gate)

    def check(days, gate=settings):
        return verify_certificate(issued(), "riverside", "f", gate, PUBLIC, MOMENT + datetime.timedelta(days=days))

    assert check(most - 0.1)
    said = (
        rf"it was issued {most + 1.5} days ago, and gate\.certificate_max_age_days is {most}; run evaluate__riverside$"
    )
    with pytest.raises(GateError, match=said):
        check(most + 1.5)
    assert check(10_000, settings.model_copy(update={"certificate_max_age_days": None}))
