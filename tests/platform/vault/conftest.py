"""A vault of its own bucket, and entries to put in it."""

import itertools
import json

import boto3
import pytest

from deid_tasks.platform.vault import (
    EntryWriter,
    VaultStore,
    new_vault_keys,
    parts_by_slice,
    vault_opener,
    vault_recipient,
)
from deid_tasks.settings import Secrets, VaultSettings
from tests.support.vault_entries import PUBLISHED, entry

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

    def shard(self, name: str, *entries: tuple[str, dict]):
        """Write the file of one shard with an entry of each (slice, entry), and return its path."""
        path = self.folder / f"{name}.vault"
        with path.open("wb") as file:
            writer = EntryWriter(file, self.recipient, {"institution": self.settings.institution, "fingerprint": "f"})
            for slice_key, one in entries:
                writer.add(slice_key, one)
        return path

    def parts(self, slice_key: str, *keys: str, published: str = PUBLISHED):
        path = self.shard(slice_key, *((slice_key, entry(key, published)) for key in keys))
        return parts_by_slice([path])[slice_key]

    def add(self, slice_key: str, *keys: str, published: str = PUBLISHED) -> None:
        self.store.add(slice_key, self.parts(slice_key, *keys, published=published))

    def has(self, slice_key: str, *keys: str, published: str = PUBLISHED) -> bool:
        found = self.store.entries(slice_key, dict.fromkeys(keys, published), self.opener)
        return sorted(found) == sorted(keys)

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
