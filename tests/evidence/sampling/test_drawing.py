"""Samples drawn in PostgreSQL, from staging tables of this test's own."""

import random
from collections import Counter

import pytest

from deid_tasks.core.errors import SettingsError, WarehouseError
from deid_tasks.platform.runs.sampling import draw_samples
from tests.support.sampling_site import drawn, put, site

OWN = [
    ("N1", "P1", "seen by Dr. QUILLFEATHER.", True),
    ("N2", "P1", "mail thessaly@example.org", True),
    ("N3", "P1", "call 617.555.0199 today", True),
    ("N4", "P1", "lives at 12 Elm Way, Reno", True),
    ("N5", "P2", "fru Åkesson, ok", True),
    ("N6", "P2", "(Lee) ok", True),
    ("N7", "P2", "asleep, bleeding stopped", False),
    ("N8", "P2", "seen by Dr. Quillfeather", False),
    ("N9", None, "Quillfeather", False),
    ("N10", "P3", "nobody", False),
    ("N12", "P1", "", False),
]


def test_a_note_that_holds_its_own_patients_identifiers_is_known(database, ask):
    put(ask, [(note_id, patient, "t", "2024-01-01", text) for note_id, patient, text, _ in OWN])
    draw_samples(*site(database, size=100, random_size=0))
    assert {note_id: holds for note_id, _, holds, _ in drawn(ask, "stratified")} == {
        note_id: holds for note_id, *_, holds in OWN
    }


def test_a_note_without_a_text_and_a_deleted_one_are_not_drawn(database, ask):
    put(
        ask,
        [(note_id, "P1", "t", "2024-01-01", text) for note_id, text in (("N1", "ok"), ("N2", None), ("N3", "gone"))],
    )
    ask("update xx_staging.stg_note set is_deleted = true where note_id = 'N3'")
    stratified, simple = draw_samples(*site(database, size=100, random_size=10))
    assert {row[0] for row in drawn(ask, "stratified") + drawn(ask, "random")} == {"N1"}
    assert (stratified["of_notes"], simple["too_long"]) == (1, 0)


def test_distinct_patients_first_and_among_them_notes_with_their_own_identifiers(database, ask):
    notes = [(f"a{i}", "P1", "t", "2024-01-01", "Quillfeather came" if i % 2 else "plain words") for i in range(6)]
    notes += [(f"b{i}", "P3", "t", "2024-01-01", "plain words") for i in range(4)]
    notes += [("c", None, "t", "2024-01-01", "plain words"), ("d", "P2", "t", "2024-01-01", "plain Lee")]
    put(ask, notes)
    [sample] = draw_samples(*site(database, size=8, min_notes_per_stratum=1, random_size=0))
    assert sample["notes"] == 8
    order = [note_id for note_id, *_ in drawn(ask, "stratified")]
    # Each patient's best note, those with identifiers first; a note of nobody is a patient of its own. Then the second
    # notes.
    assert {order[0][0], order[1][0]} == {"a", "d"}
    assert {order[2][0], order[3][0]} == {"b", "c"}
    assert [note_id[0] for note_id in order[4:6]] == ["a", "b"]
    assert next(note_id for note_id in order if note_id[0] == "a") in {"a1", "a3", "a5"}


def hospital(rng):
    kinds = {"Progress": (600, 300), "Answer": (900, 2), "Rare": (4, 50)}
    notes = [
        (
            f"{kind}{i}",
            f"P{rng.randrange(80)}",
            kind,
            f"20{rng.randrange(10, 24)}-03-05",
            "word " * rng.randint(1, 2 * words),
        )
        for kind, (count, words) in kinds.items()
        for i in range(count)
    ]
    return [(*note[:4], note[4][:990]) for note in notes]


def test_sizes_groups_and_both_designs(database, ask):
    put(ask, [*hospital(random.Random(1)), ("long", "P1", "Progress", "2020-01-01", "x" * 1_001)])
    settings = site(database, size=200, min_notes_per_stratum=10, random_size=150, periods=["2015-01-01"])
    stratified, simple = draw_samples(*settings)
    assert (stratified["design"], simple["design"]) == ("stratified", "random")
    assert (stratified["too_long"], stratified["of_notes"], simple["notes"]) == (1, 1_504, 150)
    found = Counter((row[0].rstrip("0123456789"), row[3]) for row in drawn(ask, "stratified"))
    for group in stratified["groups"]:
        assert found[group["note_type"], group["period"]] == group["drawn"] == group["allotted"]
        assert group["drawn"] >= min(10, group["notes"])
    assert sum(count for (kind, _), count in found.items() if kind == "Progress") > 120
    by_kind = Counter(row[0].rstrip("0123456789") for row in drawn(ask, "random"))
    assert 60 < by_kind["Answer"] < 120
    assert ask("select count(*), count(distinct sample_version) from xx_gold.sample_group") == [
        (2 * len(stratified["groups"]), 2)
    ]
    assert ask("select min(drawn_at) > now() - interval '1 hour', sum(notes) from xx_gold.sample") == [
        (True, stratified["notes"] + 150)
    ]


