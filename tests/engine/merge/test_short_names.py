"""Initials and acronyms are marked where their name stands in full in the note, and nowhere else."""

import pytest

from deid_tasks.core.detectors import SHORT_NAMES
from deid_tasks.engine.merge.short_names import grow_over_initials, mark_short_names
from tests.support.markup import read_markup

FOUND = [
    '[PATIENT:Hope Vance]\nLabeled "{HV}, SLN 1": 1.8 cm',
    "[PROVIDER:Gail Pemberton], BSN, RN  {GP}",
    "Seen today.\n[PROVIDER:Kendra Suttles], RN\n{KS} via tablet",
    "[PROVIDER:Pemberton, Gail] MD\nplan as above\n{GP}",
    "[PROVIDER:Ada N. Castle], FNP-C   ( {ANC} )",
    "wound care done\n{GP}\nNurse: [PROVIDER:Gail Pemberton]",
    "reviewed by {GP}\nAttending [PROVIDER:Gail Pemberton]",
    "[FACILITY:Corio Bay Imaging] ({CBI}), Geelong. Sent to {CBI} today",
    "[ORGANIZATION:Red Gully Nickel Operations] ({RGNO}), attn Leanne",
    "[FACILITY:Institute of Plant Sciences] (the {IPS}) and {IPS} staff",
    "[FACILITY:THREE RIVERS UNIVERSITY HOSPITAL]\nadmitted\nGP, {TRUH}",
    "[FACILITY:Puget Narrows VA Medical Center]. Back at {PNVAMC} on Monday",
]
FOUND += [
    "[PATIENT:Ramona Beatriz Montoya] agrees. {RBM} was seen the same day",
    "[PROVIDER:Sorcha Lally] RGN\ndischarge agreed\n{S.L.}  10/01",
    "[FACILITY:CORIO BAY IMAGING]   ({CBI} Geelong)",
    "[PROVIDER:Rose Tannen], PharmD ({RT})\n| No change. | {RT} |",
    '1,"[PROVIDER:Hannah Mistry]","First visit."\n2,"{HM}","Doppler."',
]
FOUND += [
    "[PATIENT:Orville Stamper] ({O.S.}), MRN 1",
    "[PATIENT:Ella May Hart] QA done. {E.M.H.} chart locked",
]
FOUND += [
    "reduction by {AMcK}. [PROVIDER:Alasdair McKerrow]",
    "[PATIENT:Siobhan O'Donnell] came. {SO'D} has agreed",
    "[PROVIDER:Lorna Nkemelu], RN\nreport to {LN} by phone",
]
FOUND += [
    "[PROVIDER:Gretchen Paquette Obi], LICSW\n{gpo} 10/18/23 5:52p",
    "Partner [RELATIVE:Marie-Josée Fontaine] at bedside. {M-J} asked",
    "[FACILITY:Ahtanum Ridge Children's Therapy]; {ARCT} chart",
    "[FACILITY:Patterson Glen Medical Center]. My{PGMC} login",
    "From: {CVC} Nurse at [FACILITY:Cascara Valley Clinic]",
]
FOUND += [
    "[PATIENT:VANG, PEBZU] on 4W. {P.V.} cleared for home",
    "[RELATIVE:Mai Kou Vang] called, letter of {M.V.} reissued",
    "[PATIENT:Ruru-Coxon, Adela Mere], bandage changed, {A.M.R.} initialled",
    "[PATIENT:GRAY HORSE, EMMETT LEE] slept. {E.L.G.} to bring his form",
    "[PATIENT:Dorothea Quist] here. {DQ} tearful, says it is her anniversary",
    "[PATIENT:Bertil Oyelaran]: (1) scope; (2) {BO} to be re-presented in May",
    "[PROVIDER:Karin Zettel] spoke. {KZ}: no further scans",
    "[PATIENT:Dorothea Quist] slept. Dr. Vale in to see {DQ}. Ceftriaxone started",
    "[FACILITY:HEMLOCK BEND CHILDREN'S] clinic. Born at {HBCH} by section",
    "[FACILITY:BAYOU CANE KIDNEY] CTR ({BCKC}-O) HD",
]
FOUND += [
    "[PROVIDER:Lora Mabry] and [PROVIDER:Dan Quist]. bleach neg x2 ({LM}/{DQ})",
    "[PROVIDER:Penny Loomis], CRNA\nArrow x1 ({PL}), ok",
    "for Dr. [PROVIDER:Amara Oyelaran]\nI, {AO}, personally performed the services",
    "taken by [PROVIDER:Danita Crews]\n\n{DC} - called wife back",
    "[PROVIDER:Moira Delahunt], SLP\nStudent was supervised 100%. {MD}",
]
FOUND += [
    "From: {CVC} MICU at [FACILITY:Cascara Valley Clinic]",
    "[PROVIDER:Edith Rook], MD\nVideo visit at 4:30? -- {ER}\n",
    "PCP: [PROVIDER:Castell-Rook]. Seen by Dana as {CR} is out till July",
    "[PROVIDER:Hedda Ulm], CNM. Cat I by 0652. {HU} at bedside.",
    "[PROVIDER:N. Tsosie-Clark], RN\n0815 {ntc}: C/C/+1. Peanut ball off",
    "[PROVIDER:Mary Okun-Bell], M.D.\n{mob}\ntyped 9/19/08",
]
NOT_FOUND = [
    "[PROVIDER:Uma Stone], MD. US at bedside shows no effusion",
    "[PROVIDER:Henry Rook], MD. HR is off the chart, BP is back up",
    "[PROVIDER:Carl Reed], MD. CR is improving",
    "[PROVIDER:Ned Paul]\nas above\n0815 now: up\nMD: seen",
    "[PROVIDER:Danita Crews]\n\nDC - home with daughter",  # discharge
    "[PROVIDER:Moira Delahunt], SLP\nOkafor. MD",
    "[PROVIDER:Ivan Vogel] asked for I.V. fluids and P.O. intake",
    "[PATIENT:Cora Vale]. CV: regular. GI: soft",  # headings
    "[PROVIDER:Paul Tregenza]. PT says he walks well",  # a service
    "[PATIENT:Hana Rusk]. the DQ tearful",
    "[PROVIDER:Paula Trent] in to see PT and OT",
    "Dr. NG says no. [PROVIDER:Nora Gage]",
    "[FACILITY:Bend Hospital]. BHC of the lung",  # two letters of a name are too few
    "R IJ CVC placed at [FACILITY:Cascara Valley Clinic]",  # a catheter
    "[PROVIDER:Ada Petrov]\nTIME  BP  HR  BFR  AP  VP  NOTES\n",  # the columns of a table
    "[PROVIDER:Gretchen Paquette Obi]\nthe gpo 10/18/23",
    "[PROVIDER:Oluwa Tregenza]. Seen by OT on the ward",  # a service
    "[PATIENT:Ann Beth Grant]. ABG drawn, COPD",  # an abbreviation of medicine
    "[PROVIDER:Gail Pemberton], RN. GP will follow",  # a general practitioner, in the middle of a sentence
    "[PROVIDER:Gwen Adams]\n  GA at birth 27 3/7",  # gestational age
    "[PROVIDER:Paul Thomas]. PT and OT consulted",
    "[PROVIDER:Gail Pemberton]\nHR 80   BP 120/80",
    "[FACILITY:Corio Bay Imaging] (CT) today",
    "[PROVIDER:Pemberton]\nGP",  # one name has no initials
    "[PATIENT:Ana Ortiz] code_AO\nfile-AO",
    "[PROVIDER:Mira Mbeki-Stone]. By [PROVIDER:Noelle Ferrante], M.S., CCC-SLP",  # a degree
    "[FACILITY:Medical Records Institute]. MRI of the brain",
    "[FACILITY:Corio Imaging]. CI today",
    "plan\nGP",
]


