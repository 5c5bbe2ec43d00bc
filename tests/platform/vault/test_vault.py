"""The vault, on an S3 emulator: what is written by those who cannot read it comes back whole, or not at all."""

import boto3
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from deid_tasks.core.errors import SettingsError, VaultError
from deid_tasks.platform.vault import (
    VaultStore,
    check_part,
    entries_of,
    key_pair_opener,
    new_vault_keys,
    read_parts,
    restore_text,
    vault_opener,
    vault_recipient,
)
from deid_tasks.platform.vault.sealing import new_data_key, seal, unseal
from deid_tasks.settings import InstitutionSettings, Secrets, VaultSettings
from tests.support.vault_entries import ORIGINAL, PUBLISHED, entry

SECRET = ("Okafor", "3/14/2024", "N-a")
pieces = st.lists(st.tuples(st.text(max_size=9), st.text(min_size=1, max_size=9), st.text(max_size=9)), max_size=6)


class TestRestoring:
    @given(pieces, st.text(max_size=9))
    def test_any_original_comes_back(self, pieces, rest):
        published = original = ""
        replacements = []
        for between, surrogate, replaced in pieces:
            published, original = published + between, original + between
            places = (len(published), len(published) + len(surrogate), len(original), len(original) + len(replaced))
            names = ("start", "end", "original_start", "original_end")
            replacements.append(dict(zip(names, places, strict=True)) | {"surrogate": surrogate, "original": replaced})
            published, original = published + surrogate, original + replaced
        published, original = published + rest, original + rest
        kept = entry("a", published, original) | {"replacements": replacements}
        assert restore_text(published, kept) == original

    def test_a_published_text_that_changed_gives_nothing(self):
        with pytest.raises(VaultError, match="it was changed or published again") as caught:
            restore_text(PUBLISHED.replace("Dr.", "Mr."), entry("a"))
        assert not any(word in str(caught.value) for word in SECRET)

    def test_an_entry_that_does_not_fit_gives_nothing(self):
        broken = entry("a")
        broken["replacements"][0]["original"] = "Okapi"
        with pytest.raises(VaultError, match="does not restore the original text"):
            restore_text(PUBLISHED, broken)

    def test_quarantined_notes_have_no_entry_and_unchanged_ones_have(self):
        import pyarrow as pa

        notes = pa.RecordBatch.from_pylist([{"text": "a"}, {"text": "b"}])
        rows = [
            {"note_id": str(i), "note_key": str(i), "patient_id": None, "deid_text": text, "replacements": []}
            for i, text in enumerate([None, "b"])
        ]
        kept = list(entries_of(notes, pa.RecordBatch.from_pylist(rows)))
        assert [(one["note_key"], restore_text("b", one)) for one in kept] == [("1", "b")]


class TestSealing:
    def test_every_flipped_byte_and_every_cut_is_seen(self):
        key = new_data_key()
        sealed = seal(key, b"content", {"slice": "s", "institution": "riverside"})
        assert unseal(key, sealed, {"slice": "s"}) == b"content"
        for place in range(len(sealed)):
            changed = bytearray(sealed)
            changed[place] ^= 1
            with pytest.raises(VaultError, match="changed or cut short"):
                unseal(key, bytes(changed), {})
            with pytest.raises(VaultError, match="changed or cut short"):
                unseal(key, sealed[:place], {})

    def test_a_part_of_another_slice_is_refused(self):
        key = new_data_key()
        with pytest.raises(VaultError, match="another slice"):
            unseal(key, seal(key, b"", {"slice": "s"}), {"slice": "t"})

    def test_the_same_content_is_never_sealed_alike(self):
        key = new_data_key()
        assert len({seal(key, b"content", {}) for _ in range(50)}) == 50


