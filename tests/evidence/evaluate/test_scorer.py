"""Every view against counts made by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity, Group
from deid_tasks.core.span import Span
from deid_tasks.engine.text.word_labels import split_words
from deid_tasks.evidence.evaluate import ALL, Counts, Scorer
from deid_tasks.evidence.evaluate.intervals import exact_interval
from deid_tasks.evidence.evaluate.span_views import ANY, BOUNDS, OVERLAP, PARTIAL, RELAXED, SPAN_VIEWS, STRICT
from tests.support.markup import both

GOLD = "Seen by Dr. [PROVIDER:Maria Okafor-Lee] on [DATE:3/14/2021], Graves disease."


def score(*notes: tuple[str, str], group: Group = Group.C, **more):
    scorer = Scorer(group, resamples=100, **more)
    for number, (gold, predicted) in enumerate(notes):
        scorer.add(*both(gold, predicted), f"patient {number}", "Progress", "2024")
    return scorer.finish()


@pytest.mark.parametrize(
    ("predicted", "counts"),
    [
        (GOLD, (6, 0, 0)),
        ("Seen by Dr. Maria Okafor-Lee on 3/14/2021, Graves disease.", (0, 0, 6)),
        ("Seen by Dr. [PATIENT:Maria] Okafor-Lee on [DATE:3/14/2021], [PATIENT:Graves] disease.", (4, 1, 2)),
        ("Seen by Dr. M[PROVIDER:aria] Okafor-Lee on [DATE:3/14/2021], Graves disease.", (4, 0, 2)),
    ],
)
def test_a_word_is_found_when_any_of_it_is_marked_as_anything(predicted, counts):
    text, gold, found = both(GOLD, predicted)
    assert Scorer().add(text, gold, found, "p") == Counts(*counts)


VIEWS = [
    # gold, predicted, view, (true positives, false positives, false negatives)
    ("[CITY:Lee] saw [DATE:May 3]", "[PATIENT:Lee] saw [DATE:May 3]", "word", (3, 0, 0)),
    ("[CITY:Lee] saw [DATE:May 3]", "[PATIENT:Lee] saw [DATE:May 3]", "word:category", (2, 1, 1)),
    ("[CITY:Lee] saw", "[STATE:Lee] saw", "word:category", (1, 0, 0)),
    ("[CITY:Lee] saw", "[STATE:Lee] saw", "word:type", (0, 1, 1)),
    ("on [DATE:3/14/2021], ok", "on 3/[DATE:14]/2021, ok", "word", (1, 0, 2)),
    ("on [DATE:3/14/2021], ok", "on 3/[DATE:14]/2021, ok", "word/space", (1, 0, 0)),
    ("on [DATE:3/14/2021], ok", "on 3/[DATE:14]/2021, ok", "word/treebank", (1, 0, 0)),
    ("call [PHONE:(555) 123-4567]", "call ([PHONE:555) 123-4567]", "word/treebank", (3, 0, 1)),
    ("call [PHONE:(555) 123-4567]", "call ([PHONE:555) 123-4567]", "word/treebank+relaxed", (2, 0, 0)),
    ("[PATIENT:Ann] - Lee", "[PATIENT:Ann -] Lee", "word/space", (1, 1, 0)),
    ("[PATIENT:Ann] - Lee", "[PATIENT:Ann -] Lee", "word/space+relaxed", (1, 0, 0)),
    ("[PATIENT:Ann Lee] here", "[PATIENT:Ann Lee] here", STRICT, (1, 0, 0)),
    ("[PATIENT:Ann Lee] here", "[PROVIDER:Ann Lee] here", STRICT, (0, 1, 1)),
    ("[PATIENT:Ann Lee] here", "[PATIENT:Ann] Lee here", STRICT, (0, 1, 1)),
    ("call [PHONE:(555) 123-4567].", "call ([PHONE:555) 123-4567.]", STRICT, (0, 1, 1)),
    ("call [PHONE:(555) 123-4567].", "call ([PHONE:555) 123-4567.]", RELAXED, (1, 0, 0)),
    ("call [PHONE:(555) 123-4567].", "call ([FAX:555) 123-4567.]", RELAXED, (0, 1, 1)),
    ("call [PHONE:(555) 123-4567].", "call ([FAX:555) 123-4567.]", BOUNDS, (1, 0, 0)),
    ("call [PHONE:(555) 123-4567].", "call [PHONE:(555)] 123-4567.", BOUNDS, (0, 1, 1)),
    ("[ZIP:--] and [DATE:...]", "[ZIP:--] and ...", RELAXED, (1, 0, 1)),
    ("at [FACILITY:Boston Children's Hospital]", "at Boston [FACILITY:Children's Hospital]", OVERLAP, (1, 0, 0)),
    ("at [FACILITY:Boston Children's Hospital]", "at [CITY:Boston] Children's Hospital", OVERLAP, (0, 0, 1)),
    ("at [FACILITY:Boston Children's Hospital]", "at [CITY:Boston] Children's Hospital", ANY, (1, 0, 0)),
    ("[PATIENT:Ann] and [PATIENT:Lee]", "[PATIENT:Ann and Lee]", ANY, (2, 0, 0)),
    ("[PATIENT:Ann Lee]", "[PATIENT:Ann] [PATIENT:Lee]", OVERLAP, (1, 0, 0)),
]


@pytest.mark.parametrize(("gold", "predicted", "view", "counts"), VIEWS)
def test_views(gold, predicted, view, counts):
    figure = score((gold, predicted)).find(view)
    found, wrong, missed = counts
    assert (figure.counts.true_positives, figure.counts.false_positives, figure.counts.false_negatives) == (
        found,
        wrong,
        missed,
    )


def test_partial_overlap_counts_half():
    evaluation = score(("[PATIENT:Ann Lee] on [DATE:May 3]", "[PATIENT:Ann] Lee on [DATE:May 3]"))
    assert evaluation.find(PARTIAL).value == 0.75
    assert evaluation.find(PARTIAL, metric="precision").value == 0.75
    assert evaluation.find(PARTIAL, entity="PATIENT").value == 0.5


@pytest.mark.parametrize(
    ("group", "counts"),
    [(Group.A, (1, 1, 1)), (Group.B, (2, 1, 1)), (Group.C, (2, 1, 2))],
)
def test_entities_outside_the_group_count_on_neither_side(group, counts):
    gold = "[PATIENT:Ann] and [DATE:May], Dr. [PROVIDER:Lee] at [FACILITY:Mercy], a house"
    predicted = "[PATIENT:Ann] and May, Dr. [PROVIDER:Lee] at Mercy, a [CITY:house]"
    for evaluation, stratum in (
        (score((gold, predicted), group=group), ""),
        (score((gold, predicted)), f"group={group}"),
    ):
        figure = evaluation.find(stratum=stratum)
        assert (figure.counts.true_positives, figure.counts.false_positives, figure.counts.false_negatives) == counts


def test_what_is_taken_for_what():
    evaluation = score(
        ("[CITY:Lee] saw Dr. [PROVIDER:Wu] on [DATE:May 3]", "[STATE:Lee] [DATE:saw] Dr. [PATIENT:Wu] on [DATE:May] 3")
    )
    plain = {("", ""): 2}
    assert evaluation.confusion("word") == plain | {("ALL", "ALL"): 3, ("ALL", ""): 1, ("", "ALL"): 1}
    assert evaluation.confusion("word:category") == plain | {
        ("LOCATION", "LOCATION"): 1,
        ("NAME", "NAME"): 1,
        ("DATE", "DATE"): 1,
        ("DATE", ""): 1,
        ("", "DATE"): 1,
    }
    assert evaluation.confusion("word:type") == plain | {
        ("CITY", "STATE"): 1,
        ("PROVIDER", "PATIENT"): 1,
        ("DATE", "DATE"): 1,
        ("DATE", ""): 1,
        ("", "DATE"): 1,
    }
    assert evaluation.document()["confusions"][0] == {"view": "word", "gold": "", "predicted": "", "words": 2}


def test_words_the_group_leaves_out_are_not_confused():
    gold = "[PATIENT:Ann] of [PROVIDER:Lee] at [FACILITY:Mercy], a house"
    evaluation = score((gold, "[PROVIDER:Ann] of [PATIENT:Lee] at Mercy, a [STATE:house]"), group=Group.A)
    assert evaluation.confusion("word") == {("ALL", "ALL"): 1, ("", ""): 4}
    assert evaluation.confusion("word:type") == {("PATIENT", ""): 1, ("", ""): 4}


def test_a_span_on_what_the_group_leaves_out_is_not_wrong():
    evaluation = score(("Dr. [PROVIDER:Lee] saw", "Dr. [PATIENT:Lee] saw"), group=Group.A)
    for view in (*SPAN_VIEWS, "word", "word:type"):
        assert evaluation.find(view, metric="precision").counts == Counts(), view


def test_figures_by_entity_category_and_stratum():
    evaluation = score((GOLD, GOLD.replace("[DATE:3/14/2021]", "3/14/2021")))
    assert evaluation.recall == 0.5
    assert evaluation.find(entity="PROVIDER").value == 1.0
    assert evaluation.find(entity="category:NAME").value == 1.0
    assert evaluation.find(entity="DATE").value == evaluation.find(entity="category:DATE").value == 0.0
    assert evaluation.find("word:category", entity="NAME").value == 1.0
    assert evaluation.find(stratum="note_type=Progress").counts == Counts(3, 0, 3)
    assert [f.stratum for f in evaluation.strata("period")] == ["period=2024"]


def test_notes_with_nothing_missed_and_words_marked_beyond_need():
    wrong = GOLD.replace("Graves", "[PATIENT:Graves]")
    evaluation = score((GOLD, wrong), (GOLD, GOLD.replace("[DATE:3/14/2021]", "3/14/2021")), ("fine", "fine"))
    full = evaluation.find(metric="full")
    assert (full.value, evaluation.full_notes) == (pytest.approx(2 / 3), 2)
    # Five plain words in each of the long notes and one in the short one.
    assert evaluation.find(metric="over_redaction").value == pytest.approx(1_000 / 13)
    assert full.exact_lower < full.value


def test_bounds_of_a_stratum_are_the_wider_of_both():
    scorer = Scorer(resamples=200)
    for patient in range(40):
        # One patient in four has everything missed: words of one patient are not independent.
        text, gold, found = both("[PATIENT:Ann Lee Wu Bo] here", "[PATIENT:Ann Lee Wu Bo] here")
        scorer.add(text, gold, found if patient % 4 else [], str(patient), "Letter")
    scorer.add(*both("[DATE:May 3]", "[DATE:May 3]"), "alone", "Nursing")
    evaluation = scorer.finish()
    exact = exact_interval(120, 160, 0.95)
    letter = evaluation.find(stratum="note_type=Letter")
    assert letter.counts == Counts(120, 0, 40)
    assert letter.lower < exact.lower - 0.03
    assert letter.upper > exact.upper + 0.03
    # Every resample of a single patient is the same.
    nursing = evaluation.find(stratum="note_type=Nursing")
    assert (nursing.lower, nursing.upper) == (exact_interval(2, 2, 0.95).lower, 1.0)
    assert nursing.exact_lower == pytest.approx(0.05**0.5)


def test_the_difference_of_two_scorers_is_resampled_together():
    full = Scorer(resamples=200)
    worse = full.fresh()
    for patient in range(30):
        text, gold, found = both(GOLD, GOLD)
        full.add(text, gold, found if patient % 3 else [], str(patient))
        worse.add(text, gold, found[:1] if patient % 3 else [], str(patient))
    change = worse.difference(full, "recall")
    assert worse.finish().recall - full.finish().recall == pytest.approx(-1 / 3)
    assert change.lower < -1 / 3 < change.upper < 0
    # What the hard third of the patients costs, it costs both; alone, each is far less certain.
    alone = full.finish().find()
    assert change.upper - change.lower < (alone.upper - alone.lower) * 0.6
    same = full.difference(full, "precision")
    assert same.lower == same.upper == 0.0
    worse.add(*both("x", "x"), "another")
    with pytest.raises(ValueError, match="different patients"):
        worse.difference(full, "recall")


def test_a_word_under_two_gold_spans_is_counted_once():
    text = "Ann Lee Wu"
    gold = [Span(0, 7, Entity.PATIENT), Span(4, 10, Entity.PROVIDER)]
    evaluation = Scorer(resamples=100)
    assert evaluation.add(text, gold, [Span(4, 10, Entity.PROVIDER)], "p") == Counts(2, 0, 1)
    scores = evaluation.finish()
    # The first span to start names the word; both remain spans of their own.
    assert scores.find(entity="PATIENT").counts == Counts(1, 0, 1)
    assert scores.find(STRICT).counts == Counts(1, 0, 1)
    assert scores.find(ANY).counts == Counts(2, 0, 0)


def test_worst_strata_come_first():
    scorer = Scorer(resamples=100)
    for note_type, predicted in (("good", GOLD), ("bad", GOLD.replace("[DATE:3/14/2021]", "3/14/2021"))):
        scorer.add(*both(GOLD, predicted), "p", note_type)
    assert [f.stratum for f in scorer.finish().strata("note_type")] == ["note_type=bad", "note_type=good"]


@pytest.mark.parametrize("notes", [[], [("", "")], [("plain words", "plain words")]])
def test_where_there_is_nothing_to_find_nothing_is_missed(notes):
    evaluation = score(*notes)
    assert evaluation.recall == evaluation.precision == 1.0
    assert evaluation.recall_lower_bound == 0.0
    assert evaluation.notes == evaluation.full_notes == len(notes)


def test_spans_on_punctuation_alone_touch_no_word():
    assert Scorer().add("a -- b", [Span(2, 4, Entity.DATE)], [], "p") == Counts()


def test_the_gate_bound_lies_below_the_estimate():
    scorer = Scorer()
    for patient in range(30):
        scorer.add(*both(GOLD, GOLD if patient else GOLD.replace("[DATE:3/14/2021]", "3/14/2021")), str(patient))
    evaluation = scorer.finish()
    assert evaluation.recall_lower_bound < evaluation.recall < 1
    figure = evaluation.find()
    assert evaluation.recall_lower_bound <= figure.exact_lower
    assert figure.lower <= figure.value <= figure.upper


def test_a_document_holds_no_text_unless_asked():
    evaluation = score(
        (GOLD, "[PATIENT:Seen] by Dr. Maria Okafor-Lee on [DATE:3/14/2021], Graves disease."), keep_terms=True
    )
    assert "okafor" not in str(evaluation.document()).lower()
    assert "okafor" not in repr(evaluation).lower()
    assert "maria okafor lee" in str(evaluation.document(terms=True)).replace("-", " ")


TEXTS = st.text(alphabet="ab é1-.\n", max_size=60)
SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 8), st.sampled_from(list(Entity))), max_size=5)


def disjoint(spans, length):
    made, end = [], 0
    for start, size, entity in sorted(spans):
        if start >= end and start + size <= length:
            made.append(Span(start, start + size, entity))
            end = start + size
    return made


@settings(max_examples=150)
@given(TEXTS, SPANS, SPANS, st.integers(0, 60))
def test_a_span_on_a_plain_word_never_raises_precision(text, gold, found, where):
    gold, found = disjoint(gold, len(text)), disjoint(found, len(text))
    wrong = Span(where, where + 1, Entity.AGE)
    if where >= len(text) or any(wrong.overlaps(span) for span in (*gold, *found)):
        return
    before, after = Scorer(resamples=100), Scorer(resamples=100)
    before.add(text, gold, found, "p")
    after.add(text, gold, [*found, wrong], "p")
    had, has = before.finish(), after.finish()
    for view in SPAN_VIEWS:
        assert has.find(view, metric="precision").value <= had.find(view, metric="precision").value, view
        assert has.find(view).value == had.find(view).value, view
    # A word may reach from the wrong span into a gold one, and is then rightly marked.
    words = [(a, b) for a, b in split_words(text) if a <= where < b]
    if not any(span.start < b and a < span.end for a, b in words for span in gold):
        assert has.precision <= had.precision
        assert has.recall == had.recall


@settings(max_examples=150)
@given(st.lists(st.tuples(TEXTS, SPANS, SPANS), max_size=4))
def test_properties(notes):
    perfect, scorer, backwards = Scorer(resamples=100), Scorer(resamples=100), Scorer(resamples=100)
    made = [(text, disjoint(gold, len(text)), disjoint(found, len(text))) for text, gold, found in notes]
    for number, (text, gold, found) in enumerate(made):
        perfect.add(text, gold, gold, str(number))
        scorer.add(text, gold, found, str(number), "t", "p")
    for number, (text, gold, found) in reversed(list(enumerate(made))):
        backwards.add(text, gold, found, str(number), "t", "p")
    evaluation = scorer.finish()
    assert all(f.value == 1.0 for f in perfect.finish().figures if f.metric in {"recall", "precision", "f1", "full"})
    assert evaluation == backwards.finish()
    assert all(
        0 <= f.lower <= f.value <= f.upper <= 1
        for f in evaluation.figures
        if f.metric in {"recall", "precision"} and f.entity != ALL
    )
    for metric in ("recall", "precision"):
        strict, loose, bounds, partial, covered, touched = (
            evaluation.find(view, metric=metric).value for view in SPAN_VIEWS
        )
        assert strict <= loose <= bounds <= touched
        assert strict <= partial <= touched
        assert strict <= covered <= touched
        assert (
            evaluation.find("word:type", metric=metric).value <= evaluation.find("word:category", metric=metric).value
        )
        assert evaluation.find("word:category", metric=metric).value <= evaluation.find(metric=metric).value
    totals = {view: sum(evaluation.confusion(view).values()) for view in ("word", "word:category", "word:type")}
    assert set(totals.values()) == {evaluation.words}
    for stratum in ("note_type=t", "period=p"):
        if notes:
            assert evaluation.find(stratum=stratum).counts == evaluation.find().counts
    assert evaluation.find(stratum="group=C").counts == evaluation.find().counts
    for prefix in ("category:", ""):
        parts = [f for f in evaluation.select() if f.entity != ALL and bool(prefix) == (":" in f.entity)]
        assert sum((f.counts for f in parts), Counts()).false_negatives == evaluation.find().counts.false_negatives
    missed = evaluation.errors.missed
    assert sum(m.words for m in missed) == sum(m.words for m in evaluation.errors.missed_categories)
    assert sum(m.words for m in missed) == evaluation.find().counts.false_negatives
    for view in ("word:type", "word:category", *SPAN_VIEWS):
        parts = [f for f in evaluation.select(view) if f.entity != ALL]
        assert sum(f.counts.true_positives + f.counts.false_negatives for f in parts) == sum(
            (evaluation.find(view).counts.true_positives, evaluation.find(view).counts.false_negatives)
        )
