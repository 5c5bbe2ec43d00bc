"""One S3 bucket: objects written, listed, and deleted for good."""

import datetime
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import boto3

_DELETING_THREADS = 8
_SESSION_NAME = "palimpsest"


class BucketObject(NamedTuple):
    """The key of an object, and when it was written."""

    key: str
    modified: datetime.datetime


class Bucket:
    """A bucket in which what is deleted or overwritten is gone, also where the bucket retains former versions.

    Errors of S3 are raised as botocore raises them: the caller knows what the bucket is for, and translates them.

    Args:
        name: the bucket.
        store: endpoint, region, access_key, secret_key and session_token; those of the environment where they are not
            given. With role_arn these credentials assume that role, anew whenever its own expire; role_session_name
            and sts_endpoint belong to it.
        kms_key: id, alias or ARN of the key with which S3 encrypts what ``upload`` writes; the bucket's own if empty.
    """

    def __init__(self, name: str, store: Mapping[str, Any], kms_key: str = "") -> None:
        self._name = name
        self._encryption = {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": kms_key} if kms_key else {}
        self._client = _session(store).client("s3", endpoint_url=store.get("endpoint") or None)

    def put(self, key: str, content: bytes) -> None:
        """Write an object in one request; readers see the former content or the new one."""
        self._client.put_object(Bucket=self._name, Key=key, Body=content)
        if self._retains_versions:
            self._delete_versions(key, newest_too=False)

    def add(self, key: str, content: bytes) -> None:
        """Write an object whose name nothing else has; former versions of the same content stay."""
        self._client.put_object(Bucket=self._name, Key=key, Body=content)

    def upload(self, key: str, path: Path, sha256: str) -> None:
        """Write a file of any size as an object, with its hash beside it."""
        self._client.upload_file(
            str(path), self._name, key, ExtraArgs={"Metadata": {"sha256": sha256}, **self._encryption}
        )
        if self._retains_versions:
            self._delete_versions(key, newest_too=False)

    def download(self, key: str, path: Path) -> str | None:
        """Write an object to a file; return the hash that ``upload`` stored, ``None`` for what others have written."""
        hashed: str | None = self._client.head_object(Bucket=self._name, Key=key)["Metadata"].get("sha256")
        self._client.download_file(self._name, key, str(path))
        return hashed

    def get(self, key: str) -> bytes | None:
        """Return an object's content; ``None`` where there is no such object."""
        try:
            return bytes(self._client.get_object(Bucket=self._name, Key=key)["Body"].read())
        except self._client.exceptions.NoSuchKey:
            return None

    def list(self, prefix: str) -> Iterator[BucketObject]:
        """Yield the objects whose keys begin with ``prefix``, in the order of their keys."""
        for page in self._client.get_paginator("list_objects_v2").paginate(Bucket=self._name, Prefix=prefix):
            for entry in page.get("Contents", ()):
                yield BucketObject(entry["Key"], entry["LastModified"])

    def delete(self, keys: Iterable[str]) -> None:
        """Delete objects in this order, with all their versions; one that does not exist is no error."""
        for key in keys:
            self._delete_object(key)

    def delete_unordered(self, keys: Iterable[str]) -> None:
        """Delete objects in any order, several at a time."""
        with ThreadPoolExecutor(_DELETING_THREADS) as threads:
            for _ in threads.map(self._delete_object, keys):
                pass

    def _delete_object(self, key: str) -> None:
        if self._retains_versions:
            self._delete_versions(key, newest_too=True)
        else:
            self._client.delete_object(Bucket=self._name, Key=key)

    def _delete_versions(self, key: str, *, newest_too: bool) -> None:
        for page in self._client.get_paginator("list_object_versions").paginate(Bucket=self._name, Prefix=key):
            for version in (*page.get("Versions", ()), *page.get("DeleteMarkers", ())):
                if version["Key"] == key and (newest_too or not version["IsLatest"]):
                    self._client.delete_object(Bucket=self._name, Key=key, VersionId=version["VersionId"])

    @cached_property
    def _retains_versions(self) -> bool:
        from botocore.exceptions import ClientError

        try:
            return bool(self._client.get_bucket_versioning(Bucket=self._name).get("Status"))
        except ClientError as error:
            if error.response["Error"]["Code"] in {"NotImplemented", "MethodNotAllowed"}:
                # A store that cannot be asked has no versions.
                return False
            raise


def _session(store: Mapping[str, Any]) -> "boto3.Session":
    """Return a session with the store's credentials, or with those of the role that they assume."""
    import boto3

    region = store.get("region") or "us-east-1"
    own = boto3.Session(
        aws_access_key_id=store.get("access_key") or None,
        aws_secret_access_key=store.get("secret_key") or None,
        aws_session_token=store.get("session_token") or None,
        region_name=region,
    )
    if not store.get("role_arn"):
        return own
    from botocore.credentials import RefreshableCredentials
    from botocore.session import get_session

    service = own.client("sts", endpoint_url=store.get("sts_endpoint") or None)

    def assume() -> dict[str, str]:
        name = store.get("role_session_name") or _SESSION_NAME
        given = service.assume_role(RoleArn=store["role_arn"], RoleSessionName=name)["Credentials"]
        return {
            "access_key": given["AccessKeyId"],
            "secret_key": given["SecretAccessKey"],
            "token": given["SessionToken"],
            "expiry_time": given["Expiration"].isoformat(),
        }

    session = get_session()
    session._credentials = RefreshableCredentials.create_from_metadata(assume(), assume, "sts-assume-role")
    session.set_config_variable("region", region)
    return boto3.Session(botocore_session=session)
