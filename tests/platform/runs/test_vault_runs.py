"""Originals of a day's notes: sealed by workers, stored after publication, and re-identified with the private key."""

import base64
import dataclasses
import json
import logging
import os
import pwd
import subprocess
import sys

import boto3
import pytest
import yaml

from deid_tasks.core.errors import ApprovalError, InputError, SettingsError, VaultError
from deid_tasks.core.identity import Identity
from deid_tasks.platform import runs
from deid_tasks.platform.publish import open_table
from deid_tasks.platform.vault import VaultStore, new_vault_keys, vault_recipient
from deid_tasks.platform.workspace import run_dir, vault_file
from deid_tasks.settings import Secrets, VaultSettings
from tests.support.published_days import DAY, START, release, texts, with_settings

OFFICER = Identity("officer", "operating_system")
MALLORY = Identity("mallory", "operating_system")

WHY = "treatment of an adverse event, ticket 17"


@dataclasses.dataclass
class Kept:
    """A day published with its vault, by a role that cannot open it."""

    settings: object
    publisher: object
    held: dict
    returned: list

    @property
    def keeper(self) -> Secrets:
        return Secrets(self.held.get)


@pytest.fixture(scope="module")
def kept(site, object_store):
    boto3.client(
        "s3", endpoint_url=object_store["endpoint"], region_name="us-east-1",
        aws_access_key_id="test", aws_secret_access_key="test-secret",
    ).create_bucket(Bucket="originals")  # fmt: skip
    private, public = new_vault_keys()
    names = (
        "riverside_ehr", "catalog", "object_store", "riverside_key", "certificate_signing_key",
        "certificate_verification_key", "audit_signing_key",
    )  # fmt: skip
    held = {name: site.secrets.text(name) for name in names} | {"vault_public_key": public}
    vault = VaultSettings(bucket="originals", object_store="object_store")
    publish = site.settings.publish.model_copy(update={"table": "vaulted.notes"})
    work = str(site.settings.work_dir)
    alone = site.settings.approvals.model_copy(update={"reidentify_max_notes": 10_000})
    settings = site.settings.model_copy(
        update={"vault": vault, "publish": publish, "work_dir": work, "approvals": alone}
    )
    publisher = dataclasses.replace(site, settings=settings, secrets=Secrets(held.copy().get))
    # Evaluated again, because an earlier test may have left a certificate that failed under stricter bounds.
    runs.evaluate_and_certify(settings, site.secrets)
    shards, released, published = release(settings, publisher, "kept")
    stored = store(settings, publisher.secrets, "kept", released)
    return Kept(settings, publisher, held | {"vault_private_key": private}, [shards, released, published, stored])


def store(settings, secrets, run_id, released):
    return runs.store_vault(settings, secrets, run_id, released)


def day_of(site) -> dict[str, str]:
    return {note.note_id: note.text for note in site.notes if note.note_datetime.date() == START.date()}


def keys_of(kept) -> list[str]:
    return sorted(texts(open_table(kept.settings, kept.keeper).scan().to_arrow()))


def asked(site) -> list[tuple]:
    return site.rows(
        "select asked_by, database_user = session_user, reason, note_keys from riverside_results.reidentification"
        " order by reidentification_id"
    )


def test_every_published_note_comes_back_exactly(site, kept):
    keys = keys_of(kept)
    originals = runs.reidentify_notes(kept.settings, kept.keeper, keys, WHY, OFFICER)
    assert len(keys) == kept.returned[2]["notes"] == kept.returned[3]["notes"] > 50
    assert [one.note_key for one in originals] == keys
    day = day_of(site)
    assert {one.note_id: one.text for one in originals}.items() <= day.items()
    assert sum(one.text != text for one, text in zip(originals, map(texts(_table(kept)).get, keys), strict=True)) > 50
    assert asked(site)[-1] == ("officer", True, WHY, keys)


def _table(kept):
    return open_table(kept.settings, kept.keeper).scan().to_arrow()


def test_a_note_of_the_warehouse_is_found_by_who_has_the_surrogate_key_too(site, kept):
    [first, *_] = runs.reidentify_notes(kept.settings, kept.keeper, keys_of(kept)[:1], WHY, OFFICER)
    [again] = runs.reidentify_notes(kept.settings, kept.keeper, [first.note_id], WHY, OFFICER)
    assert again == first
    del (without := dict(kept.held))["riverside_key"]
    with pytest.raises(SettingsError, match="'riverside_key' is not set"):
        runs.reidentify_notes(kept.settings, Secrets(without.get), [first.note_id], WHY, OFFICER)


def test_who_publishes_cannot_bring_back_and_the_try_is_written_down(site, kept):
    before = len(asked(site))
    with pytest.raises(SettingsError, match="'vault_private_key' is not set"):
        runs.reidentify_notes(kept.settings, kept.publisher.secrets, keys_of(kept)[:1], WHY, MALLORY)
    assert [row[0] for row in asked(site)[before:]] == ["mallory"]


