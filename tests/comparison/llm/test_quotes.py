"""Offsets of quotes."""

import pytest

from deid_tasks.comparison.llm.quotes import align_quotes


def found(text, *quotes, min_similarity=85.0):
    aligned = align_quotes(text, [("L", quote) for quote in quotes], min_similarity)
    return [text[span.start : span.end] for span in aligned.spans], aligned


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("Will Park will park.", "Will", ["Will", "will"]),
        ("Ann met Annette.", "Ann", ["Ann"]),
        ("room12B", "12B", []),
        ("seenby DrOkaforon 3/4", "Okafor", ["Okafor"]),
        ("John\n  Smith", "John Smith", ["John\n  Smith"]),
        ("a.b+c@x.org", "a.b+c@x.org", ["a.b+c@x.org"]),
        ("(617) 555-0123", "(617) 555-0123", ["(617) 555-0123"]),
        ("Müller-Lüdenscheid", "müller-lüdenscheid", ["Müller-Lüdenscheid"]),
        ("👩🏽‍⚕️ Okafor 👍", "Okafor", ["Okafor"]),
        ("Dr. Vanterpol called", "Vanterpool", ["Vanterpol"]),
        ("Nothing here", "Zyxwvutsson", []),
        ("a . b . c", ".", []),
        ("text", "", []),
        ("", "Okafor", []),
    ],
)
def test_a_quote_is_found_as_words_then_as_part_of_words_then_by_similarity(text, quote, expected):
    assert found(text, quote)[0] == expected


def test_each_quote_without_a_place_is_counted_once():
    _, aligned = found("Okafor", "Zyxwvutsson", "Zyxwvutsson", "Qqqqqqq", "Okafor")
    assert aligned.unaligned == 2
    assert aligned.similar == 0


def test_spans_that_overlap_are_one():
    text = "Bre-X Minerals Ltd"
    spans = align_quotes(text, [("A", "Minerals"), ("B", "Bre-X Minerals Ltd"), ("C", "Ltd")], 85).spans
    assert [(span.start, span.end, span.label) for span in spans] == [(0, len(text), "B")]
