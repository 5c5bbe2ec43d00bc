"""Task lists out, finished work in, adjudication, gold set: over PostgreSQL and the files of every format."""

import json
import stat

import psycopg2
import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.identity import Identity
from deid_tasks.core.span import Span
from deid_tasks.platform.runs import (
    adjudicate_samples,
    annotation_status,
    export_tasks,
    freeze_gold_sets,
    import_annotations,
)
from deid_tasks.platform.warehouse.gold import newest_gold_set, read_gold
from tests.support.annotation_desk import NOTES, A, B, C, changed, truth_of


def who(desk):
    return desk.settings, desk.secrets


def gold(desk, design="random"):
    connection = psycopg2.connect(desk.uri)
    try:
        with connection:
            found = newest_gold_set(connection, desk.settings, design)
            notes = {note.note_id: note for note in read_gold(connection, desk.settings, found)}
        return found, notes
    finally:
        connection.close()


def spans_of(notes):
    return {note_id: [(s.start, s.end, str(s.entity)) for s in note.spans] for note_id, note in notes.items()}


TRUTH = {note.note_id: [(s.start, s.end, str(s.entity)) for s in note.spans] for note in NOTES}


def without_first(spans):
    return spans[1:]


def with_title(spans):
    return (Span(8, spans[0].end, Entity.PROVIDER), *spans[1:])


def as_state(spans):
    return (*spans[:1], Span(spans[1].start, spans[1].end, Entity.STATE), *spans[2:])


def test_the_audit_log_says_who_got_the_text_of_how_many_notes_and_who_froze_them(desk, no_phi):
    alice = Identity("alice", "operating_system")
    desk.draw()
    for _ in range(2):
        export_tasks(*who(desk), exported_by=alice)
    desk.finish(A, changed())
    desk.finish(B, changed(N1=with_title))
    import_annotations(*who(desk))
    adjudicate_samples(*who(desk), exported_by=alice)
    desk.finish(C, changed(), name="tasks-0001")
    adjudicate_samples(*who(desk), exported_by=alice)
    for _ in range(2):
        (frozen,) = freeze_gold_sets(*who(desk), frozen_by=alice)
    rows = desk.rows("select event, actor, subject, details from riverside_results.audit_log order by seq")
    assert [row[:3] for row in rows] == [
        ("task_list", "alice", "s1"),
        ("task_list", "alice", "s1"),
        ("gold_frozen", "alice", frozen["gold_version"]),
    ]
    assert [json.loads(row[3]) for row in rows[:2]] == [
        {"design": "random", "notes": 5, "people": [A, B]},
        {"design": "random", "notes": 1, "people": [C]},
    ]
    assert (json.loads(rows[2][3])["notes"], json.loads(rows[2][3])["sample_version"]) == (5, "s1")
    no_phi(rows)


def test_the_whole_round_trip(any_format, no_phi):
    desk = any_format
    desk.draw()
    (exported,) = export_tasks(*who(desk))
    assert exported["notes"] == 5
    for person in (A, B):
        assert {note_id: text for note_id, (text, _) in desk.tasks(person).items()} == {
            n.note_id: n.text for n in NOTES
        }
        assert all(spans == () for _, spans in desk.tasks(person).values())

    desk.finish(A, changed())
    desk.finish(B, changed(N1=with_title, N2=without_first, N4=as_state))
    (imported,) = import_annotations(*who(desk))
    assert imported[A] == imported[B] == {"new": 5, "changed": 0, "unchanged": 0, "closed": 0}

    (report,) = adjudicate_samples(*who(desk))
    assert (report["annotated_by_both"], report["alike"], report["handed_over"]) == (5, 2, 3)
    assert report["conflicts"] == {"boundary": 1, "presence": 1, "entity": 1}
    # N1: Dr; N2: Bjørn Åkesson Ødegård; what is called a state instead of a city is no matter of this table.
    both, first, second, _ = report["matrix"]
    assert (both, first, second) == (19, 3, 1)
    (waiting,) = freeze_gold_sets(*who(desk))
    assert waiting["gold_version"] == ""
    assert "adjudicator: 3 notes with conflicts" in waiting["waiting_for"]
    assert str(desk.folder(A).parent) in waiting["waiting_for"]

    shown = desk.tasks(C, name="tasks-0001")
    assert set(shown) == {"N1", "N2", "N4"}
    assert {(s.start, s.end, str(s.entity)) for s in shown["N1"][1]} == {
        *TRUTH["N1"],
        (8, TRUTH["N1"][0][1], "PROVIDER"),
    }
    desk.finish(C, changed(N4=as_state), name="tasks-0001")
    (report,) = adjudicate_samples(*who(desk))
    assert report[C]["new"] == 3
    assert report["open"] == {C: 0}
    (frozen,) = freeze_gold_sets(*who(desk))

    found, notes = gold(desk)
    assert (found.version, found.design, found.preannotated_by, found.notes) == (
        frozen["gold_version"],
        "random",
        "",
        5,
    )
    assert found.kappa == pytest.approx(report["kappas"]["ALL"]["value"], abs=5e-5)
    expected = TRUTH | {"N4": [(a, b, "STATE" if e == "CITY" else e) for a, b, e in TRUTH["N4"]]}
    assert spans_of(notes) == expected
    assert {n.note_id: n.text for n in notes.values()} == {n.note_id: n.text for n in NOTES}
    decided = desk.rows(
        "select note_id, basis, decided_by, count(*) from riverside_gold.gold_decision group by 1, 2, 3"
    )
    assert set(decided) == {
        ("N1", "adjudication", C, 1),
        ("N1", "agreement", f"{A}+{B}", 2),
        ("N2", "adjudication", C, 1),
        ("N2", "agreement", f"{A}+{B}", 1),
        ("N4", "adjudication", C, 1),
        ("N4", "agreement", f"{A}+{B}", 2),
        ("N5", "agreement", f"{A}+{B}", 3),
    }
    no_phi(exported, imported, report, waiting, frozen, found, notes)