@pytest.mark.parametrize("marked", FOUND)
def test_letters_that_agree_with_a_full_name_are_marked(marked: str):
    text, spans = read_markup(marked.replace("{", "[INITIALS:").replace("}", "]"))
    full = [span for span in spans if str(span.entity) != "INITIALS"]
    short = [(span.start, span.end) for span in spans if str(span.entity) == "INITIALS"]
    found = mark_short_names(text, full, 0.9)
    assert [(span.start, span.end) for span in found if span.detector == SHORT_NAMES] == short
    assert mark_short_names(text, found, 0.9) == found


@pytest.mark.parametrize("marked", NOT_FOUND)
def test_other_letters_stay(marked: str):
    text, spans = read_markup(marked)
    assert mark_short_names(text, spans, 0.9) == sorted(spans)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ('labeled "G. [PATIENT:Holloway] L br"', "G. Holloway"),
        ('labeled "[INITIALS:G]. [PATIENT:Holloway] L br"', "G. Holloway"),
        ("seen with M.[PROVIDER:Okafor]", "M.Okafor"),
        ("hepatitis B. [PATIENT:Holloway] agrees", "Holloway"),
        ("PCT|D. [PROVIDER:Holloway]|MD", "D. Holloway"),
        ("Aud:...G. [PROVIDER:Holloway], AuD", "G. Holloway"),
        ("at St. [CITY:Albans]", "Albans"),
        ("spirometer. --P. [PROVIDER:Singletary] LPN", "P. Singletary"),
        ("son confirms -K. [PROVIDER:Moon]", "K. Moon"),
        ("hepatitis-B. [PATIENT:Holloway] agrees", "Holloway"),
    ],
)
def test_an_initial_in_front_belongs_to_the_surname(marked: str, expected: str):
    text, spans = read_markup(marked)
    assert [text[span.start : span.end] for span in grow_over_initials(text, spans)] == [expected]


