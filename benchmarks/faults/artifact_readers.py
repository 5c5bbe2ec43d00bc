"""Readers of what the platform itself writes: certificates, vaults, deliveries, dictionaries, shards, models."""

import base64
import contextlib
import hashlib
import io
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.faults.bad_notes import CANARY
from benchmarks.faults.reader import KEY, ROOT, TEXT, Reader, count_rows, put_text
from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span

_EVALUATED: list[dict[str, Any]] = [
    {
        "design": "random",
        "gold_version": "g",
        "notes": 9,
        "recall_lower_bound": 0.9,
        "figures": {"recall": {"value": 0.99}, "precision": {"value": 0.98}},
    }
]


def _write_certificate(folder: Path) -> None:
    from deid_tasks.evidence.gate import issue_certificate, new_key_pair
    from deid_tasks.settings import GateSettings

    signing, public = new_key_pair()
    made = issue_certificate(
        "riverside", "f" * 32, "e", _EVALUATED, {}, GateSettings(designs=("random",)), [], [], signing
    )
    put_text(folder / "certificate.json", made.file())
    put_text(folder / "public.pem", public)


def _read_certificate(folder: Path) -> None:
    from deid_tasks.cli.certificate import verify_file

    with contextlib.redirect_stdout(io.StringIO()):
        verify_file(folder / "certificate.json", key=folder / "public.pem")


def _write_vault(folder: Path) -> None:
    from deid_tasks.platform.vault import EntryWriter, new_vault_keys
    from deid_tasks.platform.vault.entries import text_hash
    from deid_tasks.platform.vault.keys import key_pair_opener

    private, _ = new_vault_keys()
    put_text(folder / "vault.key.pem", private)
    with (folder / "shard.vault").open("wb") as file:
        writer = EntryWriter(file, key_pair_opener(private, "riverside"), {"institution": "riverside"})  # type: ignore[arg-type]
        for number in range(4):
            writer.add(
                "slice",
                {
                    "note_key": str(number),
                    "note_id": f"N{number}",
                    "patient_id": None,
                    "published_sha256": text_hash("x"),
                    "original_sha256": text_hash(TEXT),
                    "replacements": [],
                },
            )


def _read_vault(folder: Path) -> None:
    from deid_tasks.platform.vault import check_shard, parts_by_slice
    from deid_tasks.platform.vault.frames import join_frames, open_entry, split_frames
    from deid_tasks.platform.vault.keys import decode_wrapped, encode_wrapped, key_pair_opener

    path = folder / "shard.vault"
    opener = key_pair_opener((folder / "vault.key.pem").read_bytes().decode("utf-8", "replace"), "riverside")
    for parts in parts_by_slice([path]).values():
        for part in parts:
            data_key = opener.unwrap(decode_wrapped(encode_wrapped(part.wrapped)))
            for sealed in split_frames(join_frames(part.sealed)):
                open_entry(sealed, data_key, {"institution": "riverside", "slice": "slice"})
    check_shard(path, [(str(number), "x") for number in range(4)])


def _read_frames(folder: Path) -> None:
    from deid_tasks.platform.vault.frames import split_frames
    from deid_tasks.platform.vault.sealing import header_of

    for sealed in list(split_frames((folder / "shard.vault").read_bytes()))[1:]:
        header_of(sealed)


_TABLES: tuple[dict[str, Any], ...] = (
    {
        "table": "patient",
        "files": "patient*.csv*",
        "format": "csv",
        "columns": {"pat_id": "text", "pat_name": "text", "birth_date": "date", "visits": "integer"},
        "key": ["pat_id"],
    },
    {
        "table": "note",
        "files": "note*.ndjson*",
        "format": "ndjson",
        "columns": {"note_id": "bigint", "pat_id": "text", "written": "timestamp", "note_text": "text"},
        "key": ["note_id"],
    },
    {
        "table": "event",
        "files": "event*.parquet",
        "format": "parquet",
        "columns": {"event_id": "integer", "amount": "numeric", "at": "timestamp", "what": "text"},
        "mode": "append",
    },
)


