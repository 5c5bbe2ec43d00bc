"""A facility or an organization grows over the end of its name, and over the town in front, and over nothing else."""

import re

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.merge import merge_spans
from deid_tasks.engine.text import Document
from deid_tasks.settings import MergeSettings

_MARK = re.compile(r"\[([A-Z_]+):([^\[\]]*)\]")

GROWN = [
    ("from [CITY:Fairhaven] Kidney Center today", "from [FACILITY:Fairhaven Kidney Center] today"),
    ("from [CITY:Fairhaven] [FACILITY:Kidney] Center today", "from [FACILITY:Fairhaven Kidney Center] today"),
    ("[CITY:Elk Ridge] [STATE:VA] CBOC", "[FACILITY:Elk Ridge VA CBOC]"),
    ("go to [FACILITY:QRX] Breast Ctr; first", "go to [FACILITY:QRX Breast Ctr]; first"),
    ("[FACILITY:Stillwater] Nursing & Rehab, bed 4", "[FACILITY:Stillwater Nursing & Rehab], bed 4"),
    ("[CITY:Fairhaven] Memorial Hospital.", "[FACILITY:Fairhaven Memorial Hospital]."),
    ("Ins: [ORGANIZATION:Lakeside Choice] PPO  12", "Ins: [ORGANIZATION:Lakeside Choice PPO]  12"),
    ("[CITY:Fairhaven] County Sheriff called", "[ORGANIZATION:Fairhaven County Sheriff] called"),
    ("by [ORGANIZATION:Redfern] Ambulance.", "by [ORGANIZATION:Redfern Ambulance]."),
    ("her [ORGANIZATION:Kowalski Drug] - Hopkins fill", "her [ORGANIZATION:Kowalski Drug - Hopkins] fill"),
    ("at [ORGANIZATION:Falls University] [FACILITY:Hosp], MICU", "at [FACILITY:Falls University Hosp], MICU"),
    ("xfer [CITY:Fairhaven] LTACH after", "xfer [FACILITY:Fairhaven LTACH] after"),
]
LEFT = [
    "at [ORGANIZATION:Falls University] Dining Hall",
    "her [ORGANIZATION:Kowalski Drug] - Refill due",
    "her [ORGANIZATION:Kowalski Mills] - Hopkins fill",
    "of [CITY:Fairhaven] Hospital Course: fine",
    "in [CITY:Fairhaven] clinic",
    "seen by [PROVIDER:Okafor] Radiology",
    "in [CITY:Fairhaven]  Radiology: clear",
    "in [CITY:Fairhaven]. Radiology: clear",
    "[DATE:3/14/2021] Radiology",
    "[CITY:Fairhaven] Imaging Report",
]


def merged(marked):
    text, spans, shift = _MARK.sub(r"\2", marked), [], 0
    for match in _MARK.finditer(marked):
        start = match.start() - shift
        spans.append(Span(start, start + len(match[2]), Entity(match[1]), "patterns"))
        shift += len(match[0]) - len(match[2])
    shown, position = "", 0
    for span in merge_spans(Document("n", text), {"patterns": spans}, MergeSettings()):
        shown += f"{text[position : span.start]}[{span.entity}:{text[span.start : span.end]}]"
        position = span.end
    return shown + text[position:]


@pytest.mark.parametrize(("marked", "expected"), GROWN)
def test_a_facility_grows_over_the_end_of_its_name(marked, expected):
    assert merged(marked) == expected


@pytest.mark.parametrize("marked", LEFT)
def test_what_only_looks_like_an_end_stays_outside(marked):
    assert merged(marked) == marked
