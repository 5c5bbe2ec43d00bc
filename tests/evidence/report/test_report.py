"""The page holds the figures, needs nothing else, and tells no text of a note."""

import re
from html.parser import HTMLParser

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError, StorageError
from deid_tasks.core.span import Span
from deid_tasks.evidence.evaluate import Scorer
from deid_tasks.evidence.report import write_report
from deid_tasks.evidence.report.plots import DotRow, dot_plot

TEXT = "Seen by Dr. Quillfeather on 3/14/2021, Marrowgate."
GOLD = [Span(12, 24, Entity.PROVIDER), Span(28, 37, Entity.DATE), Span(39, 49, Entity.CITY)]


def variant(missed: int, **more):
    scorer = Scorer(resamples=100, **more)
    for patient in range(40):
        scorer.add(
            TEXT, GOLD, GOLD[: 2 if patient < missed else 3], str(patient), ("nursing", "letter")[patient % 2], "2021"
        )
    return scorer.finish().document(terms=bool(more))


CERTIFICATE = {
    "certificate_id": "c0ffee",
    "institution": "Riverside <Health>",
    "fingerprint": "f1",
    "issued_at": "2026-01-02T03:04:05+00:00",
    "verdict": "failed",
    "thresholds": {"recall_min": 0.98, "precision_min": 0.9, "category_min": 0.97, "stratum_recall_min": 0.95},
    "failures": ["recall_lower_bound is 0.93 & must be at least 0.98"],
}


def page(tmp_path, **changes):
    part = {
        "design": "random",
        "gold_version": "ab12",
        "variants": {"full": variant(5), "without_dictionaries": variant(20)},
    }
    document = {"certificate": CERTIFICATE, "evaluations": [part], **changes}
    write_report(document, tmp_path / "report.html")
    return (tmp_path / "report.html").read_text()


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.loads = [], []

    def handle_starttag(self, tag, attributes):
        self.loads += [value for name, value in attributes if name in {"src", "href", "srcset", "data"}]
        if tag not in {"meta", "line", "circle", "rect", "br"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.loads += [value for name, value in attributes if name in {"src", "href"}]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_loads_nothing(tmp_path):
    html = page(tmp_path)
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    assert tags.loads == []
    assert not re.search(r"https?://(?!www\.w3\.org)|@import|url\(", html)
    assert "<script" not in html


def test_the_page_holds_the_figures_and_says_what_they_are(tmp_path):
    html = page(tmp_path)
    full = variant(5)
    recall = next(
        f
        for f in full["figures"]
        if (f["view"], f["stratum"], f["entity"], f["metric"]) == ("word", "", "ALL", "recall")
    )
    for said in (
        f"{recall['value']:.4f}",
        f"{1000 * (1 - recall['value']):.1f}",
        f"{1000 * (1 - full['recall_lower_bound']):.1f}",
        "Must not be published",
        "every note had the same probability",
        "needed: 0.98",
        "needed: 0.97",
        "in the right category",
        "without dictionaries",
        "CITY",
        "letter",
        "2021",
    ):
        assert said in html, said
    assert html.index("CITY</text>") < html.index("DATE</text>"), "the worst comes first"


def test_nothing_is_taken_for_markup(tmp_path):
    html = page(tmp_path)
    assert "Riverside &lt;Health&gt;" in html
    assert "0.93 &amp; must" in html


def test_no_text_of_a_note_unless_asked_and_then_only_in_the_restricted_folder(tmp_path):
    assert "quillfeather" not in page(tmp_path).lower()
    document = {
        "certificate": None,
        "evaluations": [{"design": "", "gold_version": "x", "variants": {"full": variant(5, keep_terms=True)}}],
    }
    outside, inside = tmp_path / "out.html", tmp_path / "work" / "in.html"
    inside.parent.mkdir()
    for restricted in (None, tmp_path / "work"):
        with pytest.raises(InputError, match="must be written under the restricted work_dir"):
            write_report(document, outside, restricted=restricted)
    assert not outside.exists()
    write_report(document, inside, restricted=tmp_path / "work")
    html = inside.read_text()
    assert "marrowgate" in html
    assert "must stay in the restricted folder" in html
    assert inside.stat().st_mode & 0o077 == 0


def test_history_runs_over_time(tmp_path):
    rows = [
        {
            "issued_at": f"2026-0{month}-01",
            "recall": 0.97 + month / 100,
            "recall_lower_bound": 0.96 + month / 100,
            "precision": 0.9,
        }
        for month in (1, 2)
    ]
    html = page(tmp_path, history=rows)
    assert html.index("2026-01-01") < html.index("2026-02-01")


def test_a_folder_that_is_not_there_is_one_error_and_leaves_nothing(tmp_path):
    with pytest.raises(StorageError, match="cannot be written"):
        write_report(
            {"certificate": None, "evaluations": [{"variants": {"full": variant(0)}}]}, tmp_path / "no" / "r.html"
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [0.0, 0.4, 0.93, 0.999, 1.0])
@pytest.mark.parametrize("threshold", [None, 0.98])
def test_every_dot_lies_inside_its_axis(value, threshold):
    svg = dot_plot([DotRow("a", value, 0.0, 1.0, "said", 0.1), DotRow("b", 1.0, 0.9, 1.0, "said")], "title", threshold)
    centres = [float(x) for x in re.findall(r'cx="([\d.]+)"', svg)]
    assert len(centres) == 2
    assert all(190 <= x <= 590 for x in centres)
    assert centres[0] <= centres[1]
    ticks = re.findall(r'class="axis" x="([\d.]+)" y', svg)
    assert len(ticks) >= 3


def test_no_dots_no_plot():
    assert dot_plot([], "title") == ""
