"""What holds for every span: drawn at random, and checked against the text it came from."""

import re

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from deid_tasks.core.entities import GROUP_ENTITIES, Entity, Group
from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.core.reference import fold, read_tsv
from deid_tasks.core.span import Span
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.check_digits import is_npi, luhn_check_digit, vin_check_character
from tests.support.surrogate_cases import MARIA, WRITTEN_AT, obfuscator

ENTITIES = st.sampled_from(list(Entity))
NUMBERS = (
    Entity.SSN,
    Entity.MRN,
    Entity.HEALTH_PLAN,
    Entity.ACCOUNT,
    Entity.LICENSE,
    Entity.VEHICLE,
    Entity.DEVICE,
    Entity.BIOMETRIC,
    Entity.OTHER_ID,
    Entity.PHONE,
    Entity.FAX,
    Entity.PAGER,
)
NEIGHBOURLY = frozenset(
    [
        *(Entity.CITY, Entity.STATE, Entity.ZIP, Entity.STREET, Entity.PHONE, Entity.FAX, Entity.PAGER),
        *(Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE, Entity.FACILITY, Entity.ORGANIZATION),
        *(Entity.DATE, Entity.AGE, Entity.PROFESSION, Entity.COUNTRY, Entity.LOCATION_OTHER, Entity.URL),
    ]
)
"""What depends on the words or the spans beside it."""
SURNAMES = [row["surname"] for row in read_tsv("surnames.tsv")]
GIVEN = [row["given_name"] for row in read_tsv("given_names.tsv")]
PLACES = [(row["city"], row["state"], row["zip"]) for row in read_tsv("places.tsv")]
MAKER = obfuscator()


def made_of(value, entity, patient=MARIA, maker=MAKER):
    document = Document("n", value, patient.patient_id if patient else None)
    return maker.obfuscate(document, [Span(0, len(value), entity)], patient, WRITTEN_AT).text


def shape(value):
    return re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", re.sub(r"\d", "0", value)))


@st.composite
def marked_notes(draw, least=0, entities=ENTITIES):
    pieces = draw(
        st.lists(st.tuples(st.text(max_size=8), st.text(min_size=1, max_size=16), entities), min_size=least, max_size=6)
    )
    text, spans = "", []
    for between, value, entity in pieces:
        text += between
        spans.append(Span(len(text), len(text) + len(value), entity))
        text += value
    return text + draw(st.text(max_size=5)), spans


@settings(max_examples=400)
@given(marked_notes(), st.booleans())
def test_everything_between_spans_stays_and_ranges_are_exact(note, is_known):
    text, spans = note
    record = MARIA if is_known else None
    made = MAKER.obfuscate(Document("n", text, "p1"), spans, record, WRITTEN_AT)
    assert made == obfuscator().obfuscate(Document("other", text, "p1"), spans, record, WRITTEN_AT)
    assert len(made.originals) == len(made.replaced) == len(made.entities)
    restored, here, there = "", 0, 0
    for (start, end), (begin, stop) in zip(made.originals, made.replaced, strict=True):
        assert made.text[there:begin] == text[here:start]
        assert made.text[begin:stop] != text[start:end]
        restored += made.text[there:begin] + text[start:end]
        here, there = end, stop
    assert made.text[there:] == text[here:]
    assert restored + made.text[there:] == text


@settings(max_examples=150)
@given(marked_notes(least=2, entities=st.sampled_from(sorted(set(Entity) - NEIGHBOURLY))))
def test_no_span_depends_on_the_spans_before_it(note):
    text, spans = note
    whole = MAKER.obfuscate(Document("n", text, "p1"), spans, MARIA, WRITTEN_AT).text
    position, made = 0, []
    for span in spans:
        made += (text[position : span.start], made_of(text[span.start : span.end], span.entity))
        position = span.end
    assert "".join((*made, text[position:])) == whole


@given(st.integers(0, 20), st.integers(1, 20), st.integers(0, 20), st.integers(1, 20), ENTITIES, ENTITIES)
def test_overlapping_spans_are_refused(start, length, gap, other_length, entity, other):
    second = start + min(gap, length - 1)
    spans = [Span(start, start + length, entity), Span(second, second + other_length, other)]
    with pytest.raises(ValueError, match="span"):
        MAKER.obfuscate(Document("n", "x" * 80, "p1"), spans, MARIA, WRITTEN_AT)


@pytest.mark.parametrize("group", list(Group))
@pytest.mark.parametrize("entity", list(Entity))
def test_groups_and_keep(group, entity):
    value = {Entity.AGE: "97", Entity.DATE: "3/14/2021", Entity.TIME: "08:35"}.get(entity, "Lund 4471")
    is_transformed = entity in GROUP_ENTITIES[group]
    assert (made_of(value, entity, maker=obfuscator(group=group, keep=())) != value) == is_transformed
    assert made_of(value, entity, maker=obfuscator(group=group, keep=(entity,))) == value


