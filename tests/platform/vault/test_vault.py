"""The vault, on an S3 emulator: what is written by those who cannot read it comes back whole, or not at all."""

import boto3
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from deid_tasks.core.errors import SettingsError, VaultError
from deid_tasks.platform.vault import (
    VaultStore,
    check_shard,
    entries_of,
    frames,
    key_pair_opener,
    new_vault_keys,
    parts_by_slice,
    restore_text,
    vault_opener,
    vault_recipient,
)
from deid_tasks.platform.vault.entries import text_hash
from deid_tasks.platform.vault.frames import split_frames
from deid_tasks.platform.vault.sealing import header_of, new_data_key, seal, unseal
from deid_tasks.settings import InstitutionSettings, Secrets, VaultSettings
from tests.support.vault_entries import ORIGINAL, PUBLISHED, entry

AGAIN = PUBLISHED.replace("Seen", "Read")
OTHER = ORIGINAL.replace("Okafor", "Okonjo")
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
        vault.add("s", "a")
        assert store.rewrap("s", vault.opener, vault_recipient(settings, secrets))
        assert restore_text(PUBLISHED, store.entries("s", {"a": PUBLISHED}, opener)["a"]) == ORIGINAL
        with pytest.raises(VaultError, match="another key"):
            store.entries("s", {"a": PUBLISHED}, vault.opener)
        other = settings.model_copy(update={"institution": "lakeshore"})
        wrapped = vault_recipient(settings, secrets).wrap(new_data_key())
        with pytest.raises(VaultError, match="KMS refuses to decrypt"):
            vault_opener(other, secrets).unwrap(wrapped)
        gone = vault.settings.vault.model_copy(update={"wrap": "aws-kms", "kms_key": "alias/none"})
        with pytest.raises(VaultError, match="KMS refuses to encrypt under key 'alias/none'"):
            vault_recipient(settings.model_copy(update={"vault": gone}), secrets).wrap(new_data_key())


