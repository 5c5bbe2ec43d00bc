"""A vault of its own bucket, and entries to put in it."""

import itertools
import json

import boto3
import pytest

from deid_tasks.platform.vault import PartWriter, VaultStore, new_vault_keys, read_parts, vault_opener, vault_recipient
from deid_tasks.settings import Secrets, VaultSettings
from tests.support.vault_entries import entry

_NUMBERS = itertools.count(1)


class Vault:
    """One institution's vault and everything that reads or writes it."""

    def __init__(self, settings, held: dict[str, str], client, folder) -> None:
        self.settings, self.held, self.client, self.folder = settings, held, client, folder
        self.secrets = Secrets(held.get)
        self.store = VaultStore(settings, self.secrets)

    @property
    def recipient(self):
        return vault_recipient(self.settings, self.secrets)

    @property
    def opener(self):
        return vault_opener(self.settings, self.secrets)

    def parts(self, slice_key: str, *keys: str):
        path = self.folder / f"{slice_key}.vault"
        with path.open("wb") as file:
            header = {"institution": self.settings.institution, "slice": slice_key, "fingerprint": "f"}
            writer = PartWriter(file, self.recipient, header)
            writer.add(entry(key) for key in keys)
            writer.close()
        return read_parts(path)

    def keep(self, slice_key: str, *keys: str) -> None:
        self.store.replace(slice_key, self.parts(slice_key, *keys), self.recipient)

    def objects(self) -> dict[str, bytes]:
        bucket = self.settings.vault.bucket
        listed = self.client.list_objects_v2(Bucket=bucket).get("Contents", ())
        return {one["Key"]: self.client.get_object(Bucket=bucket, Key=one["Key"])["Body"].read() for one in listed}

    def put(self, name: str, content: bytes) -> None:
        self.client.put_object(Bucket=self.settings.vault.bucket, Key=name, Body=content)


@pytest.fixture
def vault(institution, object_store, tmp_path) -> Vault:
    private, public = new_vault_keys()
    client = boto3.client(
        "s3",
        endpoint_url=object_store["endpoint"],
        aws_access_key_id="test",
        aws_secret_access_key="test-secret",
        region_name="us-east-1",
    )
    bucket = f"vault-{next(_NUMBERS)}"
    client.create_bucket(Bucket=bucket)
    settings = institution.model_copy(update={"vault": VaultSettings(bucket=bucket, object_store="vault_store")})
    held = {
        "vault_store": json.dumps(object_store),
        "vault_public_key": public,
        "vault_private_key": private,
        "vault_kms": json.dumps(object_store),
    }
    return Vault(settings, held, client, tmp_path)
