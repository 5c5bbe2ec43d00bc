"""Windows over long texts."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.comparison.llm.windows import text_windows


@given(st.text(alphabet="ab \n", max_size=900), st.integers(20, 300), st.integers(0, 10))
def test_windows_cover_the_text_and_overlap(text, size, overlap):
    windows = list(text_windows(text, size, overlap))
    assert all(0 < end - start <= size for start, end in windows)
    covered = {position for start, end in windows for position in range(start, end)}
    assert covered == set(range(len(text)))
    assert all(after[0] <= before[1] - overlap for before, after in pairwise(windows))


def test_a_window_ends_at_a_line_break_where_there_is_one():
    text = "line one\n" * 50
    assert all(text[end - 1] == "\n" for _, end in text_windows(text, 100, 10))
