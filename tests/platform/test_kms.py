"""Certificates that a key in AWS KMS signs: verified with its exported half, and worthless when forged or rotated."""

import base64
import json
from types import SimpleNamespace

import boto3
import pytest
import yaml
from typer.testing import CliRunner

from deid_tasks.cli.app import app
from deid_tasks.core.errors import GateError, SettingsError
from deid_tasks.evidence.gate import (
    Certificate,
    check_signature,
    digest_statement,
    issue_certificate,
    new_key_pair,
    sign,
    verify_certificate,
)
from deid_tasks.evidence.gate.certificate import canonical
from deid_tasks.platform.kms import certificate_signer, exported_key
from deid_tasks.settings import GateSettings, Secrets


@pytest.fixture
def kms(object_store):
    return boto3.client(
        "kms", endpoint_url=object_store["endpoint"], region_name="us-east-1",
        aws_access_key_id="test", aws_secret_access_key="test-secret",
    )  # fmt: skip


def new_key(kms, spec="ECC_NIST_P256", usage="SIGN_VERIFY"):
    return kms.create_key(KeySpec=spec, KeyUsage=usage)["KeyMetadata"]["KeyId"]


@pytest.fixture
def site(institution, object_store, kms):
    """An institution whose certificates KMS signs, with the exported key as its verification key."""

    def of(key, **held):
        gate = GateSettings(kms_key=key)
        settings = institution.model_copy(update={"gate": gate})
        known = {"certificate_kms": json.dumps(object_store)}
        known["certificate_verification_key"] = exported_key(settings, Secrets(known.get))
        known |= held
        return SimpleNamespace(
            settings=settings, secrets=Secrets(known.get), public=known["certificate_verification_key"]
        )

    return of


def issued(one, signer=None):
    evaluated = [{"design": design, "figures": {}, "filler": "x" * 9_000} for design in ("stratified", "random")]
    key = signer or certificate_signer(one.settings, one.secrets)
    return issue_certificate("riverside", "f", "e", evaluated, {}, one.settings.gate, (), (), key)


def verified(one, certificate):
    return verify_certificate(certificate, "riverside", "f", one.settings.gate, one.public)


def test_a_certificate_signed_by_kms_is_valid_however_long_it_is(site, kms):
    one = site(new_key(kms))
    certificate = issued(one)
    assert len(certificate.document) > 4_096
    assert verified(one, certificate)["verdict"] == "passed"
    # KMS itself agrees.
    message, signature = digest_statement(certificate.document).encode(), base64.b64decode(certificate.signature)
    assert kms.verify(
        KeyId=one.settings.gate.kms_key, Message=message, Signature=signature, SigningAlgorithm="ECDSA_SHA_256"
    )["SignatureValid"]


def test_no_signing_key_is_needed_outside_of_kms(site, kms):
    one = site(new_key(kms))
    assert one.secrets.find("certificate_signing_key") is None
    assert issued(one).signature


def test_a_forged_certificate_is_refused(site, kms):
    one = site(new_key(kms))
    certificate = issued(one)
    changed = Certificate(
        canonical(certificate.content | {"verdict": "passed", "fingerprint": "g"}), certificate.signature
    )
    with pytest.raises(GateError, match="signature is not valid"):
        verify_certificate(changed, "riverside", "g", one.settings.gate, one.public)
    own = issued(one, signer=new_key_pair()[0])
    with pytest.raises(GateError, match="signature is not valid"):
        verified(one, own)


def test_after_a_rotation_old_certificates_are_refused_and_new_ones_are_valid(site, kms):
    alias = "alias/certificates"
    kms.create_alias(AliasName=alias, TargetKeyId=new_key(kms))
    before = site(alias)
    old = issued(before)
    kms.update_alias(AliasName=alias, TargetKeyId=new_key(kms))
    # The public half must be exported again; until then nothing is signed that nobody could verify.
    with pytest.raises(SettingsError, match="is not the key whose public half"):
        issued(before)
    after = site(alias)
    assert after.public != before.public
    with pytest.raises(GateError, match="signature is not valid"):
        verified(after, old)
    assert verified(after, issued(after))
    assert verified(before, old)


@pytest.mark.parametrize(
    ("spec", "usage"),
    [("SYMMETRIC_DEFAULT", "ENCRYPT_DECRYPT"), ("ECC_NIST_P384", "SIGN_VERIFY"), ("RSA_2048", "SIGN_VERIFY")],
)
def test_a_key_of_another_kind_is_refused(site, kms, spec, usage):
    with pytest.raises(SettingsError, match=r"gate\.kms_key"):
        site(new_key(kms, spec, usage))


def test_a_key_that_is_missing_or_disabled_is_named(site, kms):
    with pytest.raises(SettingsError, match="KMS refuses get_public_key with key 'alias/none'"):
        site("alias/none")


def test_the_command_prints_the_public_half(site, kms, tmp_path, monkeypatch, object_store):
    one = site(new_key(kms))
    (tmp_path / "riverside.yaml").write_text(yaml.safe_dump(one.settings.model_dump(mode="json")))
    monkeypatch.setenv("PALIMPSEST_SECRET_CERTIFICATE_KMS", json.dumps(object_store))
    arguments = ["certificate", "export-key", "--institution", "riverside", "--institutions", str(tmp_path)]
    printed = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert printed.output == one.public
    assert printed.output.startswith("-----BEGIN PUBLIC KEY-----")


def test_an_ed25519_key_may_sign_the_statement_and_no_other():
    private, public = new_key_pair()
    check_signature("document", sign(digest_statement("document"), private), public)
    check_signature("document", sign("document", private), public)
    for other in ("documents", digest_statement("documents")):
        with pytest.raises(GateError):
            check_signature("document", sign(other, private), public)


def test_an_ecdsa_key_of_another_curve_is_refused():
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    key = ec.generate_private_key(ec.SECP384R1()).public_key()
    pem = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    with pytest.raises(SettingsError, match="must be of the curve P-256"):
        check_signature("document", "aaaa", pem)


def test_without_a_kms_key_the_private_key_signs_as_before(institution):
    private, _ = new_key_pair()
    assert certificate_signer(institution, Secrets({"certificate_signing_key": private}.get)) == private
