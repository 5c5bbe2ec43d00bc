"""What is written comes back character for character, offset for offset, whatever the Unicode."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span
from deid_tasks.evidence.annotation.formats import FORMATS, AnnotatedNote, verify_text

WRITTEN = [name for name in FORMATS if name not in {"i2b2-2006", "physionet", "conll"}]
formats = pytest.mark.parametrize("name", WRITTEN)

TEXTS = st.text(
    alphabet=st.one_of(
        st.sampled_from("ab \t\r\n<>&]]>\"'\\|é́中👩‍⚕️\x0c\x00\x1f\x85\u2028\ufffe"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
)
IDS = st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).filter(str.strip)


@st.composite
def notes(draw):
    made = []
    for note_id in draw(st.lists(IDS, max_size=4, unique=True)):
        text = draw(TEXTS)
        cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
        pairs = zip(cuts[::2], cuts[1::2], strict=False)
        spans = tuple(Span(a, b, draw(st.sampled_from(list(Entity)))) for a, b in pairs)
        made.append(AnnotatedNote(note_id, text, spans))
    return made


@formats
@pytest.mark.parametrize("annotated", [True, False])
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(written=notes())
def test_everything_comes_back(name, annotated, written, tmp_path_factory):
    target = tmp_path_factory.mktemp("round") / f"notes{FORMATS[name].suffix}"
    assert FORMATS[name].write(iter(written), target, annotated=annotated) == len(written)
    read = FORMATS[name].read if annotated else FORMATS[name].read_tasks
    back = {note.note_id: note for note in read(target)}
    assert set(back) == {note.note_id for note in written}
    for note in written:
        verify_text(back[note.note_id], note.text)
        assert back[note.note_id].spans == note.spans


@formats
def test_who_and_what_kind_come_back_where_the_format_keeps_them(name, tmp_path):
    target = tmp_path / f"notes{FORMATS[name].suffix}"
    FORMATS[name].write(
        [AnnotatedNote("n/1", "Ann", (), note_type="Progress Note", annotator="annotator_a")], target, annotated=True
    )
    [note] = FORMATS[name].read(target)
    if name != "brat":
        assert (note.note_type, note.annotator) == ("Progress Note", "annotator_a")


@formats
def test_files_are_for_their_owner_alone(name, tmp_path):
    target = tmp_path / f"notes{FORMATS[name].suffix}"
    FORMATS[name].write([AnnotatedNote("1", "Ann Lee", (Span(0, 3, Entity.PATIENT),))], target, annotated=True)
    files = [target] if target.is_file() else list(target.rglob("*.*"))
    assert files
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)


def test_a_changed_text_is_refused_with_its_first_offset_and_without_itself():
    with pytest.raises(InputError, match="note n1: its text was changed at offset 6") as caught:
        verify_text(AnnotatedNote("n1", "Ann Les"), "Ann Lee")
    assert "Lee" not in str(caught.value)
    with pytest.raises(InputError, match="offset 3"):
        verify_text(AnnotatedNote("n1", "Ann"), "Ann Lee")


def test_a_note_shows_no_text():
    assert "Lee" not in repr(AnnotatedNote("n1", "Dr. Lee", patient_id="Lee"))
