"""Gold sets are their content: frozen once, never changed, found again by design."""

import datetime
from dataclasses import replace

import psycopg2
import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError, WarehouseError
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation import Decision, DecisionBasis
from deid_tasks.platform.warehouse.gold import (
    NewGoldNote,
    freeze_gold_set,
    gold_set_of,
    gold_sets,
    newest_gold_set,
    read_gold,
)
from tests.support.freeze_truth import freeze_truth
from tests.support.small_hospital import notes

NOTE = NewGoldNote(
    "N1", "P1", "letter", datetime.datetime(2024, 1, 1), "A1", "Ms. Quill, 3/14", (Span(4, 9, Entity.PATIENT),)
)


@pytest.fixture
def connection(desk):
    connection = psycopg2.connect(desk.uri)
    yield connection
    connection.close()


def freeze(connection, desk, *settled, design="random", sample="s1", **more):
    with connection:
        return freeze_gold_set(connection, desk.settings, settled, design=design, sample_version=sample, **more)


def test_gold_arrives_whole_and_its_version_is_its_content(connection, desk):
    gold = freeze_truth(connection, desk.settings, notes(), "random")
    assert freeze_truth(connection, desk.settings, reversed(notes()), "random") == gold
    with connection:
        stored = list(read_gold(connection, desk.settings, gold))
    assert [(n.note_id, n.text) for n in stored] == [(n.note_id, n.text) for n in notes()]
    assert [[(s.start, s.end, s.entity) for s in n.spans] for n in stored] == [
        [(s.start, s.end, s.entity) for s in n.spans] for n in notes()
    ]
    moved = [replace(notes()[0], spans=()), *notes()[1:]]
    assert freeze_truth(connection, desk.settings, moved, "random").version != gold.version
    assert len(gold_sets(connection, desk.settings)) == 2


OTHER = Decision(4, 9, Entity.PATIENT, DecisionBasis.ADJUDICATION, "cy")


@pytest.mark.parametrize(
    ("note", "more"),
    [
        (replace(NOTE, text="Ms. Quill, 3/15"), {}),
        (replace(NOTE, spans=(Span(4, 9, Entity.RELATIVE),)), {}),
        (replace(NOTE, patient_id="P2"), {}),
        (replace(NOTE, period="2020"), {}),
        (replace(NOTE, decisions=(OTHER,)), {}),
        (NOTE, {"design": "stratified"}),
        (NOTE, {"sample": "s2"}),
        (NOTE, {"preannotated_by": "f" * 16}),
    ],
)
def test_whatever_differs_is_another_version(connection, desk, note, more):
    assert freeze(connection, desk, note, **more).version != freeze(connection, desk, NOTE).version


FORMER = """
insert into riverside_gold.gold_set values ('2675bd1e02e62d97', 's1', 'disagreement', 'ff', 2, null, '2024-05-01');
insert into riverside_gold.gold_note values
    ('2675bd1e02e62d97', 'N2', null, '', null, null, '', 'No name é'),
    ('2675bd1e02e62d97', 'N1', 'P1', 'letter', '2024-01-01', 'A1', '2024', 'Ms. Quill, 3/14');
insert into riverside_gold.gold_span values
    ('2675bd1e02e62d97', 'N1', 11, 15, 'DATE'), ('2675bd1e02e62d97', 'N1', 4, 9, 'PATIENT');
insert into riverside_gold.gold_decision values
    ('2675bd1e02e62d97', 'N1', 11, 15, 'DATE', 'agreement', 'ann+bea'),
    ('2675bd1e02e62d97', 'N1', 4, 9, 'PATIENT', 'adjudication', 'cy');
"""
"""A gold set as a former release froze it, with its version of then."""

WRITTEN = (
    "delete from {g}.gold_span where start_offset = 4",
    "update {g}.gold_span set entity = 'DATE' where start_offset = 4",
    "insert into {g}.gold_span values ('2675bd1e02e62d97', 'N2', 3, 7, 'DATE')",
    "insert into {g}.gold_span values ('2675bd1e02e62d97', 'N1', 5, 900, 'DATE')",
    "update {g}.gold_note set text = 'Ms. Quilt, 3/14' where note_id = 'N1'",
    "update {g}.gold_note set patient_id = '' where note_id = 'N2'",
    "delete from {g}.gold_note where note_id = 'N2'",
    "update {g}.gold_decision set decided_by = 'ann'",
    "delete from {g}.gold_decision where start_offset = 4",
    "update {g}.gold_set set preannotated_by = ''",
    "update {g}.gold_set set sample_version = 's2'",
)