def test_everything_again_changes_nothing(any_format):
    desk = any_format
    desk.draw()

    def all_steps():
        export_tasks(*who(desk))
        return import_annotations(*who(desk)), adjudicate_samples(*who(desk)), freeze_gold_sets(*who(desk))

    all_steps()
    desk.finish(A, changed())
    desk.finish(B, changed(N5=without_first))
    all_steps()
    desk.finish(C, changed(), name="tasks-0001")
    _, _, (frozen,) = all_steps()
    tables = ("annotated_note", "annotation", "gold_set", "gold_note", "gold_span", "gold_decision")
    before = {table: sorted(map(str, desk.rows(f"select * from riverside_gold.{table}"))) for table in tables}
    imported, adjudicated, again = all_steps()
    assert again[0]["gold_version"] == frozen["gold_version"]
    assert imported[0][A] == {"new": 0, "changed": 0, "unchanged": 5, "closed": 0}
    assert adjudicated[0]["tasks"] == ""
    assert {table: sorted(map(str, desk.rows(f"select * from riverside_gold.{table}"))) for table in tables} == before


def test_only_the_owner_may_read_the_lists(any_format):
    desk = any_format
    desk.draw()
    export_tasks(*who(desk))
    for path in desk.folder(A).parents[1].rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_partial_deliveries_are_counted_and_a_later_one_replaces(any_format):
    desk = any_format
    desk.draw()
    export_tasks(*who(desk))
    desk.finish(A, lambda note: truth_of(note) if note.note_id in {"N1", "N2"} else None, delivery="part-1")
    desk.finish(B, changed())
    import_annotations(*who(desk))
    (report,) = adjudicate_samples(*who(desk))
    assert report["annotated_by_both"] == 2
    assert report["open"] == {A: 3, C: 0}
    assert f"{A}: 3 of 5 notes (N3, N4, N5)" in report["waiting_for"]
    desk.finish(A, lambda note: truth_of(note)[1:] if note.note_id != "N1" else None, delivery="part-2")
    (imported,) = import_annotations(*who(desk))
    # N2 is in both files: the later one counts.
    assert imported[A] == {"new": 3, "changed": 1, "unchanged": 1, "closed": 0}
    (imported,) = import_annotations(*who(desk), reopen=True)
    assert imported[A] == {"new": 0, "changed": 0, "unchanged": 5, "closed": 0}
    assert desk.rows("select count(*) from riverside_gold.annotation where annotator = %s and note_id = 'N2'", A) == [
        (1,)
    ]


def test_a_changed_text_is_refused_whole(any_format, no_phi):
    desk, note_id = any_format, "N2"
    desk.draw()
    export_tasks(*who(desk))
    desk.finish(A, changed())
    desk.finish(B, changed())
    desk.rows(
        "update riverside_gold.sample_note set text = overlay(text placing '#' from 6 for 1) where note_id = %s",
        note_id,
    )
    named = rf"{A}, .* sample s1: .*done.*note {note_id}: its text was changed at offset 5 .*annotate .* again"
    with pytest.raises(InputError, match=named) as caught:
        import_annotations(*who(desk))
    no_phi(caught.value)
    assert desk.rows("select count(*) from riverside_gold.annotated_note") == [(0,)]


