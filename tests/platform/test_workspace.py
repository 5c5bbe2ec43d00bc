"""A note's files in the workspace: after their removal no byte of the note is left in the folder."""

import os
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import GateError, InputError, WarehouseError
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote
from deid_tasks.platform.warehouse import Shard
from deid_tasks.platform.workspace import RunFiles, run_dir, vault_file, work_dir, write_digest
from deid_tasks.platform.workspace import remove_note_files as remove_with_secrets
from deid_tasks.settings import Secrets

PLANTED = "quetzalcoatlus"
NOTES = [
    AnnotatedNote("N/1", f"{PLANTED} sat.", (Span(0, len(PLANTED), Entity.PATIENT),)),
    AnnotatedNote("N/2", "Plain\u2028text.", (Span(0, 5, Entity.PATIENT),)),
]
WRITTEN = ("label-studio", "doccano", "brat", "i2b2-2014", "jsonl")


def write_shard(settings, run_id: str, index: int, *note_ids: str):
    path = run_dir(settings, run_id) / f"shard-{index:04d}-of-0002-0123456789ab.parquet"
    rows = [{"note_id": note_id, "deid_text": PLANTED if note_id == "N/1" else "plain"} for note_id in note_ids]
    pq.write_table(pa.Table.from_pylist(rows), path, compression="none")
    write_digest(path)
    vault_file(path).write_bytes(b"sealed" + path.name.encode())
    return path


def remove_note_files(settings, note_ids, **more) -> int:
    return remove_with_secrets(settings, Secrets({}.get), note_ids, **more)


def holders(settings) -> list[str]:
    folder = work_dir(settings)
    return [
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and PLANTED.encode() in path.read_bytes()
    ]


def test_shards_that_hold_a_note_go_with_their_originals(institution):
    holding, other = write_shard(institution, "r", 0, "N/1", "N/2"), write_shard(institution, "r", 1, "N/3")
    running = write_shard(institution, "still running", 0, "N/1")
    orphan = vault_file(other).with_name("shard-0007-of-0008.vault")
    orphan.write_bytes(b"sealed")
    assert len(holders(institution)) == 2
    assert remove_note_files(institution, ["N/1"], running=["still running"]) == 3
    assert not any(path.exists() for path in (holding, vault_file(holding), orphan))
    assert all(path.exists() for path in (other, vault_file(other), running, vault_file(running)))
    assert remove_note_files(institution, ["N/1"]) == 2
    assert holders(institution) == []
    assert remove_note_files(institution, ["N/1"]) == 0


def test_a_damaged_shard_is_deleted_and_all_others_are_done(institution):
    damaged, holding = write_shard(institution, "r", 0, "N/3"), write_shard(institution, "r", 1, "N/1")
    damaged.write_bytes(damaged.read_bytes()[:40])
    assert remove_note_files(institution, ["N/1"]) == 4
    assert not any(path.exists() for path in (damaged, vault_file(damaged), holding, vault_file(holding)))


@pytest.mark.parametrize("name", WRITTEN)
def test_task_lists_and_deliveries_lose_the_note_alone(institution, name):
    person = work_dir(institution) / "annotation" / "s1" / "ann1"
    (person / "done").mkdir(parents=True)
    (person / "export.json").write_text('{"format": "x", "preannotated_by": "", "notes": 2}\n')
    suffix, one = FORMATS[name].suffix, NOTES[:1]
    FORMATS[name].write(NOTES, person / f"tasks{suffix}", annotated=False)
    FORMATS[name].write(NOTES, person / "done" / f"delivery{suffix}", annotated=True)
    FORMATS[name].write(one, person / "done" / f"alone{suffix}", annotated=True)
    before = len(holders(institution))
    assert before >= 3
    assert remove_note_files(institution, ["N/1"]) >= before
    assert holders(institution) == []
    given = list(FORMATS[name].read_tasks(person / f"tasks{suffix}"))
    delivered = list(FORMATS[name].read(person / "done" / f"delivery{suffix}"))
    assert (len(given), len(delivered)) == (1, 1)
    for left in (*given, *delivered):
        assert (left.note_id, left.text, left.spans) == ("N/2", NOTES[1].text, NOTES[1].spans)
    assert list((person / "done").glob("alone*.*")) == []
    assert (person / "export.json").exists()
    assert remove_note_files(institution, ["N/1"]) == 0


def test_a_damaged_delivery_is_named_and_all_others_are_done(institution):
    folder = work_dir(institution) / "annotation" / "s1" / "ann1" / "done"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_text('{"id": "N/1", "text')
    FORMATS["jsonl"].write(NOTES, folder / "b.jsonl", annotated=True)
    write_shard(institution, "r", 0, "N/1")
    with pytest.raises(InputError, match=r"a\.jsonl: is not valid JSON.*repair or delete it"):
        remove_note_files(institution, ["N/1"])
    assert holders(institution) == []


def test_what_killed_writers_left_is_deleted_and_what_is_being_written_stays(institution):
    annotation = work_dir(institution) / "annotation" / "s1" / "ann1"
    run = run_dir(institution, "r")
    for number, parent in enumerate((annotation, run)):
        for age in (0, 2 * 3_600):
            partial = parent / f".tasks.{number}{age}.partial"
            partial.mkdir(parents=True)
            (partial / "tasks.jsonl").write_text(f'{{"id": "N/1", "text": "{PLANTED}')
            for path in (partial / "tasks.jsonl", partial):
                os.utime(path, (time.time() - age,) * 2)
    assert remove_note_files(institution, ["N/1"]) == 2
    assert len(holders(institution)) == 2
    assert not any("7200" in name for name in holders(institution))


def test_without_any_file_nothing_is_removed(institution):
    assert remove_note_files(institution, ["N/1"]) == 0


def test_a_shard_that_vanished_is_told_and_not_a_traceback(institution):
    path = write_shard(institution, "run", 0, "N/1")
    path.unlink()
    files = RunFiles(institution, Secrets({}.get), path.parent)
    for read in (files.fingerprint_of, lambda paths: list(files.read_batches(paths))):
        with pytest.raises(WarehouseError, match=r"shard-0000-of-0002.* is gone: .*clear the run's shard tasks"):
            read([path])
    assert files.remove_shards_with(frozenset({"N/1"})) == 1


def test_shards_of_another_surrogate_key_are_refused(institution):
    files = RunFiles(institution, Secrets({}.get), run_dir(institution, "run"))
    schema = pa.schema([pa.field("note_id", pa.string())])
    paths = []
    for index, said in enumerate(({"key": "k1"}, {"fingerprint": "f"})):
        with files.new_shard(Shard(index, 2), schema.with_metadata(said)) as (path, writer):
            writer.write_batch(pa.RecordBatch.from_pylist([{"note_id": "N/1"}], schema))
        paths.append(path)
    files.check_key(paths, "k1")
    # A shard of an earlier release does not say its key.
    files.check_key(paths[1:], "k2")
    with pytest.raises(GateError, match="made under another surrogate key than the secret holds now: restore the key"):
        files.check_key(paths, "k2")