@given(st.integers(0, 200), st.sampled_from(["{}", "{}-year-old", "{} y.o.", "{}yo", "age {}", "{}F"]))
def test_ages_up_to_the_limit_stay_and_others_go(age, form):
    value = form.format(age)
    assert made_of(value, Entity.AGE) == (value if age <= 89 else form.format("89+"))


@given(st.from_regex(r"[A-Z]{0,3}-?[0-9]{1,4}([ .-]?[0-9]{1,4}){0,3}", fullmatch=True), st.sampled_from(NUMBERS))
def test_numbers_keep_their_shape_and_change(value, entity):
    # A public service keeps its number.
    assume(value not in {"911", "988", "411", "211", "311"})
    made = made_of(value, entity)
    assert shape(made) == shape(value)
    assert made != value


@given(st.integers(10**8, 3 * 10**8 - 1))
def test_npis_stay_valid(stem):
    npi = f"{stem}{luhn_check_digit(f'80840{stem}')}"
    made = made_of(npi, Entity.LICENSE)
    assert is_npi(made)
    assert made != npi


@given(st.text("ABCDEFGHJKLMNPRSTUVWXYZ0123456789", min_size=17, max_size=17))
def test_vins_stay_valid(vin):
    vin = vin[:8] + str(vin_check_character(vin[:8] + "0" + vin[9:])) + vin[9:]
    made = made_of(vin, Entity.VEHICLE)
    assert vin_check_character(made) == made[8]
    assert made != vin
    assert not set(made) & set("IOQ")


@given(
    st.sampled_from(GIVEN), st.sampled_from(SURNAMES), st.sampled_from(["p1", "p2", "p3", "p4"]), st.sampled_from("FMU")
)
@example("Adina", "Center", "p1", "F")
def test_a_patients_name_is_one_name_and_never_the_own(first, last, patient, sex):
    # A name that is both, or that a letter turns into the other, can be read as either.
    assume(first[:1] != last[:1] and fold(first) != fold(last) and len(last) > 5 and last.isalpha() and first.isalpha())
    record = PatientRecord(patient, sex, terms=(PatientTerm(TermKind.FIRST, first), PatientTerm(TermKind.LAST, last)))
    new_first, new_last = made_of(f"{first} {last}", Entity.PATIENT, record).split()
    typo = last[:-3] + last[-2] + last[-3] + last[-1]
    for written, expected in {
        f"{last}, {first}": f"{new_last}, {new_first}",
        f"{last}, {first}".upper(): f"{new_last}, {new_first}".upper(),
        f"{first[0]}. {last}": f"{new_first[0]}. {new_last}",
        f"{last}’s": f"{new_last}’s",
        first: new_first,
        typo: new_last,
    }.items():
        if len(first) > 1:
            assert made_of(written, Entity.PATIENT, record) == expected
    own = {fold(first), fold(last)}
    assert not {fold(new_first), fold(new_last)} & own


@given(st.sampled_from(PLACES), st.sampled_from(["p1", "p2", "p3"]), st.sampled_from(["{}, {} {}", "{} {}, {}"]))
@example(("Green Lane", "PA", "18054"), "p1", "{}, {} {}")
def test_city_state_and_zip_agree(place, patient, form):
    text = form.format(*place)
    spans, position = [], 0
    for value, entity in zip(place, (Entity.CITY, Entity.STATE, Entity.ZIP), strict=True):
        position = text.index(value, position)
        spans.append(Span(position, position + len(value), entity))
        position += len(value)
    assume(place[1] in STATES)
    made = MAKER.obfuscate(Document("n", text, patient), spans, None, WRITTEN_AT)
    new = tuple(made.text[start:end] for start, end in made.replaced)
    assert new in KNOWN
    assert new[0] != place[0]
    assert new[1:] != place[1:]


KNOWN = frozenset(PLACES)
STATES = frozenset(state for _, state, _ in PLACES if len(state) == 2) - {
    "PR",
    "VI",
    "GU",
    "AS",
    "MP",
    "AE",
    "AP",
    "AA",
}


@settings(max_examples=300)
@given(
    st.lists(st.tuples(st.sampled_from(list(TermKind)), st.text(max_size=8)), max_size=8),
    st.text(min_size=1, max_size=12),
    ENTITIES,
)
def test_any_record_and_any_text(terms, value, entity):
    record = PatientRecord("p", terms=tuple(PatientTerm(kind, term) for kind, term in terms))
    assert made_of(value, entity, record) == made_of(value, entity, record)


def test_another_patient_gets_other_surrogates():
    for value, entity in (("John Smith", Entity.PATIENT), ("RH1234567", Entity.MRN), ("413-555-1234", Entity.PHONE)):
        made = {made_of(value, entity, PatientRecord(f"p{i}")) for i in range(8)}
        assert len(made) > 6