def test_a_note_of_another_sample_is_refused(any_format, no_phi):
    desk = any_format
    desk.draw()
    export_tasks(*who(desk))
    desk.finish(A, changed())
    desk.rows("delete from riverside_gold.sample_note where note_id = 'N3'")
    with pytest.raises(InputError, match="note N3 is not in sample s1") as caught:
        import_annotations(*who(desk))
    no_phi(caught.value)
    assert desk.rows("select count(*) from riverside_gold.annotated_note") == [(0,)]


def conflicted(desk):
    """Both have finished, N1 and N2 are with the adjudicator."""
    desk.draw()
    export_tasks(*who(desk))
    desk.finish(A, changed())
    desk.finish(B, changed(N1=with_title, N2=without_first))
    import_annotations(*who(desk))
    return adjudicate_samples(*who(desk))[0]


def test_a_note_that_is_with_the_adjudicator_is_closed_until_it_is_reopened(desk):
    assert conflicted(desk)["handed_over"] == 2
    desk.finish(C, changed(), name="tasks-0001")
    adjudicate_samples(*who(desk))
    (frozen,) = freeze_gold_sets(*who(desk))
    assert frozen["gold_version"]
    # The second annotator comes to think like the first on N2, and finds another thing in N3.
    desk.finish(B, changed(N1=with_title, N3=lambda spans: (Span(0, 2, Entity.INITIALS),)))
    (imported,) = import_annotations(*who(desk))
    assert imported[B] == {"new": 0, "changed": 1, "unchanged": 3, "closed": 1}
    (imported,) = import_annotations(*who(desk), reopen=True)
    assert imported[B] == {"new": 0, "changed": 1, "unchanged": 4, "closed": 0}
    (report,) = adjudicate_samples(*who(desk))
    # N2 is agreed on now, N3 is new, and the answer on N1 stands.
    assert (report["handed_over"], report["open"]) == (1, {C: 1})
    assert set(desk.tasks(C, name="tasks-0002")) == {"N3"}
    desk.finish(C, lambda note: (), name="tasks-0002")
    adjudicate_samples(*who(desk))
    (again,) = freeze_gold_sets(*who(desk))
    assert again["gold_version"] not in {"", frozen["gold_version"]}
    found, notes = gold(desk)
    assert found.version == again["gold_version"]
    assert spans_of(notes) == TRUTH
    decided = desk.rows(
        "select entity, basis from riverside_gold.gold_decision where note_id = 'N3' and gold_version = %s",
        found.version,
    )
    assert decided == [("", "adjudication")]
    # The earlier gold set is still what it was.
    assert desk.rows("select count(*) from riverside_gold.gold_set") == [(2,)]


def test_the_adjudicator_must_choose_one_of_two_that_overlap(desk, no_phi):
    conflicted(desk)
    listed = desk.tasks(C, name="tasks-0001")
    desk.finish(C, lambda note: listed[note.note_id][1], name="tasks-0001")
    with pytest.raises(
        InputError,
        match=rf"{C}, .* sample s1: 1 notes have overlapping spans.*done: note N1: spans 8-24 and 12-24 overlap",
    ) as caught:
        adjudicate_samples(*who(desk))
    no_phi(caught.value)
    # The other note's answer is kept: what one marked alone stands where the adjudicator leaves it.
    (report,) = annotation_status(*who(desk))
    assert report["open"] == {C: 1}


def test_the_status_of_a_sample_says_that_its_folder_is_missing(desk, tmp_path):
    conflicted(desk)
    settings, secrets = who(desk)
    elsewhere = settings.model_copy(update={"work_dir": str(tmp_path / "elsewhere")})
    (report,) = annotation_status(settings, secrets)
    assert "is missing" not in report["waiting_for"]
    (report,) = annotation_status(elsewhere, secrets)
    assert "elsewhere/annotation/s1 is missing: run `deid annotate export`" in report["waiting_for"]
    assert not (tmp_path / "elsewhere").exists()