def _write_delivery(folder: Path) -> None:
    patients = "".join(f'P{n},"{CANARY}, Zoë ""Z""",1950-01-0{n},{n}\n' for n in range(1, 9))
    put_text(folder / "patient.csv", f"PAT_ID,pat_name,birth_date,visits\n{patients}")
    notes = [{"note_id": n, "pat_id": "P1", "written": "2024-01-01T10:00:00", "note_text": TEXT} for n in range(8)]
    put_text(folder / "note.ndjson", "".join(json.dumps(one) + "\n" for one in notes))
    events = pa.table(
        {
            "event_id": pa.array(range(50), pa.int32()),
            "amount": pa.array([str(n / 7) for n in range(50)]),
            "at": pa.array([n * 10**9 for n in range(50)], pa.timestamp("us")),
            "what": pa.array([CANARY, None] * 25).dictionary_encode(),
        }
    )
    pq.write_table(events, folder / "event.parquet")
    files = [
        {"file": path.name, "rows": 8, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
        for path in sorted(folder.iterdir())
    ]
    put_text(folder / "manifest.json", json.dumps({"delivery": "2024-01-01", "files": files}))


def _read_delivery(folder: Path) -> None:
    from deid_tasks.platform.landing.checks import ColumnLimits, check_rows
    from deid_tasks.platform.landing.deliveries import read_deliveries
    from deid_tasks.platform.landing.location import LandingLocation
    from deid_tasks.platform.landing.rows import read_rows_of
    from deid_tasks.settings import LandingSettings, Secrets

    settings = LandingSettings.model_validate({"location": str(folder), "tables": list(_TABLES)})
    location = LandingLocation(settings, Secrets(dict[str, str]().get))
    for delivery in read_deliveries(location, settings, location.names()):
        for file in delivery.files:
            for rows in read_rows_of(location, file.path, file.table):
                check_rows(rows, file.table, ColumnLimits({"pat_name": 30}, {"pat_id"}))


def _write_harvest(folder: Path) -> None:
    import datetime

    from deid_tasks.engine.detect.templates import Template
    from deid_tasks.learning.harvest.files import Candidates, SentenceCandidate, TemplateCandidate

    text = "Seen by Dr. Okafor today."
    template = Template.of(text, 0, len(text), [Span(12, 18, Entity.PROVIDER)])
    assert template is not None
    sentences = [SentenceCandidate(f"No fever {CANARY} {n}.", 3, 4, medical=bool(n % 2)) for n in range(4)]
    moment = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    Candidates(sentences, [TemplateCandidate(template, 3, 4)]).write(folder, moment)


def _read_harvest(folder: Path) -> None:
    from deid_tasks.learning.harvest.files import exclude, newest_harvest, read_decided

    name = newest_harvest(folder, [path.name for path in folder.iterdir()])
    read_decided(folder, name)
    exclude(folder, name, ())


def _write_approved(folder: Path) -> None:
    import datetime

    from deid_tasks.engine.detect.approved_harvest import freeze_harvest
    from deid_tasks.engine.detect.templates import Template

    text = "Seen by Dr. Okafor today."
    template = Template.of(text, 0, len(text), [Span(12, 18, Entity.PROVIDER)])
    assert template is not None
    moment = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    freeze_harvest(folder / "harvest", KEY, [f"No fever {CANARY}."], [template], "ann", moment, "one")


def _read_approved(folder: Path) -> None:
    from deid_tasks.engine.detect.approved_harvest import ApprovedHarvest

    ApprovedHarvest.open(folder / "harvest", KEY)


def _write_lexicon(folder: Path) -> None:
    from deid_tasks.engine.lexicon import Lexicon, LexiconTerm

    Lexicon.build([LexiconTerm("provider", "full", "Abel Teshome")], key=KEY).save(folder / "lexicon")


def _read_lexicon(folder: Path) -> None:
    from deid_tasks.engine.lexicon import Lexicon

    opened = Lexicon.open(folder / "lexicon", key=KEY)
    opened.match(opened.scan(["Seen by Abel Teshome in Boston."]))


def _write_people(folder: Path) -> None:
    import datetime

    from deid_tasks.engine.obfuscate.people.known_people import KnownPeople, KnownPerson

    born = datetime.date(1950, 1, 1)
    people = [KnownPerson(f"P{n}", f"Zoë{n}", CANARY, born) for n in range(40)]
    KnownPeople.of(KEY, "riverside", people).save(folder / "people", KEY, "riverside")


def _read_people(folder: Path) -> None:
    from deid_tasks.core.versions import newest_version
    from deid_tasks.engine.obfuscate.people.known_people import KnownPeople

    # The pointer is damaged too.
    KnownPeople.open(folder / "people" / newest_version(folder / "people"), KEY, "riverside")


def _write_shard(folder: Path) -> None:
    from deid_tasks.core.notes import RESULT_SCHEMA

    rows: dict[str, Any] = dict.fromkeys(RESULT_SCHEMA.names)
    rows |= {"spans": [], "recovered": [], "findings": [], "replacements": [], "outcome": "published", "reason": ""}
    rows |= {"words": 1, "changed_words": 0, "agreed_spans": 0, "milliseconds": 0.0, "note_key": "k"}
    made = [rows | {"note_id": str(n), "deid_text": TEXT} for n in range(30)]
    schema = RESULT_SCHEMA.with_metadata({"fingerprint": "f" * 32})
    pq.write_table(pa.Table.from_pylist(made, schema=schema), folder / "shard.parquet", compression="zstd")


def _read_shard(folder: Path) -> None:
    from deid_tasks.platform.workspace import RunFiles
    from deid_tasks.settings import InstitutionSettings, Secrets

    settings = InstitutionSettings.model_validate(
        {
            "institution": "riverside",
            "title": "R",
            "warehouse": {"connection": "ehr", "layout": "omop"},
            "notes": {"start_date": "2024-01-01"},
            "obfuscate": {"key": "key"},
            "publish": {"bucket": "published", "object_store": "store", "catalog": "catalog"},
            "work_dir": str(folder / "work"),
        }
    )
    files = RunFiles(settings, Secrets(dict[str, str]().get), folder)
    files.fingerprint_of([folder / "shard.parquet"])
    count_rows(files.read_batches([folder / "shard.parquet"]))


def _write_cache(folder: Path) -> None:
    from deid_tasks.engine.detect.reader import Answer, TextSpan
    from deid_tasks.engine.detect.sentence_cache import SentenceCache

    cache = SentenceCache(folder / "sentences.db", KEY, "v", 1 << 30, "r")
    texts = [f"Sentence {n}" for n in range(50)]
    cache.put(texts, [Answer((TextSpan(0, 8, Entity.PATIENT, 0.5),))] * 50)
    cache.close()


def _read_cache(folder: Path) -> None:
    from deid_tasks.engine.detect.reader import Answer, TextSpan
    from deid_tasks.engine.detect.sentence_cache import SentenceCache, prune_cache

    cache = SentenceCache(folder / "sentences.db", KEY, "v", 1 << 30, "r")
    texts = [f"Sentence {n}" for n in range(60)]
    right = Answer((TextSpan(0, 8, Entity.PATIENT, 0.5),))
    assert all(one is None or one.answer == right for one in cache.get(texts)), "a damaged answer is believed"
    cache.put(texts, [right] * 60)
    cache.close()
    prune_cache(folder / "sentences.db", 9)


def _write_model(*, is_own: bool) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        shipped = ROOT / "deid_tasks" / "models" / "minilm"
        config = json.loads((shipped / "config.json").read_text())
        if not is_own:
            # As a model from elsewhere, whose files nobody has listed.
            del config["palimpsest"]["sha256"]
        put_text(folder / "config.json", json.dumps(config))
        shutil.copyfile(shipped / "tokenizer.json", folder / "tokenizer.json")
        shutil.copyfile(shipped / "model.onnx", folder / "model.onnx")

    return write


def _read_model(folder: Path) -> None:
    from deid_tasks.engine.detect.token_model import TokenModel

    TokenModel(folder)


def _write_secrets(folder: Path) -> None:
    put_text(folder / "key", base64.b64encode(KEY).decode())
    put_text(folder / "store", json.dumps({"endpoint": "http://localhost:1", "access_key": "a", "secret_key": "b"}))


def _read_secrets(folder: Path) -> None:
    from deid_tasks.settings import Secrets

    secrets = Secrets(lambda name: (folder / name).read_bytes().decode("utf-8", "replace"))
    secrets.key("key")
    secrets.mapping("store")


def _write_manifest(folder: Path) -> None:
    from deid_tasks.platform.runs.annotation_files import TaskManifest

    put_text(folder / "export.json", json.dumps(asdict(TaskManifest("jsonl", "f" * 32, 3))))


def _read_manifest(folder: Path) -> None:
    from deid_tasks.platform.runs.annotation_files import read_manifest

    read_manifest(folder)


ARTIFACT_READERS: Mapping[str, Reader] = {
    "certificate": Reader(_write_certificate, _read_certificate),
    "vault of a shard": Reader(_write_vault, _read_vault, "shard.vault"),
    "vault's object": Reader(_write_vault, _read_frames, "shard.vault"),
    "vault's private key": Reader(_write_vault, _read_vault, "*.pem"),
    "delivery": Reader(_write_delivery, _read_delivery),
    "harvest": Reader(_write_harvest, _read_harvest),
    "approved harvest": Reader(_write_approved, _read_approved),
    "lexicon": Reader(_write_lexicon, _read_lexicon),
    "known people": Reader(_write_people, _read_people),
    "shard": Reader(_write_shard, _read_shard, "shard.parquet"),
    "sentence cache": Reader(_write_cache, _read_cache, "sentences.db"),
    "shipped model": Reader(_write_model(is_own=True), _read_model),
    "model from elsewhere": Reader(_write_model(is_own=False), _read_model),
    "secrets": Reader(_write_secrets, _read_secrets),
    "task manifest": Reader(_write_manifest, _read_manifest),
}
"""By the name of what is read."""