@pytest.mark.parametrize(("notes", "reason"), [([], WHY), (["a" * 26], " \n")])
def test_without_a_note_or_a_reason_nothing_is_asked(site, kept, notes, reason):
    before = asked(site)
    with pytest.raises(InputError, match="a reason"):
        runs.reidentify_notes(kept.settings, kept.keeper, notes, reason, OFFICER)
    assert asked(site) == before


def test_more_notes_than_one_person_may_bring_back_take_two_people_and_come_back_once(site, kept):
    few = kept.settings.approvals.model_copy(update={"reidentify_max_notes": 2})
    settings, keys = kept.settings.model_copy(update={"approvals": few}), keys_of(kept)[:3]
    carol = Identity("carol", "operating_system")
    with pytest.raises(ApprovalError, match=r"3 notes, after 0 within 24 hours, are more than the 2"):
        runs.reidentify_notes(settings, kept.keeper, keys, WHY, carol)
    before = len(asked(site))
    request = runs.request_reidentification(settings, kept.keeper, keys, WHY, carol).request_id
    with pytest.raises(ApprovalError, match="is waiting, not approved"):
        runs.reidentify_as_approved(settings, kept.keeper, request, carol)
    runs.decide_request(settings, kept.keeper, request, "approved", OFFICER)
    assert [one.note_key for one in runs.reidentify_as_approved(settings, kept.keeper, request, carol)] == keys
    with pytest.raises(ApprovalError, match="is used, not approved"):
        runs.reidentify_as_approved(settings, kept.keeper, request, carol)
    assert asked(site)[before:] == [("carol", True, WHY, keys)]


def test_one_note_too_many_gives_none(kept):
    with pytest.raises(VaultError, match=f"no published note {'a' * 26}$"):
        runs.reidentify_notes(kept.settings, kept.keeper, [*keys_of(kept)[:2], "a" * 26], WHY, OFFICER)


def test_rows_of_the_log_are_never_changed(site, kept):
    import psycopg2

    runs.reidentify_notes(kept.settings, kept.keeper, keys_of(kept)[:1], WHY, OFFICER)
    for statement in ("update {t} set reason = ''", "delete from {t}", "truncate {t}"):
        with pytest.raises(psycopg2.errors.RaiseException, match="never changed"):
            site.rows(statement.format(t="riverside_results.reidentification"))


def test_nothing_of_an_original_is_returned_logged_or_left_on_the_disk(site, kept, caplog):
    with caplog.at_level(logging.DEBUG, logger="deid_tasks"):
        released = kept.returned[1]
        again = store(kept.settings, kept.publisher.secrets, "kept", released)
    assert again == kept.returned[3]
    printed = "".join(record.getMessage() for record in caplog.records if record.name.startswith("deid"))
    printed += json.dumps(kept.returned)
    content = b"".join(vault_file(run_dir(kept.settings, "kept") / name).read_bytes() for name in released["files"])
    assert len(content) > 1_000
    for patient in site.hospital.patients:
        for word in (patient.person.last, patient.mrn, patient.ssn, patient.email):
            if len(word) < 6:
                # Shorter strings also occur by chance among random bytes.
                continue
            assert word not in printed
            assert word.encode() not in content


def test_originals_of_other_notes_than_those_published_are_refused(kept):
    released = kept.returned[1]
    arguments = (kept.settings, kept.publisher.secrets, "kept")
    path = vault_file(run_dir(kept.settings, "kept") / released["files"][0])
    whole = path.read_bytes()
    try:
        path.write_bytes(whole[:-1])
        with pytest.raises(VaultError, match="cut short"):
            store(*arguments, released)
        path.unlink()
        with pytest.raises(VaultError, match="is missing"):
            store(*arguments, released)
        other = vault_file(run_dir(kept.settings, "kept") / released["files"][1])
        path.write_bytes(other.read_bytes())
        with pytest.raises(VaultError, match="does not hold the notes of the shard's file; clear the shard"):
            store(*arguments, released)
    finally:
        path.write_bytes(whole)
    # The stored slice is unchanged.
    assert runs.reidentify_notes(kept.settings, kept.keeper, keys_of(kept)[:1], WHY, OFFICER)


def test_another_surrogate_key_replaces_the_day_in_table_and_vault(site, kept):
    """After a change of key, publishing again replaces every slice."""
    before = texts(_table(kept))
    [(_, start, end)] = site.rows(
        "select slice_key, slice_start, slice_end from riverside_results.published_slice where run_id = 'kept'"
    )
    held = kept.held | {"riverside_key": base64.b64encode(bytes(range(1, 33))).decode()}
    publisher = dataclasses.replace(kept.publisher, secrets=Secrets(held.get))
    settings = with_settings(publisher, gate={"approval": False})
    try:
        runs.compile_dictionaries(settings, publisher.secrets)
        runs.evaluate_and_certify(settings, publisher.secrets)
        assert [use.is_current for use in runs.surrogate_keys(settings, publisher.secrets)] == [False]
        _, released, published = release(settings, publisher, "again")
        store(settings, publisher.secrets, "again", released)
        table = _table(kept)
        assert table.num_rows == published["notes"] == len(before)
        assert not set(texts(table)) & set(before)
        assert len(set(table["slice_key"].to_pylist())) == 1
        # Slices of other tests keep the former key.
        assert True in [use.is_current for use in runs.surrogate_keys(settings, publisher.secrets)]
        assert VaultStore(settings, kept.keeper).slices() == sorted(set(table["slice_key"].to_pylist()))
        keys = sorted(texts(table))
        originals = runs.reidentify_notes(settings, Secrets(held.get), keys, WHY, OFFICER)
        assert {one.note_id: one.text for one in originals}.items() <= day_of(site).items()
        with pytest.raises(VaultError, match="no published note"):
            runs.reidentify_notes(settings, Secrets(held.get), sorted(before)[:1], WHY, OFFICER)
    finally:
        runs.compile_dictionaries(settings, site.secrets)
        runs.evaluate_and_certify(settings, site.secrets)
        _, released, published = release(kept.settings, kept.publisher, "kept")
        store(kept.settings, kept.publisher.secrets, "kept", released)
    assert texts(_table(kept)) == before
    assert (start, end) == (START.replace(tzinfo=None), (START + DAY).replace(tzinfo=None))


