"""Titles and units of age, in spans or out of them."""

import pytest

from deid_tasks.engine.obfuscate.policy.span_extent import with_extent
from tests.support.markup import read_markup


@pytest.mark.parametrize(
    ("marked", "extent", "expected"),
    [
        ("[PROVIDER:Dr. Okafor]", "out", ["Okafor"]),
        ("[PROVIDER:Dr. Ann Okafor, MD, PhD]", "out", ["Ann Okafor"]),
        ("Seen by Dr. [PROVIDER:Okafor], M.D.", "in", ["Dr. Okafor, M.D."]),
        ("Mr. and Mrs. [PATIENT:Lee]", "in", ["Mrs. Lee"]),
        ("[PROVIDER:Lee] Dr. [PROVIDER:Wu]", "in", ["Lee", "Dr. Wu"]),
        ("[PROVIDER:Dr.]", "out", ["Dr."]),
        ("[PATIENT:Sister]", "out", ["Sister"]),
        ("[PATIENT:Drew Lee]", "out", ["Drew Lee"]),
        ("a [AGE:54-year-old] man", "out", ["54"]),
        ("a [AGE:54] year old man", "in", ["54 year old"]),
        ("a [AGE:54]-year-old man", "in", ["54-year-old"]),
        ("[AGE:6 months] old", "out", ["6"]),
        ("[AGE:54yo] man", "out", ["54"]),
        ("[AGE:54]yo man", "in", ["54yo"]),
        ("[AGE:54] yearning", "in", ["54"]),
        ("[FACILITY:Dr. Lee Clinic]", "out", ["Dr. Lee Clinic"]),
    ],
)
def test_extents(marked, extent, expected):
    text, spans = read_markup(marked)
    assert [text[one.start : one.end] for one in with_extent(text, spans, extent, extent)] == expected


def test_spans_as_found_are_left_alone():
    text, spans = read_markup("Dr. [PROVIDER:Okafor] saw a [AGE:54]-year-old")
    assert with_extent(text, spans, "found", "found") == spans