class TestStore:
    def test_what_was_added_comes_back(self, vault):
        vault.add("s", "a", "b")
        found = vault.store.entries("s", {"b": PUBLISHED}, vault.opener)
        assert list(found) == ["b"]
        assert found["b"] == entry("b")
        assert restore_text(PUBLISHED, found["b"]) == ORIGINAL

    def test_nothing_of_an_original_lies_in_the_bucket_or_on_the_workers_disk(self, vault):
        vault.add("s", "a")
        everything = [*vault.objects().values(), *(path.read_bytes() for path in vault.folder.glob("*.vault"))]
        assert len(everything) == 3
        for content in everything:
            assert not any(word.encode() in content for word in SECRET)

    def test_one_note_is_replaced_and_the_others_stay(self, vault):
        vault.add("other", "x")
        vault.add("s", "a", "b")
        vault.store.replace_notes("s", vault.parts("s", "b", "c", published=AGAIN))
        assert vault.store.slices() == ["other", "s"]
        assert vault.store.note_keys("s") == {"a", "b", "c"}
        assert vault.has("s", "a")
        assert vault.has("s", "b", "c", published=AGAIN)
        with pytest.raises(VaultError, match=r"slice s .*no entry for the published text of note b; clear"):
            vault.has("s", "b")
        assert vault.store.replace_notes("s", (), ["b"]) == 0
        assert vault.store.note_keys("s") == {"a", "c"}

    def test_the_same_run_again_leaves_one_entry_a_note_and_no_object_behind(self, vault):
        for _ in range(3):
            vault.store.replace_notes("s", vault.parts("s", "a", "b"))
        assert len(vault.objects()) == 2
        vault.store.drop("s")
        vault.store.drop("s")
        assert vault.objects() == {}

    def test_a_removed_note_is_gone_from_every_object_without_any_key(self, vault):
        vault.add("s", "a", "b")
        vault.add("s", "a")
        sealed_of_a = [
            frame for content in vault.objects().values() if b"PALVLT" in content for frame in split_frames(content)
            if header_of(frame)["note_key"] == "a"
        ]  # fmt: skip
        assert len(sealed_of_a) == 2
        del vault.held["vault_private_key"], vault.held["vault_public_key"]
        assert vault.store.remove_notes("s", {"a", "never here"}) == 2
        assert vault.store.remove_notes("s", {"a"}) == 0
        assert len(vault.objects()) == 2
        assert not any(frame in content for content in vault.objects().values() for frame in sealed_of_a)
        assert vault.store.note_keys("s") == {"b"}
        vault.store.remove_notes("s", {"b"})
        assert vault.objects() == {}

    def test_a_bucket_that_retains_versions_retains_none_of_a_removed_note(self, vault):
        bucket = vault.settings.vault.bucket
        vault.client.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
        vault.add("s", "a", "b")
        vault.add("t", "a")
        vault.store.remove_notes("s", {"a"})
        vault.store.drop("t")
        listed = vault.client.list_object_versions(Bucket=bucket)
        assert "DeleteMarkers" not in listed
        assert len(listed["Versions"]) == 2
        assert vault.has("s", "b")

    def test_the_newest_of_two_entries_for_one_published_text_counts(self, vault):
        vault.add("s", "a")
        vault.store.add("s", parts_by_slice([vault.shard("s", ("s", entry("a", original=OTHER)))])["s"])
        [found] = vault.store.entries("s", {"a": PUBLISHED}, vault.opener).values()
        assert found["original_sha256"] == text_hash(OTHER)

    def test_an_upload_that_dies_leaves_the_former_entries(self, vault):
        vault.add("s", "a")
        parts = vault.parts("s", "a", published=AGAIN)

        def dying():
            yield next(parts)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            vault.store.replace_notes("s", dying())
        assert vault.has("s", "a")
        assert vault.has("s", "a", published=AGAIN)
        vault.store.replace_notes("s", vault.parts("s", "a", published=AGAIN))
        assert len(vault.objects()) == 2

    def test_a_key_whose_part_never_came_goes_with_the_next_run(self, vault):
        vault.add("s", "a")
        [name] = [name for name in vault.objects() if not name.endswith(".key")]
        vault.client.delete_object(Bucket=vault.settings.vault.bucket, Key=name)
        assert vault.store.slices() == []
        vault.store.replace_notes("s", vault.parts("s", "b"))
        assert len(vault.objects()) == 2

    def test_any_changed_byte_and_any_cut_is_one_error(self, vault):
        vault.add("s", "a")
        for name, content in vault.objects().items():
            steps = range(0, len(content), max(1, len(content) // 60))
            changed = [content[:i] + bytes([content[i] ^ 1]) + content[i + 1 :] for i in steps]
            for broken in (*changed, *(content[:i] for i in steps), b""):
                vault.put(name, broken)
                with pytest.raises(VaultError, match="slice s in the vault of riverside") as caught:
                    vault.has("s", "a")
                assert not any(word in str(caught.value) for word in SECRET)
                assert caught.value.__context__ is None or caught.value.__suppress_context__
            vault.put(name, content)
        assert vault.has("s", "a")

    def test_every_byte_of_a_wrapped_key_counts(self, vault):
        vault.add("s", "a")
        [(name, content)] = [one for one in vault.objects().items() if one[0].endswith(".key")]
        for place in range(len(content)):
            vault.put(name, content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
            with pytest.raises(VaultError, match="cannot be opened"):
                vault.has("s", "a")

    def test_entries_that_were_moved_are_refused(self, vault):
        vault.add("s", "a")
        vault.add("t", "a")
        part, key = sorted(name for name in vault.objects() if "/s/" in name)
        other, other_key = sorted(name for name in vault.objects() if "/t/" in name)
        of_s = vault.objects()
        vault.put(other, of_s[part])
        with pytest.raises(VaultError, match="changed or cut short"):
            vault.has("t", "a")
        vault.put(other_key, of_s[key])
        with pytest.raises(VaultError, match="belongs to another slice"):
            vault.has("t", "a")

    def test_what_is_missing_is_named(self, vault):
        with pytest.raises(VaultError, match=r"slice s .* no entry for the published text of note a"):
            vault.has("s", "a")
        vault.add("s", "a")
        [name] = [name for name in vault.objects() if name.endswith(".key")]
        vault.client.delete_object(Bucket=vault.settings.vault.bucket, Key=name)
        with pytest.raises(VaultError, match=r"slice s .*object s/.*\.key is missing"):
            vault.has("s", "a")

    def test_a_change_of_keys_wraps_anew_and_touches_no_part(self, vault):
        vault.add("s", "a")
        vault.add("t", "b")
        before = {name: content for name, content in vault.objects().items() if not name.endswith(".key")}
        former = vault.opener
        vault.held["vault_private_key"], vault.held["vault_public_key"] = new_vault_keys()
        assert vault.store.rewrap("s", former, vault.recipient)
        # Interrupted here, and begun again.
        assert [vault.store.rewrap(name, former, vault.recipient) for name in vault.store.slices()] == [False, True]
        assert {name: content for name, content in vault.objects().items() if not name.endswith(".key")} == before
        assert vault.has("t", "b")
        with pytest.raises(VaultError, match="another key"):
            vault.store.entries("s", {"a": PUBLISHED}, former)

    def test_a_missing_bucket_is_named(self, vault):
        nowhere = vault.settings.vault.model_copy(update={"bucket": "no-such-vault"})
        store = VaultStore(vault.settings.model_copy(update={"vault": nowhere}), vault.secrets)
        with pytest.raises(VaultError, match=r"'no-such-vault': NoSuchBucket.*'vault_store'"):
            store.add("s", vault.parts("s", "a"))

    def test_entries_of_another_slice_are_not_stored(self, vault):
        with pytest.raises(VaultError, match="another slice"):
            vault.store.add("s", vault.parts("t", "a"))
        assert vault.objects() == {}


class TestShards:
    def test_a_file_cut_anywhere_is_refused(self, vault):
        path = vault.shard("shard", ("s", entry("a")))
        whole = path.read_bytes()
        for place in range(0, len(whole), 37):
            path.write_bytes(whole[:place])
            with pytest.raises(VaultError, match=r"shard\.vault .*(cut short|lacks notes)"):
                check_shard(path, [("a", PUBLISHED)])

    def test_originals_of_other_notes_are_refused_without_opening_them(self, vault):
        path = vault.shard("shard", ("s", entry("a")))
        assert check_shard(path, [("a", PUBLISHED)]) == 1
        for other in ([("b", PUBLISHED)], [("a", PUBLISHED + " ")], []):
            with pytest.raises(VaultError, match="does not hold the notes"):
                check_shard(path, other)
        with pytest.raises(VaultError, match="lacks notes"):
            check_shard(path, [("a", PUBLISHED), ("b", PUBLISHED)])

    def test_shards_of_several_slices_are_divided(self, vault):
        paths = [
            vault.shard("one", ("s", entry("a")), ("t", entry("b")), ("s", entry("c"))),
            vault.shard("two", ("t", entry("d")), ("u", entry("e"))),
        ]
        by_slice = parts_by_slice(paths, without={"c", "e"})
        assert sorted(by_slice) == ["s", "t"]
        assert [vault.store.add(name, parts) for name, parts in sorted(by_slice.items())] == [{"a"}, {"b", "d"}]
        assert vault.has("t", "b", "d")

    def test_parts_hold_a_bounded_number_of_notes(self, vault, monkeypatch):
        monkeypatch.setattr(frames, "_MAX_PART_NOTES", 2)
        assert [len(part.sealed) for part in vault.parts("s", *"abcde")] == [2, 2, 1]
        monkeypatch.setattr(frames, "_MAX_PART_BYTES", 10)
        assert [len(part.sealed) for part in vault.parts("s", *"abc")] == [1, 1, 1]
        vault.add("s", *"abc")
        assert vault.has("s", *"abc")

    def test_a_missing_file_says_why(self, tmp_path):
        with pytest.raises(VaultError, match=r"shard\.vault is missing.*before the vault was switched on"):
            check_shard(tmp_path / "shard.vault", [])


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
