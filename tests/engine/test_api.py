"""The Python API: five lines, typed results, and no text in any repr."""

import datetime
from typing import Any

import pandas
import pytest

import deid_tasks
from deid_tasks.core.errors import InputError, SettingsError
from deid_tasks.core.notes import Outcome, Reason
from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.engine.api import DeidentifiedNote, Engine
from deid_tasks.settings import EngineSettings

KEY = bytes(range(32))
TEXT = "Seen by Dr. Okafor on 3/14/2021. MRN: 1234567. Bruce protocol."
RULES = EngineSettings.public().model_copy(
    update={"detect": EngineSettings.public().detect.model_copy(update={"detectors": ("patterns", "patient")})}
)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.from_settings(RULES, KEY)


def test_the_five_lines() -> None:
    engine = deid_tasks.Engine.public(key=KEY)
    [note] = engine.deidentify([TEXT], patient_ids=["p1"], note_datetimes=[datetime.datetime(2021, 3, 14)])
    assert note.outcome is Outcome.PUBLISHED
    assert note.text is not None
    assert "Okafor" not in note.text
    assert "Bruce protocol" in note.text
    assert [note.text[a:b] for a, b in note.replacements]
    assert {"PROVIDER", "DATE"} <= {span.entity for span in engine.detect(TEXT)}


def test_one_text_gives_one_result_and_several_a_list(engine: Engine) -> None:
    one, many = engine.detect(TEXT), engine.detect([TEXT, "", TEXT])
    assert list(one) == list(many[0]) == list(many[2])
    assert [len(note) for note in many] == [len(one), 0, len(one)]
    assert engine.deidentify(TEXT, patient_ids="p").text == engine.deidentify([TEXT], patient_ids=["p"])[0].text
    assert engine.deidentify(TEXT, note_datetimes=datetime.datetime(2021, 3, 14)).text
    assert engine.detect([]) == []


def test_a_patient_has_the_same_surrogates_in_every_note_and_process(engine: Engine) -> None:
    first = engine.deidentify([TEXT, TEXT, TEXT], patient_ids=["a", "a", "b"])
    again = Engine.from_settings(RULES, "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=").deidentify(
        TEXT, patient_ids="a"
    )
    assert first[0].text == first[1].text == again.text != first[2].text


def test_what_is_known_of_a_patient_is_used(engine: Engine) -> None:
    record = PatientRecord("p1", terms=(PatientTerm(TermKind.LAST, "quillfeather"),))
    text = "quillfeather slept well"
    assert not len(engine.detect(text, patient_ids="p1"))
    assert len(engine.detect(text, patient_ids="p1", patients={"p1": record})) == 1
    assert [one.span.detector for one in engine.explain(text, patient=record)] == ["patient"]


def test_a_bad_text_costs_that_note_only(engine: Engine) -> None:
    good, bad, also_good = engine.deidentify([TEXT, "a\ud800b", TEXT])
    assert (good.outcome, also_good.outcome) == (Outcome.PUBLISHED, Outcome.PUBLISHED)
    assert (bad.is_quarantined, bad.reason, bad.text, bad.spans) == (True, Reason.NOT_TEXT, None, ())


def test_an_explanation_names_detectors_and_what_became_of_each_span(engine: Engine) -> None:
    explanation = engine.explain(TEXT)
    marked = {TEXT[one.span.start : one.span.end]: one for one in explanation}
    assert marked["Okafor"].status == "marked"
    assert {found.detector for found in marked["Okafor"].found_by} == {"patterns"}
    table = explanation.table()
    assert "Okafor" in table
    assert "PROVIDER" in table


def test_a_policy_leaves_what_is_no_identifier_and_explains_why() -> None:
    strict = Engine.from_settings(RULES.with_policy("safe-harbor"), KEY)
    text = "Aged 54, stroke in 2019, seen on 3/14/2021 in Dayton, OH 45402."
    found = strict.detect(text)
    assert len(found.forms) == len(found)
    assert {text[one.start : one.end] for one in found} >= {"3/14/2021", "45402"}
    assert not {text[one.start : one.end] for one in found} & {"2019", "OH", "54"}
    rewritten = strict.deidentify(text, note_datetimes=datetime.datetime(2021, 3, 14)).text
    assert rewritten is not None
    assert "in 2019" in rewritten
    assert ", OH 454" in rewritten
    assert "3/14/2021" not in rewritten
    rows = {row["text"]: row for row in strict.explain(text).rows()}
    assert (rows["2019"]["form"], rows["2019"]["surrogate"]) == ("year", None)
    assert rows["2019"]["policy"] == "keep (164.514(b)(2)(i)(C): except year)"
    assert rows["3/14/2021"]["policy"] == "surrogate (164.514(b)(2)(i)(C))"
    with pytest.raises(SettingsError, match="policy 'none' is not known"):
        Engine.public(policy="none")


def test_recovered_terms_are_explained() -> None:
    engine = Engine.public()
    statuses = {one.status for one in engine.explain("Patient walked the Bruce protocol with Dr. Okafor.")}
    assert "marked" in statuses
    assert statuses <= {"marked", "recovered", "dropped"}


