"""Skeletons: what parses, what each slot writes, and how mistakes are reported."""

import random
import re
from pathlib import Path

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.hospital import check, dates, names
from deid_tasks.hospital.grammar import read_skeletons
from deid_tasks.hospital.records import World
from deid_tasks.hospital.render import join, write_pieces
from deid_tasks.hospital.slots import known_slots


def rendered(tmp_path: Path, body: str, seed: int = 0, phrases: str = "", options: str = "") -> str:
    """The note that ``body`` makes, identifiers marked."""
    (tmp_path / "progress.txt").write_text(f"=== one{options}\n{body}\n", encoding="utf-8")
    (tmp_path / "_phrases.txt").write_text(phrases, encoding="utf-8")
    skeletons, problems = read_skeletons(tmp_path)
    assert problems == []
    scene = check._scene(random.Random(seed))
    scene.carried = (("copied ", None), ("Quill", Entity.PATIENT))
    pieces = write_pieces(skeletons[0], scene)
    return "".join(text if entity is None else f"[{entity}:{text}]" for text, entity in pieces)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Dr. {provider.last} saw {patient.first}", "Dr. [PROVIDER:One] saw [PATIENT:Maria]"),
        ("{patient.LAST}, {patient.first_lower}", "[PATIENT:QUILL], [PATIENT:maria]"),
        ("{patient.nick} {patient.initial_last}", "[PATIENT:Mar] [PATIENT:M. Quill]"),
        ("DOB:{dob:mdyy}Sex:{sex}", "DOB:[DATE:4/5/61]Sex:F"),
        ("{He} is {his} {relative.relation} {He}", "She is her wife She"),
        ("{date:stamp}", "[DATE:03/14/2024] [TIME:08:35]"),
        ("{date-30:iso} {date+14:md}", "[DATE:2024-02-13] [DATE:3/28]"),
        ("{address}", "[STREET:12 Alder Street], [CITY:Millbrook], [STATE:NY] [ZIP:12545]"),
        ("{state_name} {CITY}", "[STATE:New York] [CITY:MILLBROOK]"),
        ("{patient.age}yo {man}", "[AGE:62]yo woman"),
        ("{author.user_id} {author.npi} {author.pager}", "[USERNAME:axb12] [LICENSE:1234567893] [PAGER:55512]"),
        ("{facility.short}/{FACILITY.NAME}", "[FACILITY:Alde]/[FACILITY:ALDER VALLEY HOSPITAL]"),
        ("{pharmacy} {nursing_home}", "[ORGANIZATION:Alder Drugs] [FACILITY:Alder Manor]"),
        ("{{x}} {copied_forward}", "{x} copied [PATIENT:Quill]"),
        ("{n:3..3} {f:1.5..1.5} {age:7..7}", "3 1.5 [AGE:7]"),
        ("{pick:{patient.last}}{pick:x}", "[PATIENT:Quill]x"),
    ],
)
def test_slot_writes_value_and_entity(tmp_path: Path, body: str, expected: str) -> None:
    assert rendered(tmp_path, body) == expected


def test_choices_and_banks(tmp_path: Path) -> None:
    seen = {
        rendered(tmp_path, "{pick:a|b}[[ c]] {@bank}", seed, "== bank\nd {patient.last}\ne\\nf\n")
        for seed in range(300)
    }
    assert seen == {f"{a}{c} {d}" for a in "ab" for c in ("", " c") for d in ("d [PATIENT:Quill]", "e\nf")}


def test_case_option_keeps_offsets(tmp_path: Path) -> None:
    assert rendered(tmp_path, "seen by {author.last}", options=" case=upper") == "SEEN BY [PROVIDER:AUTHOR]"


@pytest.mark.parametrize("slot", [slot for slot in known_slots() if slot != "copied_forward"])
def test_every_slot_renders(tmp_path: Path, slot: str) -> None:
    assert rendered(tmp_path, f"x {{{slot}}}") not in ("x", "x ")


