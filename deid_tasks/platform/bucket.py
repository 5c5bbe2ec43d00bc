"""One S3 bucket: objects written, listed, and deleted for good."""

import datetime
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, NamedTuple

_DELETING_THREADS = 8


class BucketObject(NamedTuple):
    """The key of an object, and when it was written."""

    key: str
    modified: datetime.datetime


class Bucket:
    """A bucket in which what is deleted or overwritten is gone, also where the bucket retains former versions.

    Errors of S3 are raised as botocore raises them: the caller knows what the bucket is for, and translates them.

    Args:
        name: the bucket.
        store: endpoint, region, access_key and secret_key; those of the environment where they are not given.
    """

    def __init__(self, name: str, store: Mapping[str, Any]) -> None:
        import boto3

        self._name = name
        self._client = boto3.client(
            "s3",
            endpoint_url=store.get("endpoint") or None,
            region_name=store.get("region") or "us-east-1",
            aws_access_key_id=store.get("access_key") or None,
            aws_secret_access_key=store.get("secret_key") or None,
        )

    def put(self, key: str, content: bytes) -> None:
        """Write an object in one request; readers see the former content or the new one."""
        self._client.put_object(Bucket=self._name, Key=key, Body=content)
        if self._retains_versions:
            self._delete_versions(key, newest_too=False)

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
