"""Who wins, what stays covered, and where a span begins and ends."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span, check_spans
from deid_tasks.engine.merge import count_agreed, merge_spans
from deid_tasks.engine.text import Document
from deid_tasks.settings import MergeSettings
from tests.support.markup import read_markup, write_markup


def merge(**marked: str) -> str:
    read = {name: read_markup(value) for name, value in marked.items()}
    texts = {text for text, _ in read.values()}
    assert len(texts) == 1
    text = texts.pop()
    merged = merge_spans(Document("n", text), {name: spans for name, (_, spans) in read.items()}, MergeSettings())
    check_spans(merged, len(text))
    return write_markup(text, merged)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        # one detector alone
        ({"patterns": "on [DATE:3/14] by Dr. [PROVIDER:Okafor]"}, "on [DATE:3/14] by Dr. [PROVIDER:Okafor]"),
        # the stronger detector names what both found
        ({"patient": "[PATIENT:Grace] came", "transformer": "[PROVIDER:Grace] came"}, "[PATIENT:Grace] came"),
        ({"lexicon": "at [FACILITY:Mercy]", "patterns": "at [CITY:Mercy]"}, "at [CITY:Mercy]"),
        # what sticks out of the winner stays covered
        ({"patterns": "[DATE:May 5] Jones", "transformer": "[PROVIDER:May 5 Jones]"}, "[DATE:May 5] [PROVIDER:Jones]"),
        (
            {"patient": "Mr John [PATIENT:Okafor] Lane", "transformer": "Mr [STREET:John Okafor Lane]"},
            "Mr [STREET:John] [PATIENT:Okafor] [STREET:Lane]",
        ),
        ({"patterns": "([PHONE:555-0123]) x", "transformer": "[ZIP:(555-0123)] x"}, "([PHONE:555-0123]) x"),
        # models among themselves: name before location before age before organization
        ({"transformer": "[ORGANIZATION:Lima]", "transformer:two": "[CITY:Lima]"}, "[CITY:Lima]"),
        ({"transformer": "[CITY:Lima]", "transformer:two": "[PATIENT:Lima]"}, "[PATIENT:Lima]"),
        ({"transformer": "[ORGANIZATION:92]", "transformer:two": "[AGE:92]"}, "[AGE:92]"),
        # a detector the settings do not know ranks last
        ({"inclusion": "[CITY:Lima]", "transformer": "[ORGANIZATION:Lima]"}, "[ORGANIZATION:Lima]"),
        # boundaries
        ({"transformer": "[PROVIDER:Dr. Okafor's] note"}, "Dr. [PROVIDER:Okafor]'s note"),
        ({"transformer": "[RELATIVE:Whaea Ripeka] came"}, "Whaea [RELATIVE:Ripeka] came"),
        ({"patterns": "by [PROVIDER:Will Nakagawa, PharmD]"}, "by [PROVIDER:Will Nakagawa], PharmD"),
        ({"transformer": "wife [RELATIVE:Lan Catholic]. Two"}, "wife [RELATIVE:Lan] Catholic. Two"),
        ({"transformer": "per Dr [PROVIDER:Adair TORB] sched"}, "per Dr [PROVIDER:Adair] TORB sched"),
        ({"transformer": "son [RELATIVE:John Christian] came"}, "son [RELATIVE:John Christian] came"),
        ({"transformer": "asked rn_[USERNAME:deluca] again"}, "asked [USERNAME:rn_deluca] again"),
        ({"transformer": "asked [USERNAME:deluca]2 again"}, "asked [USERNAME:deluca]2 again"),
        ({"transformer": "[FACILITY:Good Sam and St V's] sent"}, "[FACILITY:Good Sam] and [FACILITY:St V's] sent"),
        ({"transformer": "from [FACILITY:Mercy on] pressors"}, "from [FACILITY:Mercy] on pressors"),
        ({"transformer": "from [FACILITY:Mercy for cath], ok"}, "from [FACILITY:Mercy] for cath, ok"),
        ({"transformer": "[FACILITY:Okafor Center for] Inherited"}, "[FACILITY:Okafor Center for] Inherited"),
        ({"transformer": "at [FACILITY:Bell and harp]"}, "at [FACILITY:Bell and harp]"),
        ({"transformer": "at [FACILITY:the Okafor], again"}, "at the [FACILITY:Okafor], again"),
        ({"transformer": "a place in [CITY:the Keys], winters"}, "a place in [CITY:the Keys], winters"),
        ({"transformer": "to [FACILITY:Memorial L&D] triage"}, "to [FACILITY:Memorial] L&D triage"),
        ({"transformer": "at [FACILITY:Sac City outpt] for"}, "at [FACILITY:Sac City] outpt for"),
        ({"transformer": "the [FACILITY:Sac City ED] sent"}, "the [FACILITY:Sac City] ED sent"),
        ({"transformer": "[FACILITY:Lakeshore Children's ED] sent"}, "[FACILITY:Lakeshore Children's ED] sent"),
        ({"transformer": "lot [LOCATION_OTHER:off Gratiot]"}, "lot off [LOCATION_OTHER:Gratiot]"),
        ({"transformer": "LMP [DATE:the 4th], reg"}, "LMP the [DATE:4th], reg"),
        ({"transformer": "drawn [TIME:0220 L] hand"}, "drawn [TIME:0220] L hand"),
        ({"transformer": "on tow [VEHICLE:slip 1FTEX 0000]"}, "on tow slip [VEHICLE:1FTEX 0000]"),
        ({"transformer": "[PROVIDER:Operator Maria Okafor] DO"}, "Operator [PROVIDER:Maria Okafor] DO"),
        ({"transformer": "[PROVIDER:Registrar M. Okafor] RN"}, "Registrar [PROVIDER:M. Okafor] RN"),
        ({"transformer": "[PROVIDER:Consultant: Okafor]"}, "Consultant: [PROVIDER:Okafor]"),
        ({"transformer": "[PROVIDER:See Ada Okafor], Au.D., for it"}, "See [PROVIDER:Ada Okafor], Au.D., for it"),
        ({"transformer": "[PROVIDER:See Okafor], MD"}, "[PROVIDER:See Okafor], MD"),
        ({"transformer": "[PROVIDER:Dictated Ada Okafor], MD"}, "Dictated [PROVIDER:Ada Okafor], MD"),
        ({"patterns": "w/ [PROVIDER:DON Okafor], RN"}, "w/ DON [PROVIDER:Okafor], RN"),
        ({"patterns": "[PROVIDER:DON OKAFOR], RN"}, "[PROVIDER:DON OKAFOR], RN"),
        ({"patterns": "[PATIENT:MGM Halina Okafor] came"}, "MGM [PATIENT:Halina Okafor] came"),
        ({"patterns": "at [ORGANIZATION:River Boats Monday]."}, "at [ORGANIZATION:River Boats] Monday."),
        ({"transformer": "[STREET:Addr  Blk 417 Jln Senja]"}, "Addr  [STREET:Blk 417 Jln Senja]"),
        ({"transformer": "Ballarat [STATE:VIC\nUR] 0386"}, "Ballarat [STATE:VIC]\nUR 0386"),
        ({"transformer": "in [STATE:New\nYork] now"}, "in [STATE:New\nYork] now"),
        ({"transformer": "w/ [RELATIVE:Okafor Sat] - well"}, "w/ [RELATIVE:Okafor] [DATE:Sat] - well"),
        ({"transformer": "[PROVIDER:Okafor Tues] nights"}, "[PROVIDER:Okafor] [DATE:Tues] nights"),
        ({"transformer": "[PROVIDER:Okafor Sun] called"}, "[PROVIDER:Okafor Sun] called"),
        ({"patient": "[PATIENT:Aye Mon] called"}, "[PATIENT:Aye Mon] called"),
        (
            {"transformer": "[FACILITY:Elm Ridge Behavioral Health (ERBH]), 46 Mill"},
            "[FACILITY:Elm Ridge Behavioral Health] ([FACILITY:ERBH]), 46 Mill",
        ),
        ({"transformer": "[FACILITY:Elm Clinic (North)] now"}, "[FACILITY:Elm Clinic (North)] now"),
        ({"transformer": "aunty [RELATIVE:Sushila ji] says"}, "aunty [RELATIVE:Sushila] ji says"),
        ({"transformer": "[PATIENT:two Garcia] on unit"}, "two [PATIENT:Garcia] on unit"),
        ({"transformer": "son [RELATIVE:An an] RN"}, "son [RELATIVE:An] an RN"),
        ({"transformer": "[PROVIDER:CC m okafor] md"}, "CC [PROVIDER:m okafor] md"),
        ({"transformer": "[PROVIDER:CC Okafor] md"}, "[PROVIDER:CC Okafor] md"),
        ({"transformer": "[PROVIDER:reviewed e. okafor] md"}, "reviewed [PROVIDER:e. okafor] md"),
        ({"transformer": "Chaplain [PROVIDER:Rabbi Noah Adler]"}, "Chaplain Rabbi [PROVIDER:Noah Adler]"),
        ({"transformer": "son [RELATIVE:Rabbi Noah Okafor]"}, "son [RELATIVE:Rabbi Noah Okafor]"),
        ({"transformer": "[PATIENT:baxter POD] 61"}, "[PATIENT:baxter] POD 61"),
        ({"transformer": "[OTHER_ID:seven three] dash q\nend"}, "[OTHER_ID:seven three dash q]\nend"),
        ({"transformer": "[DATE:june seven] dash of salt"}, "[DATE:june seven] dash of salt"),
        (
            {"transformer": "[STREET:9 oak st], [CITY:lockwood] la - call"},
            "[STREET:9 oak st], [CITY:lockwood] [STATE:la] - call",
        ),
        ({"transformer": "in [CITY:akron] la la land"}, "in [CITY:akron] la la land"),
        ({"transformer": "in [CITY:boston] ma, he"}, "in [CITY:boston] [STATE:ma], he"),
        ({"patterns": "Dr [PROVIDER:Ada Okafor SpR] here"}, "Dr [PROVIDER:Ada Okafor] SpR here"),
        ({"patterns": "[PATIENT:KENJI SHO] here"}, "[PATIENT:KENJI SHO] here"),
        ({"transformer": "at [FACILITY:Mesa Vista urgent care], no"}, "at [FACILITY:Mesa Vista] urgent care, no"),
        ({"transformer": "at [FACILITY:Mesa Vista Urgent Care], no"}, "at [FACILITY:Mesa Vista Urgent Care], no"),
        ({"transformer": "DERWENT & [FACILITY:TAMAR LABS]"}, "[FACILITY:DERWENT & TAMAR LABS]"),
        ({"transformer": "ASTHMA & [FACILITY:TAMAR LABS]"}, "ASTHMA & [FACILITY:TAMAR LABS]"),
        ({"transformer": "S. [STREET:No. 41/2, Karve Road]"}, "[STREET:S. No. 41/2, Karve Road]"),
        ({"transformer": "S. [STREET:41 Karve Road]"}, "S. [STREET:41 Karve Road]"),
        ({"transformer": "hurt at [LOCATION_OTHER:tangi at Rautahi]"}, "hurt at tangi at [LOCATION_OTHER:Rautahi]"),
        ({"transformer": 'out to "Buddy [RELATIVE:Crum],"'}, 'out to "[RELATIVE:Buddy Crum],"'),
        ({"transformer": 'said "Thank [RELATIVE:Crum],"'}, 'said "Thank [RELATIVE:Crum],"'),
        ({"transformer": "[RELATIVE:Helper Marlyn] here"}, "Helper [RELATIVE:Marlyn] here"),
        ({"patterns": "S/[PROVIDER:N J. Okafor] RGN"}, "S/N [PROVIDER:J. Okafor] RGN"),
        ({"transformer": "[PROVIDER:S/N J. Okafor] RGN"}, "S/N [PROVIDER:J. Okafor] RGN"),
        ({"transformer": "coord [PROVIDER:Okafor x]. 55-0142"}, "coord [PROVIDER:Okafor] x. 55-0142"),
        ({"transformer": "widow ([RELATIVE:Okafor d]. Lent 2021)"}, "widow ([RELATIVE:Okafor] d. Lent 2021)"),
        ({"transformer": "seen by [PROVIDER:okafor d] today"}, "seen by [PROVIDER:okafor d] today"),
        ({"transformer": "Mr [PATIENT:Okafor A]&Ox3"}, "Mr [PATIENT:Okafor] A&Ox3"),
        ({"transformer": "PMH [PATIENT:Perthes L] hip"}, "PMH [PATIENT:Perthes] L hip"),
        ({"transformer": 'labeled "[PATIENT:Okafor, M - R] breast"'}, 'labeled "[PATIENT:Okafor, M] - R breast"'),
        ({"transformer": "Mrs [PATIENT:Okafor L] slept"}, "Mrs [PATIENT:Okafor L] slept"),
        ({"transformer": "son [RELATIVE:Er]. [PATIENT:Okafor] (26)"}, "son Er. [PATIENT:Okafor] (26)"),
        ({"transformer": "Mrs [PATIENT:Er]. Okafor came"}, "Mrs [PATIENT:Er]. Okafor came"),
        ({"transformer": "w/ [PROVIDER:Garda Okafor], who"}, "w/ Garda [PROVIDER:Okafor], who"),
        ({"transformer": "x1 since. [INITIALS:D.R.]L. to bring"}, "x1 since. [INITIALS:D.R.L.] to bring"),
        (
            {"patterns": "M [DATE:1/20/25] late\nW [DATE:1/22] on time"},
            "[DATE:M 1/20/25] late\n[DATE:W 1/22] on time",
        ),
        ({"patterns": "M [DATE:1/20/25] late\nM [DATE:1/27] on time"}, "M [DATE:1/20/25] late\nM [DATE:1/27] on time"),
        ({"patterns": "pt M [DATE:1/20/25]\nW [DATE:1/22]"}, "pt M [DATE:1/20/25]\nW [DATE:1/22]"),
        ({"transformer": "([CITY:Oakland] MD, foreman)"}, "([CITY:Oakland] [STATE:MD], foreman)"),
        ({"transformer": "seen by [CITY:Oakland] NP here"}, "seen by [CITY:Oakland] NP here"),
        # kinds that agree
        (
            {"transformer": "per [FACILITY:Balcazar]: ok. [PROVIDER:Jose Balcazar], MD"},
            "per [PROVIDER:Balcazar]: ok. [PROVIDER:Jose Balcazar], MD",
        ),
        (
            {"transformer": "[PATIENT:Jose Balcazar] at [FACILITY:Balcazar Clinic], [ORGANIZATION:Jose Ward]"},
            "[PATIENT:Jose Balcazar] at [FACILITY:Balcazar Clinic], [ORGANIZATION:Jose Ward]",
        ),
        (
            {"transformer": "by [PROVIDER:T. Birdsong]. Registry: [ORGANIZATION:Birdsong] reports"},
            "by [PROVIDER:T. Birdsong]. Registry: [PROVIDER:Birdsong] reports",
        ),
        (
            {"transformer": "per [FACILITY:Balcazar], Dr. [PROVIDER:Balcazar]"},
            "per [FACILITY:Balcazar], Dr. [PROVIDER:Balcazar]",
        ),
        ({"transformer": "[PROVIDER:MARIA OKAFOR NPI] 12"}, "[PROVIDER:MARIA OKAFOR] NPI 12"),
        ({"transformer": "spoke w/ [PROVIDER:Maria MA]."}, "spoke w/ [PROVIDER:Maria] MA."),
        ({"transformer": "spoke w/ [PROVIDER:JACK MA]."}, "spoke w/ [PROVIDER:JACK MA]."),
        ({"transformer": "[PROVIDER:Resident]"}, "[PROVIDER:Resident]"),
        ({"transformer": "[PATIENT:Mrs. Maria Okafor,] seen"}, "Mrs. [PATIENT:Maria Okafor], seen"),
        ({"transformer": "seen by[PROVIDER: Oka]for today"}, "seen by [PROVIDER:Okafor] today"),
        ({"transformer": "[CITY:(Boston)]"}, "[CITY:(Boston)]"),
        ({"transformer": "[CITY:(Boston]) now"}, "([CITY:Boston]) now"),
        ({"transformer": "told [PATIENT:Maria T.] today"}, "told [PATIENT:Maria T.] today"),
        ({"patterns": "[PHONE:+1 617 555 0123]"}, "[PHONE:+1 617 555 0123]"),
        ({"patterns": "call [PHONE:(617) 555-0123]."}, "call [PHONE:(617) 555-0123]."),
        ({"transformer": "well[PATIENT: -- ]then"}, "well -- then"),
        ({"transformer": "PCP: [PROVIDER:Sousa, Group]: none"}, "PCP: [PROVIDER:Sousa], Group: none"),
        ({"patterns": "Re: [PATIENT:Recall visit - Ann Okafor]"}, "Re: Recall visit - [PATIENT:Ann Okafor]"),
        ({"transformer": "at [FACILITY:odilia and warfarin] for"}, "at [FACILITY:odilia] and warfarin for"),
        ({"transformer": "per Dr [PROVIDER:Adair TORB] now"}, "per Dr [PROVIDER:Adair] TORB now"),
        ({"transformer": "[PROVIDER:Ann Okafor, MOT], OTR/L"}, "[PROVIDER:Ann Okafor], MOT, OTR/L"),
        ({"transformer": "[PROVIDER:navigator Kim] or"}, "navigator [PROVIDER:Kim] or"),
        ({"transformer": "wife [RELATIVE:Lan Catholic]."}, "wife [RELATIVE:Lan] Catholic."),
        ({"transformer": "nephew [RELATIVE:Pastor Nils Aune] by"}, "nephew Pastor [RELATIVE:Nils Aune] by"),
        ({"transformer": "From: RN [PROVIDER:Pool]"}, "From: RN Pool"),
        ({"transformer": "seen by RN [PROVIDER:Pool]"}, "seen by RN [PROVIDER:Pool]"),
        ({"transformer": "at: [FACILITY:OP  Bayou Vista Imaging]"}, "at: OP  [FACILITY:Bayou Vista Imaging]"),
        ({"transformer": "at [FACILITY:Meridian Ortho office]."}, "at [FACILITY:Meridian Ortho] office."),
        ({"transformer": "at [ORGANIZATION:Tarn Daycare M-F]."}, "at [ORGANIZATION:Tarn Daycare] M-F."),
        ({"transformer": "is a [PROFESSION:RHD roofer]"}, "is a RHD [PROFESSION:roofer]"),
        ({"transformer": "he is a junior [PROFESSION:UX designer]"}, "he is a [PROFESSION:junior UX designer]"),
        ({"transformer": "hit the lead [PROFESSION:miner] hard"}, "hit the [PROFESSION:lead miner] hard"),
        ({"transformer": "[FACILITY:St. Odile EMERGENCY DEPARTMENT]"}, "[FACILITY:St. Odile] EMERGENCY DEPARTMENT"),
        ({"transformer": "[FACILITY:ST. ODILE EMERGENCY ROOM] x"}, "[FACILITY:ST. ODILE EMERGENCY ROOM] x"),
        ({"patterns": "[FACILITY:Okafor Clinic Endocrinology] x"}, "[FACILITY:Okafor Clinic] Endocrinology x"),
        ({"transformer": "CNM at [FACILITY:Palmetto midwives] x"}, "CNM at [FACILITY:Palmetto] midwives x"),
        ({"transformer": "Ins: [ORGANIZATION:Moda  Auth] PT448210"}, "Ins: [ORGANIZATION:Moda]  Auth PT448210"),
        ({"patterns": "Payer: [ORGANIZATION:Humana MA HMO]   ID"}, "Payer: [ORGANIZATION:Humana] MA HMO   ID"),
        ({"transformer": "form to [ORGANIZATION:Amaro HR]."}, "form to [ORGANIZATION:Amaro] HR."),
        ({"transformer": "form to [ORGANIZATION:Amaro HR Partners]."}, "form to [ORGANIZATION:Amaro HR Partners]."),
        ({"patterns": "mom, [RELATIVE:LC Trudy]"}, "mom, LC [RELATIVE:Trudy]"),
        ({"transformer": "on [LOCATION_OTHER:7 Tower bed 22]"}, "on [LOCATION_OTHER:7 Tower] bed [LOCATION_OTHER:22]"),
        ({"transformer": "now [PROFESSION:part time deacon]"}, "now part time [PROFESSION:deacon]"),
        ({"patterns": "tel [PHONE:555-0148. 6]) rest"}, "tel [PHONE:555-0148]. 6) rest"),
        ({"transformer": "Incident [OTHER_ID:rpt 24-0388] to"}, "Incident rpt [OTHER_ID:24-0388] to"),
        # two people
        ({"transformer": "check [PROVIDER:KT/P. Okafor]."}, "check [INITIALS:KT]/[PROVIDER:P. Okafor]."),
        (
            {"transformer": "ask charge [PROVIDER:Nneka, Santi] is next"},
            "ask charge [PROVIDER:Nneka], [PROVIDER:Santi] is next",
        ),
        ({"transformer": "per [PROVIDER:Okafor, Maria] MD"}, "per [PROVIDER:Okafor, Maria] MD"),
        # figures inside a longer number or an address
        (
            {"patterns": "card [TIME:0012] 345 678", "transformer": "card [HEALTH_PLAN:0012 345 678]"},
            "card [HEALTH_PLAN:0012 345 678]",
        ),
        (
            {"patterns": "at [DATE:3/2], 18 Oak Brae", "transformer": "at [STREET:3/2, 18 Oak Brae]"},
            "at [STREET:3/2, 18 Oak Brae]",
        ),
        (
            {"patterns": "on [DATE:3/2] MRN 18", "transformer": "on [DATE:3/2] [MRN:MRN 18]"},
            "on [DATE:3/2] [MRN:MRN 18]",
        ),
        ({"transformer": "[LOCATION_OTHER:Rm 118B] now"}, "Rm [LOCATION_OTHER:118B] now"),
        ({"transformer": "[LOCATION_OTHER:Suite 210] now"}, "Suite [LOCATION_OTHER:210] now"),
        ({"transformer": "wife, [DATE:dec'd 2012]."}, "wife, dec'd [DATE:2012]."),
        # parts of one name
        ({"lexicon": "[PATIENT:Maria] [PATIENT:Okafor] came"}, "[PATIENT:Maria Okafor] came"),
        ({"lexicon": "[PATIENT:Maria] T. [PATIENT:Okafor]"}, "[PATIENT:Maria] T. [PATIENT:Okafor]"),
        ({"lexicon": "[PROVIDER:J]. [PROVIDER:Okafor]"}, "[PROVIDER:J. Okafor]"),
        ({"lexicon": "CC: [PROVIDER:Wm]. [PROVIDER:Okafor]"}, "CC: [PROVIDER:Wm. Okafor]"),
        ({"lexicon": "saw [PATIENT:Maria]. [PATIENT:Grace] left"}, "saw [PATIENT:Maria]. [PATIENT:Grace] left"),
        ({"lexicon": "[PATIENT:Maria] [RELATIVE:Ann]"}, "[PATIENT:Maria] [RELATIVE:Ann]"),
        ({"lexicon": "[PATIENT:Recall] - [PATIENT:Okafor]"}, "[PATIENT:Recall] - [PATIENT:Okafor]"),
        ({"lexicon": "[CITY:Salem] [CITY:Boston]"}, "[CITY:Salem] [CITY:Boston]"),
        ({"lexicon": "[PATIENT:Maria] Okafor", "transformer": "Maria [PATIENT:Okafor]"}, "[PATIENT:Maria Okafor]"),
    ],
)
def test_merging(marked: dict[str, str], expected: str) -> None:
    assert merge(**marked) == expected


def test_settings_order_the_detectors() -> None:
    text, patterns = read_markup("[CITY:Salem]")
    found = {"patterns": patterns, "lexicon": [Span(0, 5, Entity.PATIENT)]}
    ahead = MergeSettings(priority=("lexicon", "patterns"))
    assert merge_spans(Document("n", text), found, ahead)[0].entity is Entity.PATIENT
    assert merge_spans(Document("n", text), found, MergeSettings())[0].entity is Entity.CITY


def test_a_span_outside_the_note_is_refused_without_its_text() -> None:
    with pytest.raises(ValueError, match="note n17") as error:
        merge_spans(Document("n17", "Okafor"), {"patterns": [Span(0, 7, Entity.PATIENT)]}, MergeSettings())
    assert "Okafor" not in str(error.value)


_TEXT = st.text(st.sampled_from("abZ Dr.'s-(3)\n"), min_size=1, max_size=60)
_DETECTORS = ("patient", "patterns", "lexicon", "transformer", "transformer:two", "other")


@st.composite
def _votes(draw: st.DrawFn) -> tuple[str, dict[str, list[Span]]]:
    text = draw(_TEXT)
    votes: dict[str, list[Span]] = {}
    for _ in range(draw(st.integers(0, 12))):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        entity = draw(st.sampled_from([Entity.PATIENT, Entity.PROVIDER, Entity.CITY, Entity.DATE, Entity.FACILITY]))
        score = draw(st.sampled_from([0.5, 1.0]))
        votes.setdefault(draw(st.sampled_from(_DETECTORS)), []).append(Span(start, end, entity, "", score))
    return text, votes


@given(_votes())
@settings(max_examples=400)
def test_merged_spans_are_disjoint_and_cover_every_marked_word(given_votes: tuple[str, dict[str, list[Span]]]) -> None:
    text, votes = given_votes
    merged = merge_spans(Document("n", text), votes, MergeSettings())
    check_spans(merged, len(text))
    covered = {i for span in merged for i in range(span.start, span.end)}
    for spans in votes.values():
        for span in spans:
            if span.entity in {Entity.CITY, Entity.DATE, Entity.FACILITY}:  # names may lose a title or an 's
                assert {i for i in range(span.start, span.end) if text[i].isalnum()} <= covered
    assert all(any(c.isalnum() for c in text[span.start : span.end]) for span in merged)


@given(_votes(), st.integers(0, 1000))
@settings(max_examples=200)
def test_the_order_of_the_votes_does_not_matter(given_votes: tuple[str, dict[str, list[Span]]], seed: int) -> None:
    text, votes = given_votes
    shuffled = list(votes.items())
    random.Random(seed).shuffle(shuffled)
    other = {name: random.Random(seed).sample(spans, len(spans)) for name, spans in shuffled}
    document = Document("n", text)
    assert merge_spans(document, votes, MergeSettings()) == merge_spans(document, other, MergeSettings())


def test_merging_again_changes_nothing() -> None:
    text, spans = read_markup("Dr. [PROVIDER:Maria T. Okafor] and [PATIENT:Lee], [DATE:3/14]")
    once = merge_spans(Document("n", text), {"patterns": spans}, MergeSettings())
    assert merge_spans(Document("n", text), {"patterns": once}, MergeSettings()) == once


def test_many_overlapping_spans_are_swept_once() -> None:
    text = "word " * 20_000
    nested = [Span(i * 5, min(i * 5 + 400, len(text)), Entity.CITY) for i in range(20_000)]
    merged = merge_spans(Document("n", text), {"lexicon": nested}, MergeSettings())
    check_spans(merged, len(text))
    assert sum(len(span) for span in merged) >= 20_000 * 4


@pytest.mark.parametrize(
    ("marked", "agreed"),
    [
        ({}, 0),
        ({"patterns": "[DATE:3/14] Dr. [PROVIDER:Okafor]"}, 0),
        ({"patterns": "[DATE:3/14] Dr. [PROVIDER:Okafor]", "lexicon": "3/14 Dr. [PROVIDER:Okafor]"}, 1),
        # Another entity agrees too, and so does a span over both.
        ({"patterns": "[DATE:3/14] Dr. [PROVIDER:Okafor]", "lexicon": "3/14 Dr. [CITY:Okafor]"}, 1),
        ({"patterns": "[DATE:3/14] Dr. [PROVIDER:Okafor]", "transformer": "[DATE:3/14 Dr. Okafor]"}, 2),
        # One detector twice is one detector.
        ({"patterns": "3/14 Dr. [PROVIDER:Oka][PATIENT:for]"}, 0),
        ({"patterns": "[DATE:3/14] Dr. Okafor", "lexicon": "3/14 Dr. [PROVIDER:Okafor]"}, 0),
    ],
)
def test_spans_that_two_detectors_found(marked, agreed):
    read = {name: read_markup(value)[1] for name, value in marked.items()}
    text = "3/14 Dr. Okafor"
    assert count_agreed([Span(0, 4, Entity.DATE), Span(9, 15, Entity.PROVIDER)], read) == agreed
    assert all(read_markup(value)[0] == text for value in marked.values())