class TestCommand:
    @pytest.fixture
    def deid(self, kept, tmp_path):
        (tmp_path / "riverside.yaml").write_text(yaml.safe_dump(kept.settings.model_dump(mode="json")))

        def run(*arguments, **changed):
            held = {
                f"PALIMPSEST_SECRET_{name.upper()}": value for name, value in (kept.held | changed).items() if value
            }
            return subprocess.run(
                [sys.executable, "-m", "deid_tasks.cli", *arguments,
                 "--institution", "riverside", "--institutions", str(tmp_path)],
                capture_output=True, text=True, check=False,
                env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "USER": "officer", "LOGNAME": "officer"} | held,
            )  # fmt: skip

        return run

    def test_prints_originals_and_says_who_asked(self, site, kept, deid, tmp_path):
        keys = keys_of(kept)[:2]
        done = deid("reidentify", *keys, "--reason", WHY)
        assert done.returncode == 0, done.stderr
        day = day_of(site)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert [line["note_key"] for line in lines] == keys
        assert all(day[line["id"]] == line["text"] for line in lines)
        assert asked(site)[-1][0] == pwd.getpwuid(os.getuid()).pw_name
        assert deid("reidentify", *keys, "--reason", WHY, "-o", str(tmp_path / "originals.jsonl")).returncode == 0
        assert (tmp_path / "originals.jsonl").read_text() == done.stdout
        assert (tmp_path / "originals.jsonl").stat().st_mode & 0o077 == 0

    def test_what_cannot_be_opened_is_one_line_and_nothing_is_printed(self, kept, deid):
        keys = keys_of(kept)[:2]
        for arguments, changed, said in (
            ((*keys,), {"vault_private_key": new_vault_keys()[0]}, "sealed for another key"),
            ((*keys,), {"vault_private_key": ""}, "'vault_private_key' is not set"),
            ((*keys, "a" * 26), {}, "no published note"),
        ):
            done = deid("reidentify", *arguments, "--reason", WHY, **changed)
            assert (done.returncode, done.stdout) == (2, "")
            assert said in done.stderr
            assert len(done.stderr.splitlines()) == 1
        assert deid("reidentify", *keys).returncode == 2

    def test_the_pair_of_the_vault_is_changed(self, site, kept, deid, tmp_path):
        made = subprocess.run(
            [sys.executable, "-m", "deid_tasks.cli", "keys", "vault", str(tmp_path / "new")],
            check=True,
            capture_output=True,
        )
        assert b"vault_private_key.pem" in made.stdout
        old, new = tmp_path / "old.pem", tmp_path / "new"
        old.write_text(kept.held["vault_private_key"])
        pair = {name: (new / f"{name}.pem").read_text() for name in ("vault_private_key", "vault_public_key")}
        done = deid("keys", "rewrap", "--old-key", str(old), **pair)
        assert (done.returncode, done.stdout) == (
            0,
            "1 of 1 slices wrapped for the new key; the others already were\n",
        ), done.stderr
        rows = site.rows(
            "select actor, actor_source, subject, details from riverside_results.audit_log"
            " where event = 'key_changed' and details::jsonb ->> 'key' = 'vault' order by seq desc limit 2"
        )
        person = (pwd.getpwuid(os.getuid()).pw_name, "operating_system")
        assert [row[:2] for row in rows] == [person, person]
        assert rows[0][2] == rows[1][2] == vault_recipient(kept.settings, Secrets(pair.get)).key_id
        assert json.loads(rows[0][3]) == {"key": "vault", "slices": 1, "rewrapped": 1}
        key = keys_of(kept)[0]
        assert deid("reidentify", key, "--reason", WHY).returncode == 2
        assert deid("reidentify", key, "--reason", WHY, **pair).returncode == 0
        kept.held |= pair
        kept.publisher = dataclasses.replace(
            kept.publisher, secrets=Secrets({n: v for n, v in kept.held.items() if n != "vault_private_key"}.get)
        )

    def test_status_tells_the_keys_in_use(self, deid):
        done = deid("keys", "status")
        assert "current" in done.stdout, done.stderr
