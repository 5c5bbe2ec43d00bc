"""A bucket that is reached with the credentials of a role."""

from deid_tasks.platform.bucket import Bucket


def test_a_role_is_assumed_and_its_credentials_are_used(object_store):
    store = object_store | {
        "role_arn": "arn:aws:iam::123456789012:role/deid",
        "sts_endpoint": object_store["endpoint"],
        "role_session_name": "deid",
    }
    bucket = Bucket("published", store)
    bucket.put("role/object", b"content")
    assert bucket.get("role/object") == b"content"
    used = bucket._client._request_signer._credentials.get_frozen_credentials()
    assert used.access_key != object_store["access_key"]
    assert used.token
    bucket.delete(["role/object"])


def test_a_session_token_is_used(object_store):
    used = Bucket("published", object_store | {"session_token": "brief"})._client._request_signer._credentials
    assert used.token == "brief"