def test_no_repr_shows_text(engine: Engine) -> None:
    shown = repr(engine.deidentify(TEXT)) + repr(engine.detect(TEXT)) + repr(engine.explain(TEXT)) + repr(engine)
    surrogate = engine.deidentify(TEXT)
    assert isinstance(surrogate, DeidentifiedNote)
    assert "Okafor" not in shown
    assert "1234567" not in shown
    assert str(surrogate.text)[12:18] not in shown


def test_an_engine_without_a_key_detects_only() -> None:
    engine = Engine.from_settings(RULES)
    assert len(engine.detect(TEXT))
    with pytest.raises(SettingsError, match=r"give the engine a key of 32 bytes"):
        engine.deidentify(TEXT)


@pytest.mark.parametrize("key", [b"short", "c2hvcnQ=", "not base64!"])
def test_a_bad_key_is_refused(key: bytes | str) -> None:
    with pytest.raises(SettingsError, match="key") as raised:
        Engine.from_settings(RULES, key)
    assert "short" not in str(raised.value)


def test_a_settings_file_is_enough(tmp_path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("detect: {detectors: [patterns]}\npolicy: {group: A}\n")
    engine = Engine.load(file, key=KEY)
    note = engine.deidentify(TEXT)
    assert "Okafor" in str(note.text), "group A leaves clinicians"
    assert "3/14/2021" not in str(note.text)


def test_values_that_do_not_match_the_texts_are_refused(engine: Engine) -> None:
    with pytest.raises(InputError, match="patient_ids ends at note 1"):
        engine.detect([TEXT, TEXT], patient_ids=["a"])
    with pytest.raises(InputError, match="patient_ids must be a list of ids, one a note, not str"):
        engine.detect([TEXT, TEXT], patient_ids="ab")  # type: ignore[call-overload]
    with pytest.raises(InputError, match="patient_ids has more values than there are texts"):
        engine.detect([TEXT], patient_ids=["a", "b"])
    with pytest.raises(InputError, match="note_datetimes has more values than there are texts"):
        engine.deidentify(TEXT, note_datetimes=["2021-03-14", "2021-03-15"])  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("texts", "more", "message"),
    [
        (None, {}, "texts must be a list of strings, not None"),
        ({"a": TEXT}, {}, "texts must be a list of strings, not dict"),
        ([TEXT, 5], {}, "texts: note 1 must be a string, not int"),
        ([TEXT], {"patient_ids": [True]}, "patient_ids: that of note 0 must be a string, an int or None, not bool"),
        ([TEXT], {"note_datetimes": ["Marigold"]}, "note_datetimes: the string of note 0 is not an ISO 8601 date"),
        ([TEXT], {"note_datetimes": [5]}, "note_datetimes: that of note 0 must be a datetime, .* not int"),
        ([TEXT], {"note_datetimes": [pandas.NaT]}, "note_datetimes: that of note 0 must be a datetime, .* not NaTType"),
        ([TEXT], {"patients": [5]}, "patients must be a mapping of ids to PatientRecord, not list"),
        ([TEXT], {"patients": {"Marigold": {}}}, "patients must map strings to PatientRecord, not str to dict"),
        ([TEXT], {"note_datetimes": {"a": None}}, "note_datetimes must be a list of moments, one a note, not dict"),
    ],
)
def test_an_argument_of_another_type_is_named(engine: Engine, texts: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        engine.deidentify(texts, **more)
    assert "Marigold" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        (TEXT.encode(), {}, "text must be a string, not bytes"),
        ([TEXT], {}, "text must be a string, not list"),
        (TEXT, {"word": 5}, "word must be a string or None, not int"),
        (TEXT, {"patient": "Marigold"}, "patient must be a PatientRecord or None, not str"),
    ],
)
def test_an_argument_of_an_explanation_is_named(engine: Engine, text: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        engine.explain(text, **more)


def test_a_key_of_another_type_is_named() -> None:
    with pytest.raises(InputError, match="key must be bytes, a string of base64 or None, not int"):
        Engine.from_settings(RULES, 5)  # type: ignore[arg-type]


def test_ids_may_be_numbers_and_moments_strings(engine: Engine) -> None:
    moment = datetime.datetime(2021, 3, 15, 23, 30)
    expected = engine.deidentify(["Seen on 3/14."], patient_ids=["7"], note_datetimes=[moment])
    zone = datetime.timezone(datetime.timedelta(hours=-5))
    for given in (
        "2021-03-15T23:30",
        "2021-03-15T23:30-05:00",
        datetime.date(2021, 3, 15),
        moment.replace(tzinfo=zone),
    ):
        assert engine.deidentify(["Seen on 3/14."], patient_ids=[7], note_datetimes=[given]) == expected
        assert engine.deidentify("Seen on 3/14.", patient_ids=7, note_datetimes=given) == expected[0]


def test_no_text_is_rewritten_under_the_policy_of_a_corpus() -> None:
    engine = Engine.from_settings(RULES.with_policy("i2b2-2014"), KEY)
    with pytest.raises(SettingsError, match="i2b2-2014 is what a corpus marks, for scores"):
        engine.deidentify(TEXT)
    assert len(engine.detect(TEXT))
    assert engine.explain(TEXT).rows()