def test_samples_larger_than_the_warehouse_together_are_warned_of(database, ask, caplog):
    put(ask, [(str(i), f"P{i}", "t", "2024-01-01", "words here") for i in range(10)])
    stratified, simple = draw_samples(*site(database, size=10, random_size=4))
    assert (stratified["notes"], simple["notes"], simple["shared_notes"]) == (10, 4, 4)
    assert "hold 4 notes twice, because the warehouse has only 10" in caplog.text
    caplog.clear()
    (alone,) = draw_samples(*site(database, size=10, random_size=0))
    assert (alone["shared_notes"], "twice" in caplog.text) == (0, False)


def test_the_same_notes_in_any_order_give_the_same_sample_and_change_nothing(database, ask):
    notes = hospital(random.Random(2))
    put(ask, notes)
    settings = site(database, size=100, random_size=50)
    first = draw_samples(*settings)
    before = ask("select * from xx_gold.sample_note order by 1, 2")
    ask("truncate xx_staging.stg_note")
    put(ask, random.Random(3).sample(notes, len(notes)))
    assert draw_samples(*settings) == first
    assert ask("select * from xx_gold.sample_note order by 1, 2") == before
    other = draw_samples(*settings, {"seed": 7})
    assert not {s["sample_version"] for s in other} & {s["sample_version"] for s in first}
    assert ask("select count(*) from xx_gold.sample") == [(4,)]


def test_what_is_returned_holds_nothing_of_a_note(database, ask):
    put(ask, [(note_id, patient, "t", "2024-01-01", text) for note_id, patient, text, _ in OWN])
    message = str(draw_samples(*site(database)))
    assert not [word for word in ("Quill", "N1", "P1", "thessaly", "2024-01-01") if word in message]


def test_an_undated_note_and_an_untyped_one_are_drawn_too(database, ask):
    put(ask, [("u", "P1", None, None, "words here"), ("d", "P1", "t", "2024-01-01", "words here")])
    draw_samples(*site(database, periods=["2020-01-01"]))
    assert {(row[0], row[3]) for row in drawn(ask, "stratified")} == {("u", "undated"), ("d", "from 2020-01-01")}


def test_an_empty_warehouse_and_bad_overrides_are_errors(database, ask):
    with pytest.raises(WarehouseError, match=r"xx_staging\.stg_note has no note"):
        draw_samples(*site(database))
    put(ask, [("d", "P1", "t", "2024-01-01", "words here")])
    with pytest.raises(SettingsError, match="sampling: size"):
        draw_samples(*site(database), {"size": 0})
    assert ask("select count(*) from xx_gold.sample") == [(0,)]


def test_a_text_that_a_view_puts_together_is_made_once_for_the_draw_and_once_for_the_sample(database, ask):
    ask(
        """
        alter table xx_staging.stg_note rename to raw;
        create sequence xx_staging.made;
        create function xx_staging.make(text) returns text language sql stable
            as $$ select $1 from nextval('xx_staging.made') $$;
        create view xx_staging.stg_note as
        select note_id, patient_id, note_type, note_datetime, author_id, xx_staging.make(note_text) as note_text,
            is_deleted
        from xx_staging.raw
        """
    )
    ask(
        "insert into xx_staging.raw select i::text, 'P1', 't', '2024-01-01', 'A1', 'Quillfeather ' || i from generate_series(1, 50) i"
    )
    [sample] = draw_samples(*site(database, size=10, random_size=0))
    assert sample["notes"] == 10
    assert ask("select last_value from xx_staging.made") == [(60,)]


@pytest.mark.parametrize(("text", "is_drawn"), [("é" * 1_000, True), ("é" * 1_001, False), ("x" * 4_001, False)])
def test_length_is_counted_in_characters(database, ask, text, is_drawn):
    put(ask, [("d", "P1", "t", "2024-01-01", "words here"), ("n", "P1", "t", "2024-01-01", text)])
    [sample] = draw_samples(*site(database, random_size=0))
    assert (sample["notes"], sample["too_long"]) == ((2, 0) if is_drawn else (1, 1))


def test_a_draw_that_breaks_off_leaves_nothing(database, ask):
    put(ask, [("d", "P1", "t", "2024-01-01", "words here")])
    ask("alter table xx_gold.sample_note add constraint never check (false)")
    with pytest.raises(WarehouseError) as caught:
        draw_samples(*site(database))
    assert "words here" not in str(caught.value)
    assert ask("select (select count(*) from xx_gold.sample), (select count(*) from xx_gold.sample_group)") == [(0, 0)]