def test_a_name_that_is_not_certain_gives_no_initials():
    from dataclasses import replace

    text, spans = read_markup(FOUND[0].replace("{", "").replace("}", ""))
    assert mark_short_names(text, [replace(spans[0], score=0.6)], 0.9) == [replace(spans[0], score=0.6)]


@pytest.mark.parametrize("marked", ["[INITIALS:RT]", "[INITIALS:R]T"])
def test_initials_that_agree_with_a_full_name_are_certain_whoever_found_them(marked: str):
    """So that recovery does not take RT for a therapist."""
    text, spans = read_markup(f"[PROVIDER:Rose Tannen], PharmD\n| No change. | {marked} |")
    found = mark_short_names(text, spans, 0.9)[1]
    assert (text[found.start : found.end], str(found.entity), found.detector) == ("RT", "INITIALS", SHORT_NAMES)


def test_letters_that_were_taken_for_a_surname_are_the_initials_of_a_full_name():
    text, spans = read_markup("[PROVIDER:Dean Okafor]. Lobectomy by [PROVIDER:DO]. [PROVIDER:NG] came")
    found = mark_short_names(text, spans, 0.9)
    assert [(text[one.start : one.end], str(one.entity)) for one in found[1:]] == [
        ("DO", "INITIALS"),
        ("NG", "PROVIDER"),
    ]


def test_a_surname_of_two_letters_behind_its_title_is_no_initials():
    text, spans = read_markup("[PROVIDER:Nora Gale], RN. DR [PROVIDER:NG] called, Dr. [PROVIDER:NG] agrees")
    assert mark_short_names(text, spans, 0.9) == spans


@pytest.mark.parametrize(
    ("marked", "found"),
    [
        ("Our ref: [INITIALS:OT]/[INITIALS:kjb]\nAs above.\nDictated by OT, typed by hand (KJB)", ["OT", "KJB"]),
        ("[PROVIDER:D. Okafor], M.D.\nDO:[INITIALS:phk]  Voice ID", ["DO"]),
        ('two sons, ("[INITIALS:CJ]," 24). Met CJ today', ["CJ"]),
        ("[INITIALS:WBC] 6.2\nthen WBC rose", []),  # letters that were taken for initials
        ("Ref [INITIALS:OT]. Then OT came", []),
        ("Countersigned: FR/[INITIALS:MQ]", ["FR"]),
        ("[INITIALS:MQ]/DK at the end of a note", ["DK"]),
        ("[INITIALS:MQ]/PT on the ward", []),  # a service
        ("[INITIALS:MQ]/CT/MRI", []),
    ],
)
def test_initials_of_the_note_are_found_where_people_sign_and_if_in_quotes_everywhere(marked: str, found: list[str]):
    text, spans = read_markup(marked)
    new = [span for span in mark_short_names(text, spans, 0.9) if span.detector == SHORT_NAMES]
    assert [text[span.start : span.end] for span in new] == found


def test_an_acronym_that_was_taken_for_a_state_is_its_organization():
    text, spans = read_markup("[FACILITY:Blackstone Canal Medical Group] ([STATE:BCMG]). Back to BCMG")
    found = mark_short_names(text, spans, 0.9)
    assert [str(span.entity) for span in found] == ["FACILITY"] * 3