@pytest.mark.parametrize("style", [*dates.STYLES, "stamp"])
def test_every_style_writes_one_date(tmp_path: Path, style: str) -> None:
    assert rendered(tmp_path, f"{{date:{style}}}").count("[DATE:") == 1


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("mdy", "3/14/2024"), ("mdyy", "3/14/24"), ("mmddyyyy", "03/14/2024"), ("dashes", "03-14-2024"), ("md", "3/14"),
        ("dMony", "14-Mar-2024"), ("dots", "3.14.24"), ("compact", "20240314"), ("long", "March 14, 2024"),
        ("ordinal", "March 14th, 2024"), ("monthday", "March 14"), ("monthyear", "March 2024"), ("my", "3/24"), ("year",
        "2024"),
        ("weekday", "Thursday"), ("season", "spring 2024"), ("holiday", "St. Patrick's Day"), ("apostrophe", "Mar '24"),
        ("dayofweek_md", "Thurs 3/14"),
    ],
)  # fmt: skip
def test_date_style(tmp_path: Path, style: str, expected: str) -> None:
    assert rendered(tmp_path, f"{{date:{style}}}") == f"[DATE:{expected}]"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "=== one\nseen {patient.lst}",
            r"progress.txt:2: \{patient.lst\}: no such slot; did you mean \{patient.last\}\?",
        ),
        ("=== one\n\nok\n{date:mdx}", "progress.txt:4: .*no date style 'mdx'"),
        ("=== one\na {b", "progress.txt:2: '{' without '}'"),
        ("=== one\na ]] b", r"progress.txt:2: '\]\]' without its opening mark"),
        ("=== one\na [[ b [[ c ]] ]]", r"progress.txt:2: '\[\[' inside"),
        ("=== one\na [[ b", r"progress.txt:2: '\[\[' without"),
        ("=== one\n{@none}", "progress.txt:2: .*no such bank"),
        ("=== one sex=X\na", "progress.txt:1: option sex=X"),
        ("=== one colour=red\na", "progress.txt:1: unknown option 'colour'"),
        ("=== one\na\n=== one\nb", "progress.txt:3: the id stands twice"),
        ("=== One Two\na", "progress.txt:1: expected '=== skeleton_id"),
        ("=== one\n", "progress.txt:1: skeleton one is empty"),
        ("hello\n=== one\na", "progress.txt:1: text before the first"),
        ("=== one\n{n:9..1}", "progress.txt:2: .*is empty"),
        ("=== one\n{n:few}", "progress.txt:2: .*expected a range"),
    ],
)
def test_mistakes_name_file_line_and_reason(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "progress.txt").write_text(text, encoding="utf-8")
    _, problems = read_skeletons(tmp_path)
    assert len(problems) == 1
    assert re.match(reason, problems[0])


@pytest.mark.parametrize(
    "phrases", ["a\n", "== one\n", "== one\n{nothing}\n", "== one\n{@one}\n", "== one\nx\n== one\ny\n"]
)
def test_mistakes_in_banks(tmp_path: Path, phrases: str) -> None:
    (tmp_path / "_phrases.txt").write_text(phrases, encoding="utf-8")
    _, problems = read_skeletons(tmp_path)
    assert problems
    assert all(problem.startswith("_phrases.txt:") for problem in problems)


@pytest.mark.parametrize("world", World)
def test_shipped_skeletons_are_well_written(world: World) -> None:
    report = check.check_skeletons(world)
    assert report.problems == ()
    assert len(report.skeletons) >= 30


@pytest.mark.parametrize("word", ["Okafor", "Li", "O'Brien", "Nguyễn"])
def test_misspelling_differs_by_one_error(word: str) -> None:
    for seed in range(50):
        wrong = names.mistype(word, random.Random(seed))
        assert wrong != word
        assert abs(len(wrong) - len(word)) <= 1


def test_join_gives_exact_offsets() -> None:
    text, spans = join(
        [("Dr. ", None), ("Åsa", Entity.PROVIDER), ("", Entity.CITY), ("Ngô", Entity.PATIENT), ("!", None)]
    )
    assert text == "Dr. ÅsaNgô!"
    assert [(text[span.start : span.end], span.entity) for span in spans] == [
        ("Åsa", Entity.PROVIDER),
        ("Ngô", Entity.PATIENT),
    ]
