"""People, their ages, trades and addresses told in passing: in the clipped style of the ward, without titles."""

import re

import pytest

from tests.engine.detect.test_patterns import mark

FOUND = {
    "names at the head of a line": """
        [PATIENT:Okafor] BG 342 , gave 8u
        [PATIENT:okafor] k 3.1 repleted
        [PATIENT:mcelroyd] k 3.1 repleted
        [PATIENT:Okafor] HR 140s, in AF
        [PATIENT:Okafor] 148 kg, needs a lift
        [PATIENT:Okafor] , Allegra 180 daily, prn
        [PATIENT:Okafor] lasix 40 given
        [PATIENT:Okafor] PICC out, tip whole
        [PATIENT:Okafor] s/p fall, no LOC
        [PATIENT:Spotted Elk] K 5.6, repeat
    """,
    "persons at the bedside": """
        [RELATIVE:Joy] at bedside, tearful
        [RELATIVE:grace] at bedside all night
        [PATIENT:Do] would like to eat
        [PROVIDER:hope] called back from lab, hemolyzed
        NAME ALERT two [PATIENT:Okafor, M] on unit
        reviewed with [PROVIDER:Foley] (uro) who prefers a coude foley
        d/w [PROVIDER:Bell] (neuro), no change
        roommate "[RELATIVE:T]" found him
        adj. [RELATIVE:Trish] approved six visits
        his boss [RELATIVE:Maria Okafor] won't agree
        sponsor is a [RELATIVE:Wally] somebody
    """,
    "names with an apostrophe, and surnames of the Plains": """
        [PATIENT:Ka'ahumanu] resting
        [PATIENT:DeShaun'tae] voided
        [PATIENT:Te'o] knee brace on
        On-call MD [PROVIDER:Fa'alogo] ok with it
        grandma [RELATIVE:Delores Bad Heart], stents
        chart for [PATIENT:Whiteman Runs Him] not found
    """,
    "initials": """
        Dictated: [INITIALS:SPK]  Transcribed: [INITIALS:dwz]
        VS entered late by [INITIALS:lq] for [INITIALS:mzt], was on break
        dressing changed, tol well........[INITIALS:r.o.]
        2nd RN check: heparin 18 -- D. [PROVIDER:Xiong] / [INITIALS:PQ]
        [INITIALS:EJ] from speech rec thick liquids
    """,
    "ages": """
        menarche [AGE:eleven], coitarche [AGE:17], para 0
        menarche at [AGE:11], menopause [AGE:49], no HRT
        first period at [AGE:12], regular
        Smoked from [AGE:13] until [AGE:60], 2 ppd
        MGM breast ca [AGE:38], aunt ovarian [AGE:51], BRCA neg
        pat GF colon ca [AGE:62], d. [AGE:65]
        onset of tics [AGE:7.5], now [AGE:16], better
        kid brother [AGE:12] has the trait
        [AGE:6]wk M projectile emesis
        began drinking at [AGE:14].
    """,
    "trades": """
        husb [PROFESSION:preaches], she does [PROFESSION:hair], no tob
        raises [PROFESSION:hogs] with his wife
        Occ: [PROFESSION:nails] (acrylics)
        pt is an OR [PROFESSION:nurse] and needs a letter
        son [RELATIVE:Okafor] an [PROFESSION:RN] in town
    """,
    "addresses": """
        scans to [EMAIL:j.okafor at mvhs dot org]
        write to [EMAIL:kt.okafor(at)example(dot)com]
        her # is [PHONE:(two-oh-seven) 555-0166] per VM
        plays as [USERNAME:xX_okafor_Xx] till late
        venmo @[USERNAME:Okafor-B-44] scam
    """,
}
LEFT_ALONE = """
    Gardner-Wells 15 lb traction, reduced
    Crowe III dysplasia
    Bohler 8, Gissane 140
    Shaffer grade 3
    Seidel neg at bleb
    Friedman stage 2
    Temp BP 120/80
    Lasix 40 given
    Commode at bedside
    drew at bedside, sent to lab
    He would like to eat. It wants a stitch
    Ma'am, o'clock, Don'tknow
    Left Leg edema. Red Bull 2 cans
    Runs Behind: no
    reviewed with Ortho (uro), back to Ward (ICU)
    Hoyer at bedside. PO Tylenol given
    given by the for me
    dots.....CBC
    double check heparin: Aptt / INR
    CT from radiology pending
    menopause 5 yrs ago, menarche 3/4
    drinking from 2 to 3 beers
    smoked from 10 to 12 cigs
    brother 2 has asthma
    seen at noon dot matrix
    handle with care, steam 20 min
    raises arm. She does well. He keeps calm
    one two three 555 mg
"""


def _lines(block: str) -> list[str]:
    return [line.strip() for line in block.strip().splitlines()]


@pytest.mark.parametrize("expected", [line for block in FOUND.values() for line in _lines(block)])
def test_people_are_found(expected: str) -> None:
    assert mark(re.sub(r"\[[A-Z_]+:([^\[\]]*)\]", r"\1", expected)) == expected


@pytest.mark.parametrize("text", _lines(LEFT_ALONE))
def test_everyday_medicine_is_left_alone(text: str) -> None:
    assert mark(text) == text