def test_a_gold_set_of_a_former_release_is_read_and_whatever_was_written_to_it_is_refused(connection, desk):
    desk.rows(FORMER)
    with connection:
        gold = gold_set_of(connection, desk.settings, "2675bd1e02e62d97")
        first, second = read_gold(connection, desk.settings, gold)
    assert [(s.start, s.end, s.entity) for s in first.spans] == [(4, 9, Entity.PATIENT), (11, 15, Entity.DATE)]
    assert (second.patient_id, second.note_datetime, second.spans) == ("", None, ())
    for statement in WRITTEN:
        with connection.cursor() as cursor:
            cursor.execute(statement.format(g="riverside_gold"))
        changed = gold_set_of(connection, desk.settings, gold.version)
        said = (
            rf"^riverside: the disagreement gold set {gold.version} was changed after it was frozen: .* is version"
            r" [0-9a-f]{16}; find out who wrote .* run gold__riverside"
        )
        with pytest.raises(WarehouseError, match=said) as caught:
            next(read_gold(connection, desk.settings, changed))
        assert "Quil" not in str(caught.value)
        connection.rollback()


def test_freezing_again_restores_what_was_changed_and_nothing_else(connection, desk):
    frozen = freeze(connection, desk, NOTE, replace(NOTE, note_id="N2", decisions=(OTHER,)))
    assert (frozen.written, freeze(connection, desk, NOTE).written) == ("frozen", "frozen")
    desk.rows("delete from riverside_gold.gold_span where note_id = 'N2'")
    again = [freeze(connection, desk, NOTE, replace(NOTE, note_id="N2", decisions=(OTHER,))) for _ in range(2)]
    assert [one.written for one in again] == ["restored", ""]
    assert again == [frozen, frozen]
    with connection:
        assert [len(note.spans) for note in read_gold(connection, desk.settings, frozen)] == [1, 1]
    assert desk.rows("select count(*) from riverside_gold.gold_decision") == [(1,)]


def test_what_does_not_decide_anything_is_no_other_version(connection, desk):
    scored = replace(NOTE, spans=(Span(4, 9, Entity.PATIENT, "adjudicator", 0.5),))
    assert freeze(connection, desk, scored, kappa=0.9) == freeze(connection, desk, NOTE, kappa=0.8)


@pytest.mark.parametrize(
    ("settled", "said"),
    [
        ((), "without notes"),
        ((NOTE, NOTE), "note N1 comes twice"),
        ((replace(NOTE, spans=(Span(4, 9, Entity.PATIENT), Span(8, 12, Entity.DATE))),), "note N1: span"),
        ((replace(NOTE, spans=(Span(4, 99, Entity.PATIENT),)),), "note N1: span"),
    ],
)
def test_what_is_no_gold_set_is_refused_and_leaves_nothing(connection, desk, settled, said):
    with pytest.raises(InputError, match=said) as caught:
        freeze(connection, desk, *settled)
    assert "Quill" not in str(caught.value)
    assert desk.rows("select count(*) from riverside_gold.gold_note") == [(0,)]


def test_the_newest_of_each_design(connection, desk):
    with pytest.raises(WarehouseError, match=r"no random gold set; run sample__riverside, then gold__riverside"):
        newest_gold_set(connection, desk.settings, "random")
    first = freeze(connection, desk, NOTE)
    second = freeze(connection, desk, replace(NOTE, spans=()), kappa=0.97)
    stratified = freeze(connection, desk, NOTE, design="stratified")
    assert newest_gold_set(connection, desk.settings, "random") == second
    assert newest_gold_set(connection, desk.settings, "stratified") == stratified
    assert gold_sets(connection, desk.settings) == [stratified, second, first]
    assert (second.kappa, second.notes, second.design) == (0.97, 1, "random")
    assert first.kappa is None
