"""Every reader of files, with files that it reads: what damaged ones are tried on.

A reader writes its files into a folder once. ``read`` then reads them as the product does, and may raise nothing but
the product's own errors, which name a file and quote no note.
"""

import contextlib
import io
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from benchmarks.faults.artifact_readers import ARTIFACT_READERS
from benchmarks.faults.bad_notes import CANARY
from benchmarks.faults.reader import ROOT, TEXT, Reader, count_rows, put_text
from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote, remove_annotated_notes

_SPANS = (Span(12, 12 + len(CANARY), Entity.PROVIDER), Span(26, 35, Entity.DATE))


def _notes() -> list[AnnotatedNote]:
    return [
        AnnotatedNote(f"{number}-0{number}", TEXT * number, _SPANS, "220", "progress", "ann") for number in range(1, 5)
    ]


def _format(name: str) -> Reader:
    form = FORMATS[name]

    def write(folder: Path) -> None:
        form.write(_notes(), folder / f"notes{form.suffix}", annotated=True)

    return Reader(write, lambda folder: count_rows(form.read(folder / f"notes{form.suffix}")))


def _written(name: str, content: str) -> Callable[[Path], None]:
    return lambda folder: put_text(folder / name, content)


def _write_physionet(folder: Path) -> None:
    records = [f"START_OF_RECORD={n}||||1||||\n{TEXT}\n||||END_OF_RECORD\n" for n in range(1, 4)]
    put_text(folder / "id.text", "\n".join(records))
    put_text(folder / "id.phrase", "".join(f"{n} 1 12 21 HCPName {CANARY}\n{n} 1 25 34 Date x\n" for n in range(1, 4)))


def _read_lines(folder: Path) -> None:
    from deid_tasks.cli.jsonl import Problems, read_lines

    report = io.StringIO()
    with contextlib.redirect_stderr(report):
        count_rows(read_lines(folder / "notes.jsonl", Problems()))
    assert CANARY not in report.getvalue(), "the report of bad lines quotes a note"


def _read_gold(folder: Path) -> None:
    from deid_tasks.cli.gold_files import GoldNotes, pair_with_file
    from deid_tasks.cli.jsonl import Problems

    report, problems, path = io.StringIO(), Problems(), folder / "notes.jsonl"
    with contextlib.redirect_stderr(report):
        count_rows(pair_with_file(GoldNotes(path, "jsonl", problems), path, "jsonl", problems))
    assert CANARY not in report.getvalue(), "the report of bad lines quotes a note"


def _remove(folder: Path) -> None:
    for path in sorted(folder.iterdir()):
        remove_annotated_notes(path, {"1-01", "9"})


def _write_two(folder: Path) -> None:
    for name in ("jsonl", "label-studio"):
        FORMATS[name].write(_notes(), folder / f"notes{FORMATS[name].suffix}", annotated=True)


def _copied(*sources: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for source in sources:
            shutil.copyfile(ROOT / source, folder / Path(source).name)

    return write


def _read_institutions(folder: Path) -> None:
    from deid_tasks.settings.load import load_institutions

    load_institutions(folder)


def _read_engine(folder: Path) -> None:
    from deid_tasks.settings import load_engine_settings

    load_engine_settings(folder / "engine.yaml")


def _read_contract(folder: Path) -> None:
    from deid_tasks.platform.warehouse.contract import read_contract

    for path in folder.iterdir():
        read_contract(path, ["patients", "encounters"])


def _read_training(folder: Path) -> None:
    from deid_tasks.learning.train.settings import plan, read_changes

    plan(folder, changes=read_changes(folder / "training.yaml"))


_ENGINE = """\
detect:
  detectors: [patterns]
  patterns: {identifiers: {MRN: ['RH[0-9]{7}']}}
policy: {keep: []}
notes: {max_characters: 1000}
"""
_CONLL = f"-DOCSTART- O\n\nSeen O\nby O\nDr. O\n{CANARY} B-PROVIDER\n. O\n\nOn O\n3/14 B-DATE\n"
_I2B2_2006 = (
    '<?xml version="1.0"?>\n<ROOT>\n<RECORD ID="1">\n<TEXT>\nSeen by <PHI TYPE="DOCTOR">'
    f'{CANARY}</PHI> on <PHI TYPE="DATE">3/14</PHI> &amp; again.\n</TEXT>\n</RECORD>\n</ROOT>\n'
)

READERS: Mapping[str, Reader] = {
    **{name: _format(name) for name in ("jsonl", "label-studio", "doccano", "brat", "i2b2-2014")},
    "i2b2-2006": Reader(
        _written("notes.xml", _I2B2_2006), lambda folder: count_rows(FORMATS["i2b2-2006"].read(folder / "notes.xml"))
    ),
    "conll": Reader(
        _written("notes.conll", _CONLL), lambda folder: count_rows(FORMATS["conll"].read(folder / "notes.conll"))
    ),
    "physionet": Reader(_write_physionet, lambda folder: count_rows(FORMATS["physionet"].read(folder))),
    "notes of the command line": Reader(
        lambda folder: (FORMATS["jsonl"].write(_notes(), folder / "notes.jsonl", annotated=True), None)[1], _read_lines
    ),
    "gold and predictions": Reader(
        lambda folder: (FORMATS["jsonl"].write(_notes(), folder / "notes.jsonl", annotated=True), None)[1], _read_gold
    ),
    "removal from task lists": Reader(_write_two, _remove),
    "institution": Reader(_copied("dags/institutions/riverside.yaml"), _read_institutions),
    "engine settings": Reader(_written("engine.yaml", _ENGINE), _read_engine),
    "dbt's contract": Reader(_copied("dbt/models/staging/models.yml"), _read_contract),
    "training settings": Reader(
        _written("training.yaml", "seed: 3\nmodel: {labels: bio}\nfit: {epochs: 2}\n"), _read_training
    ),
    **ARTIFACT_READERS,
}
"""Every reader by the name of what it reads."""