class TestKeys:
    def test_only_the_private_half_opens(self, vault):
        data_key = new_data_key()
        wrapped = vault.recipient.wrap(data_key)
        assert vault.opener.unwrap(wrapped) == data_key
        with pytest.raises(VaultError, match="another key"):
            key_pair_opener(new_vault_keys()[0], "riverside").unwrap(wrapped)

    def test_a_key_wrapped_for_one_institution_is_no_use_at_another(self, vault):
        wrapped = vault.recipient.wrap(new_data_key())
        with pytest.raises(VaultError, match="another institution"):
            key_pair_opener(vault.held["vault_private_key"], "lakeshore").unwrap(wrapped)

    def test_who_publishes_needs_no_private_key_and_cannot_open(self, vault):
        held = {name: value for name, value in vault.held.items() if name != "vault_private_key"}
        secrets = Secrets(held.get)
        vault_recipient(vault.settings, secrets).wrap(new_data_key())
        with pytest.raises(SettingsError, match="'vault_private_key' is not set"):
            vault_opener(vault.settings, secrets)

    @pytest.mark.parametrize("pem", ["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"])
    def test_what_is_no_key_is_said_and_not_quoted(self, pem):
        with pytest.raises(SettingsError, match="not a X25519 private key") as caught:
            key_pair_opener(pem, "riverside")
        assert "AAAA" not in str(caught.value)

    def test_kms_wraps_and_opens(self, vault, object_store):
        kms = boto3.client(
            "kms", endpoint_url=object_store["endpoint"], region_name="us-east-1",
            aws_access_key_id="test", aws_secret_access_key="test-secret",
        )  # fmt: skip
        key_id = kms.create_key()["KeyMetadata"]["KeyId"]
        in_kms = VaultSettings(**vault.settings.vault.model_dump() | {"wrap": "aws-kms", "kms_key": key_id})
        settings = vault.settings.model_copy(update={"vault": in_kms})
        secrets = Secrets({n: v for n, v in vault.held.items() if "key" not in n}.get)
        store, opener = VaultStore(settings, secrets), vault_opener(settings, secrets)
        vault.keep("s", "a")
        assert store.rewrap("s", vault.opener, vault_recipient(settings, secrets))
        assert restore_text(PUBLISHED, store.entries("s", ["a"], opener)["a"]) == ORIGINAL
        with pytest.raises(VaultError, match="another key"):
            store.entries("s", ["a"], vault.opener)
        other = settings.model_copy(update={"institution": "lakeshore"})
        wrapped = vault_recipient(settings, secrets).wrap(new_data_key())
        with pytest.raises(VaultError, match="KMS refuses to decrypt"):
            vault_opener(other, secrets).unwrap(wrapped)
        gone = vault.settings.vault.model_copy(update={"wrap": "aws-kms", "kms_key": "alias/none"})
        with pytest.raises(VaultError, match="KMS refuses to encrypt under key 'alias/none'"):
            vault_recipient(settings.model_copy(update={"vault": gone}), secrets).wrap(new_data_key())


