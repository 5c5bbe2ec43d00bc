from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation import ALL, ERRORS, AgreementTable, AgreementTally


def spans(*given):
    return [Span(start, end, Entity(entity)) for start, end, entity in given]


TEXT = "Seen by Dr. Okafor in Lowell, MA on 3/14."
#       0123456789012345678901234567890123456789


def test_words_are_those_of_the_headline_score():
    tally = AgreementTally()
    tally.add(
        TEXT,
        spans((8, 18, "PROVIDER"), (22, 28, "CITY"), (36, 40, "DATE")),
        spans((12, 18, "PROVIDER"), (22, 28, "STATE"), (30, 32, "STATE"), (36, 40, "DATE")),
        "P1",
    )
    # Seen by | Dr (first) | Okafor (both) | in | Lowell (both) | MA (second) | on | 3 14 (both)
    assert tally.table() == AgreementTable(both=4, first=1, second=1, neither=4)
    rows = {kappa.name: kappa.table for kappa in tally.kappas()}
    assert list(rows) == [
        ALL, "category:NAME", "category:LOCATION", "category:DATE", "PROVIDER", "CITY", "STATE", "DATE",
    ]  # fmt: skip
    assert rows["PROVIDER"] == AgreementTable(1, 1, 0, 8)
    assert rows["CITY"] == AgreementTable(0, 1, 0, 9)
    assert rows["STATE"] == AgreementTable(0, 0, 2, 8)
    assert rows["category:LOCATION"] == AgreementTable(1, 0, 1, 8)
    assert rows["DATE"].kappa == 1.0
    assert (tally.notes, tally.notes_alike) == (1, 0)


def test_errors_alone_are_the_words_where_the_engine_and_an_annotator_differ():
    tally = AgreementTally()
    truth = spans((12, 18, "PROVIDER"), (22, 28, "CITY"))
    # The engine misses Okafor, takes Lowell for a facility, and marks "Seen" and MA; the second annotator marks MA too.
    engine = spans((0, 4, "PATIENT"), (22, 28, "FACILITY"), (30, 32, "STATE"))
    tally.add(TEXT, truth, [*truth, *spans((30, 32, "STATE"))], "P1", engine)
    rows = {kappa.name: kappa.table for kappa in tally.kappas()}
    # Both say that Okafor was missed, and that Seen is no name; they do not agree on MA.
    assert rows[ERRORS] == AgreementTable(both=1, first=0, second=1, neither=1)


def test_notes_alike_whatever_the_order_and_the_detector():
    tally = AgreementTally()
    first = spans((8, 18, "PROVIDER"), (22, 28, "CITY"))
    second = [Span(s.start, s.end, s.entity, "doccano", 0.5) for s in reversed(first)]
    tally.add(TEXT, first, second, "P1")
    assert tally.notes_alike == 1
    assert tally.table().kappa == 1.0
