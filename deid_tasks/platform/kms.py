"""AWS KMS: the client, and a signer of certificates whose key never leaves it."""

import base64
from dataclasses import dataclass
from typing import Any

from deid_tasks.core.errors import GateError, SettingsError
from deid_tasks.evidence.gate import Signer, check_signature, digest_statement
from deid_tasks.settings import InstitutionSettings, Secrets


def kms_client(secrets: Secrets, name: str) -> Any:
    """Return a client of KMS; the secret ``name`` holds its endpoint, region and credentials."""
    import boto3

    store = secrets.mapping(name)
    return boto3.client(
        "kms",
        endpoint_url=store.get("endpoint") or None,
        region_name=store.get("region") or "us-east-1",
        aws_access_key_id=store.get("access_key") or None,
        aws_secret_access_key=store.get("secret_key") or None,
    )


def certificate_signer(settings: InstitutionSettings, secrets: Secrets) -> str | Signer:
    """Return what signs certificates: the private key of the settings (PEM), or a signer where a KMS has the key.

    Raises:
        SettingsError: the key's secret is not set, KMS refuses, its key is of another kind, or the verification key of
            the settings is not its public half.
    """
    gate = settings.gate
    if not gate.kms_key:
        return secrets.text(gate.signing_key)
    return KmsSigner.of(settings, secrets, secrets.find(gate.verification_key) or "")


def exported_key(settings: InstitutionSettings, secrets: Secrets) -> str:
    """Return the public half of the KMS key that signs the institution's certificates, in PEM."""
    if not settings.gate.kms_key:
        raise SettingsError(f"{settings.institution}: gate.kms_key is not set; the signing key is no key of a KMS")
    return KmsSigner.of(settings, secrets).public_pem


@dataclass(frozen=True)
class KmsSigner:
    """Signs with a key of AWS KMS."""

    client: Any
    key: str
    """Id, alias or ARN."""
    algorithm: str
    public_pem: str
    """The public half, as KMS exports it."""
    verification_pem: str = ""
    """The public key with which certificates will be checked; not compared where empty."""

    @classmethod
    def of(cls, settings: InstitutionSettings, secrets: Secrets, verification_pem: str = "") -> "KmsSigner":
        """Return the signer of an institution; raises ``SettingsError`` as ``certificate_signer`` does."""
        client, key = kms_client(secrets, settings.gate.kms), settings.gate.kms_key
        algorithm, public_pem = _public_half(_call(client, key, "get_public_key")["PublicKey"])
        if not algorithm:
            raise SettingsError(
                f"gate.kms_key: {key!r} must be a key that signs, of the kind ECC_NIST_P256 or ECC_NIST_EDWARDS25519"
            )
        return cls(client, key, algorithm, public_pem, verification_pem)

    def sign(self, document: str) -> str:
        """Return the signature of the document's ``digest_statement``, checked with the verification key.

        Raises:
            SettingsError: KMS refuses, or its key is not the one that the verification key belongs to.
        """
        message = digest_statement(document).encode()
        signed = _call(
            self.client, self.key, "sign", Message=message, MessageType="RAW", SigningAlgorithm=self.algorithm
        )
        signature = base64.b64encode(signed["Signature"]).decode()
        try:
            check_signature(document, signature, self.verification_pem or self.public_pem)
        except GateError:
            raise SettingsError(
                f"gate.kms_key: {self.key!r} is not the key whose public half gate.verification_key holds;"
                " set it to what `deid certificate export-key` prints"
            ) from None
        return signature


def _call(client: Any, key: str, action: str, **arguments: Any) -> dict[str, Any]:
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        return dict(getattr(client, action)(KeyId=key, **arguments))
    except (ClientError, BotoCoreError) as error:
        code = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
        raise SettingsError(f"gate.kms_key: KMS refuses {action} with key {key!r}: {code}") from None


def _public_half(der: bytes) -> tuple[str, str]:
    """Return the signing algorithm of a public key, empty for a key of another kind, and the key as PEM."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key

    key = load_der_public_key(der)
    algorithm = "ED25519_SHA_512" if isinstance(key, Ed25519PublicKey) else ""
    if isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, ec.SECP256R1):
        algorithm = "ECDSA_SHA_256"
    return algorithm, key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