class TestStore:
    def test_what_was_kept_comes_back(self, vault):
        vault.keep("s", "a", "b")
        found = vault.store.entries("s", ["b"], vault.opener)
        assert list(found) == ["b"]
        assert restore_text(PUBLISHED, found["b"]) == ORIGINAL

    def test_nothing_of_an_original_lies_in_the_bucket_or_on_the_workers_disk(self, vault):
        vault.keep("s", "a")
        everything = [*vault.objects().values(), *(path.read_bytes() for path in vault.folder.glob("*.vault"))]
        assert len(everything) == 3
        for content in everything:
            assert not any(word.encode() in content for word in SECRET)

    def test_a_repeated_run_replaces_its_slice_and_leaves_no_part_behind(self, vault):
        vault.keep("other", "x")
        vault.keep("s", "a", "b")
        vault.keep("s", "c")
        assert vault.store.slices() == ["other", "s"]
        assert len([name for name in vault.objects() if "/s/" in name]) == 2
        assert list(vault.store.entries("s", ["c"], vault.opener)) == ["c"]
        with pytest.raises(VaultError, match="no row for note a"):
            vault.store.entries("s", ["a"], vault.opener)
        vault.store.drop("s")
        vault.store.drop("s")
        assert vault.store.slices() == ["other"]

    def test_an_upload_that_dies_leaves_the_former_slice(self, vault):
        vault.keep("s", "a")
        parts = vault.parts("s", "b")

        def dying():
            yield next(parts)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            vault.store.replace("s", dying(), vault.recipient)
        assert list(vault.store.entries("s", ["a"], vault.opener)) == ["a"]
        vault.keep("s", "b")
        assert len(vault.objects()) == 2

    def test_any_changed_byte_and_any_cut_is_one_error(self, vault):
        vault.keep("s", "a")
        for name, content in vault.objects().items():
            steps = range(0, len(content), max(1, len(content) // 60))
            changed = [content[:i] + bytes([content[i] ^ 1]) + content[i + 1 :] for i in steps]
            for broken in (*changed, *(content[:i] for i in steps), b""):
                vault.put(name, broken)
                with pytest.raises(
                    VaultError, match=r"slice s in the vault of riverside cannot be opened|has no"
                ) as caught:
                    vault.store.entries("s", ["a"], vault.opener)
                assert not any(word in str(caught.value) for word in SECRET)
                assert caught.value.__context__ is None or caught.value.__suppress_context__
            vault.put(name, content)
        assert vault.store.entries("s", ["a"], vault.opener)

    def test_a_part_swapped_for_an_older_one_is_refused(self, vault):
        vault.keep("s", "a")
        [(_, old)] = [one for one in vault.objects().items() if "part" in one[0]]
        vault.keep("s", "b")
        [name] = [name for name in vault.objects() if "part" in name]
        vault.put(name, old)
        with pytest.raises(VaultError, match="changed or cut short"):
            vault.store.entries("s", ["b"], vault.opener)

    def test_what_is_missing_is_named(self, vault):
        with pytest.raises(VaultError, match="has no s/manifest"):
            vault.store.entries("s", ["a"], vault.opener)
        vault.keep("s", "a")
        [name] = [name for name in vault.objects() if "part" in name]
        vault.client.delete_object(Bucket=vault.settings.vault.bucket, Key=name)
        with pytest.raises(VaultError, match=r"has no s/.*part-00000"):
            vault.store.entries("s", ["a"], vault.opener)

    def test_a_change_of_keys_wraps_anew_and_touches_no_part(self, vault):
        vault.keep("s", "a")
        vault.keep("t", "b")
        before = {name: content for name, content in vault.objects().items() if "part" in name}
        former = vault.opener
        vault.held["vault_private_key"], vault.held["vault_public_key"] = new_vault_keys()
        assert vault.store.rewrap("s", former, vault.recipient)
        # Interrupted here, and begun again.
        assert [vault.store.rewrap(name, former, vault.recipient) for name in vault.store.slices()] == [False, True]
        assert {name: content for name, content in vault.objects().items() if "part" in name} == before
        assert restore_text(PUBLISHED, vault.store.entries("t", ["b"], vault.opener)["b"]) == ORIGINAL
        with pytest.raises(VaultError, match="another key"):
            vault.store.entries("s", ["a"], former)

    def test_a_missing_bucket_is_named(self, vault):
        nowhere = vault.settings.vault.model_copy(update={"bucket": "no-such-vault"})
        store = VaultStore(vault.settings.model_copy(update={"vault": nowhere}), vault.secrets)
        with pytest.raises(VaultError, match=r"'no-such-vault': NoSuchBucket.*'vault_store'"):
            store.replace("s", vault.parts("s", "a"), vault.recipient)


class TestParts:
    def test_a_file_cut_anywhere_is_refused(self, vault):
        list(vault.parts("s", "a"))
        path = vault.folder / "s.vault"
        whole = path.read_bytes()
        for place in range(0, len(whole), 37):
            path.write_bytes(whole[:place])
            with pytest.raises(VaultError, match="cut short"):
                [check_part(part, [("a", PUBLISHED)]) for part in read_parts(path)]

    def test_a_part_of_other_notes_is_refused_without_opening_it(self, vault):
        (part,) = vault.parts("s", "a")
        check_part(part, [("a", PUBLISHED)])
        for other in ([("b", PUBLISHED)], [("a", PUBLISHED + " ")], []):
            with pytest.raises(VaultError, match="does not hold the notes"):
                check_part(part, other)

    def test_a_missing_file_says_why(self, tmp_path):
        with pytest.raises(VaultError, match=r"shard\.vault is missing.*before the vault was switched on"):
            list(read_parts(tmp_path / "shard.vault"))


class TestSettings:
    def test_off_by_default(self, institution):
        assert institution.vault is None
        with pytest.raises(SettingsError, match="has no vault"):
            vault_opener(institution, Secrets({}.get))

    @pytest.mark.parametrize(
        ("section", "said"),
        [
            ({"bucket": "published"}, "must differ"),
            ({"bucket": "vault", "wrap": "aws-kms"}, "must be given together"),
            ({"bucket": "vault", "kms_key": "alias/x"}, "must be given together"),
            ({"bucket": "vault", "prefix": "/a/"}, "prefix"),
        ],
    )
    def test_bad_combinations_are_refused(self, institution, section, said):
        document = institution.model_dump(mode="json") | {"vault": section | {"object_store": "vault_store"}}
        with pytest.raises(ValidationError, match=said):
            InstitutionSettings.model_validate(document)


def test_no_repr_shows_an_original():
    from deid_tasks.platform.runs.originals import Original

    assert "Okafor" not in repr(Original("key", "note", "patient", "Okafor"))