def test_killed_between_list_and_record_the_list_is_written_again(desk, monkeypatch):
    from deid_tasks.platform.runs import adjudication

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(adjudication, "hand_over", killed)
        with pytest.raises(KeyboardInterrupt):
            conflicted(desk)
    assert set(desk.tasks(C, name="tasks-0001")) == {"N1", "N2"}
    (report,) = adjudicate_samples(*who(desk))
    assert report["handed_over"] == 2
    assert [path.name for path in desk.folder(C).glob("tasks*")] == [f"tasks-0001{desk.suffix()}"]


def test_killed_while_freezing_leaves_no_gold_set(desk, monkeypatch):
    from deid_tasks.platform.runs import gold_sets

    conflicted(desk)
    desk.finish(C, changed(), name="tasks-0001")
    adjudicate_samples(*who(desk))
    settled = gold_sets._adjudicated_note

    def killed(settings, note):
        if note.note_id == "N4":
            raise KeyboardInterrupt
        return settled(settings, note)

    with monkeypatch.context() as patch:
        patch.setattr(gold_sets, "_adjudicated_note", killed)
        with pytest.raises(KeyboardInterrupt):
            freeze_gold_sets(*who(desk))
    for table in ("gold_set", "gold_note", "gold_span"):
        assert desk.rows(f"select count(*) from riverside_gold.{table}") == [(0,)]
    assert freeze_gold_sets(*who(desk))[0]["gold_version"]


def test_killed_while_exporting_the_next_try_writes_both(desk, monkeypatch):
    from deid_tasks.platform.runs import annotation_export

    desk.draw()
    with monkeypatch.context() as patch:
        patch.setattr(annotation_export.shutil, "copyfile", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            export_tasks(*who(desk))
    assert not (desk.folder(B) / f"tasks{desk.suffix()}").exists()
    export_tasks(*who(desk))
    assert desk.tasks(A) == desk.tasks(B)
    assert not list(desk.folder(A).parent.rglob(".tasks*"))


def test_another_format_is_refused_once_work_has_come_back(desk):
    desk.draw()
    export_tasks(*who(desk))
    other = desk.settings.annotation.model_copy(update={"format": "doccano"})
    changed_settings = desk.settings.model_copy(update={"annotation": other})
    export_tasks(changed_settings, desk.secrets)
    assert len(list(desk.folder(A).glob("tasks*"))) == 1
    desk.settings = changed_settings
    desk.finish(A, changed())
    import_annotations(*who(desk))
    back = desk.settings.model_copy(update={"annotation": other.model_copy(update={"format": "brat"})})
    with pytest.raises(InputError, match="was written with other annotation settings"):
        export_tasks(back, desk.secrets)


def test_every_design_has_its_own_sample(desk):
    desk.draw("s1", "random", NOTES[:3])
    desk.draw("s2", "stratified", NOTES[2:])
    desk.draw("s3", "disagreement", NOTES[1:2])
    assert {report["design"] for report in export_tasks(*who(desk))} == {"random", "stratified", "disagreement"}
    for version in ("s1", "s2", "s3"):
        for person in (A, B):
            desk.finish(person, changed(), version=version)
    import_annotations(*who(desk), ["s2"])
    reports = {report["design"]: report for report in freeze_gold_sets(*who(desk))}
    assert reports["stratified"]["gold_version"]
    assert reports["random"]["gold_version"] == ""
    import_annotations(*who(desk))
    freeze_gold_sets(*who(desk))
    # N3 is in two samples; the gold sets are three.
    assert len({gold(desk, design)[0].version for design in ("random", "stratified", "disagreement")}) == 3


def test_without_a_sample_the_error_says_what_to_run(desk):
    with pytest.raises(InputError, match="run sample__riverside"):
        export_tasks(*who(desk))
    desk.draw()
    with pytest.raises(InputError, match="no sample s9"):
        freeze_gold_sets(*who(desk), ["s9"])


def test_two_people_in_one_folder_are_refused(desk):
    from dataclasses import replace

    from deid_tasks.evidence.annotation.formats import FORMATS

    desk.draw()
    export_tasks(*who(desk))
    chosen = FORMATS[desk.settings.annotation.format]
    note = next(iter(chosen.read_tasks(desk.folder(A) / f"tasks{desk.suffix()}")))
    twice = [replace(note, annotator=person) for person in ("ana", "ben")]
    chosen.write(twice, desk.folder(A) / "done" / f"tasks{desk.suffix()}", annotated=True)
    with pytest.raises(InputError, match="note N1 was marked by two people"):
        import_annotations(*who(desk))
