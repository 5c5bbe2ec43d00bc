"""Scores, fractions and durations that look like dates are recovered, and a date beside them is not."""

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import read_tsv
from deid_tasks.core.span import Span
from deid_tasks.engine.recover import recover
from deid_tasks.engine.text import Document

SCORES = [
    "PHQ-9 [11/27] today",
    "PHQ9: [4/27].",
    "gad 7 score of [3/21]",
    "Epworth Sleepiness Scale [8/24]",
    "Epworth [8/24]",
    "Vancouver Scar Scale [4/13].",
    "Meets CASPAR, [3/6].",
    "Ranson [2/11] on arrival",
    "NIHSS was [5/42]",
    "Wells score [3/9]",
    "Braden [17/23]",
    "MoCA: [22/30]",
    "clock drawing [2/3]",
    "pain over [8/10] at night",
    "rates them at about [5/10]",
    "headache [3-4/10]",
    "VA cc   6/12   [6/24] ph 6/9",
    "vision [20/40] OD",
    "deltoid [4/5], grip 5/5",
    "hip flexion R 4/5, L [3/5]",
    "DP 1/4 PT [2/4]",
    "Apgar 2/5/8 at [1/5/10]",
    "GCS 8 ([1/2/5])",
    "cefepime d[3/7]",
    "review in [2/52]",
    "took it for [3/7]",
    "seen [6/12] ago",
    "ANA, which was positive at [1:80]",
    "BIMS [12/15]",
    "4AT [8/12]",
    "Morisky [5/8].",
    "Allred [8/8]",
    "Apfel [2/4]",
    "STOP-Bang ........ [3/8]",
    "Child-Pugh B ([8/15])",
    "PUSH [9/17]",
    "repeated the Snellen: [6/9] right",
    "Naranjo score [2/13]",
    "VISIT [7/24]   8/5/24",
    "FROM: 555-0184  P. [01/04]",
    "faxed pp [4/4]",
    "with [2/24] of central chest pain",
    "note; [6/9] and 6/12, mild NPDR",
    "note; 6/9 and [6/12], mild NPDR",
    "since she was 3 [1/2]",
    "abd pn [7/10]",
    "pain through to the back, [7/10] at night",
    "ROS [10-12/7] with your nurse",
    "SCAT sx [2/22]",
    "SCAT6: symptom [9/22]",
    "Kellgren-Lawrence [2/4]",
    "Killip II, TIMI [6/14].",
    "CAM [2/4] overnight",
    "dysphagia, IDDSI [5/2]",
    "Swollen [9/28], tender 13/28",
    "tender joints [2/28]",
    "septic shock [2/2] MRSA pneumonia",
    "anemia [2/2] GI bleed",
    "AKI [2/2] poor po intake",
    "cisatracurium, TOF [2/4])",
    "BPP [8/8].",
    "E. coli [2/4] bottles",
    "BCx 9/28 MRSA [2/2]; repeat neg",
    "neuro obs [1/24], bloods at 6 h",
    "daughter staying for first [2/52].",
    "ART defaulted [7/12] when he worked away",
    "the wife is [8/12] pregnant",
    "per Rydel-Seiffer [4/8]. Romberg",
    "Hazelbaker function [9/14], appearance 7/10",
    "was good: Boston 2-3-3 = [8/9].",
    'he did the "teach back" [3/3].',
    "Clinimix E [5/15] @ 80",
    "Employer will hold post for [4/12].",
    "Vanderbilt parent [7/9] inattn, 6/9 hyper; teacher 8/9, 4/9",
    "Vanderbilt parent 7/9 inattn, [6/9] hyper; teacher 8/9, 4/9",
    "Vanderbilt parent 7/9 inattn, 6/9 hyper; teacher 8/9, [4/9]; both",
    "Norco given for [7/10] incisional pain, reassess 3/10",
    "given for 7/10 incisional pain, reassess [3/10], now asleep",
    "Norco 5 given, [2/10] on reassess",
    "pain 8/10, [4/10], 3/10 on d/c",
    "Finnegan [9-8-11]; ESC: eats ok",
    "PRIDE skills [10-10-10] in play",
    "BPE [3/2/3] 4*/3/2. OPG taken",
    "BPE 3/2/3 [4*/3/2]. OPG taken",
    "mobility II, PPD [7/6/8], BOP",
    "Jamar R 18/20/17 L [10/11/12].",
    "SPT: histamine 7x22, D. farinae [9/30], Timothy 6/25, dog 0",
    "SPT: histamine 7x22, D. farinae 9/30, Timothy [6/25], dog 0, Alternaria 3/8",
    "Titmus fly pos [6/9], stereo",
    "Ishihara [6/14], HVF full",
    "quads 3+/5, 4/5 [DF]",
    "[KE] 4/5 on the left",
    "TP bx 14 cores, Gleason 3+4 in [3/14]",
    "OTV fx [12/33]: mucositis 1",
    "biosimilar, quantity limit [2/28]",
    "tonsils w/ Coblator [7/3], Crowe-Davis",
    "VBG 7.31/62, improved from [7.24/78] on BiPAP",
    "I:C 1:9 breakfast, [1:11] supper",
    "red flags explained, SOS [3/12], leaflet",
    "cont same. TCU [4/12] w HbA1c",
    "moist cough, SOOB [2/24], MOS",
    "SLEDAI 8, NIH AI [9/24]",
]
DATES = [
    "Hazelbaker [9/12] in clinic",
    "Boston [8/9] with wife",
    "teach back [3/4] by nurse",
    "will hold clinic on [4/12].",
    "PHQ-9 on [8/27] was high",
    "PHQ-9 [6/14]",
    "PHQ-9 [8/27]: 14",
    "PHQ-9 [8/27] was 14",
    "PHQ-9 [8/27/21]",
    "GAD-7 from [9/21]",
    "Wells [5/9] on rounds",
    "Naranjo [2/13] on rounds",
    "visit [7/24] with wife",
    "Norton [9/20] in clinic",
    "seen [2/24] of last year",
    "seen [6/9] and 6/12 in clinic",
    "seen 6/9 and [6/12] in clinic",
    "dose 2 [1/3] at clinic",
    "on [2/24] hx was taken",
    "admitted [10-12/7] there",
    "fell [7/10] at night",
    "since 12/31, [1/2] and on",
    "pain since [7/10]",
    "pain began on [7/10]",
    "headaches [7/10/21]",
    "seen in [3/12]",
    "PT [2/4] at ten",
    "MoCA [3/14]",
    "stopped [7/17]",
    "TIMI flow on [6/14]",
    "CAM [2/5] overnight",
    "swollen since [9/28]",
    "swollen [9/27]",
    "IDDSI [5/21]",
    "IDDSI on [5/2]",
    "AKI [2/2] by Dr Lim",
    "fever [2/2] COVID test neg",
    "septic shock [2/2], MRSA in blood",
    "MRSA [2/2] and again",
    "BCx [9/28] MRSA 2/2",
    "placed in obs [1/24] for chest pain",
    "defaulted [7/12]/2023 when he worked away",
    "seen [8/12] pregnant",
    "PHQ-9 12/27, seen [3/27] by phone",
    "PHQ-9 12/27, [3/27] visit",
    "MMSE 24/30, next [6/30]",
    "had abdominal pain on [3/10] with emesis",
    "INR rechecked [3/10]",
    "CIWA [3-14-21]: 8",
    "COWS [3/14/24]: 3",
    "PPD [7/6/08] neg",
    "new cat since [4/12]",
    "SPT on [3/14]: all neg",
    "Gleason 3+4 in [3/14]",
    "bx 12 cores, seen in [3/14]",
    "hip fx [3/14], ORIF next day",
    "coblation [7/14]",
    "I:C 1:9, seen at [1:11] in triage",
    "observed [1/24] in the ED",
]


def outcome(marked):
    start = marked.index("[")
    end = marked.index("]") - 1
    entity = Entity.DATE if any(character.isdigit() for character in marked[start:end]) else Entity.INITIALS
    span = Span(start, end, entity, "transformer")
    return recover(Document("n", marked.replace("[", "").replace("]", "")), [span])


@pytest.mark.parametrize("marked", SCORES)
def test_a_score_is_not_a_date(marked):
    assert not outcome(marked).kept


@pytest.mark.parametrize("marked", DATES)
def test_a_date_beside_a_scale_stays(marked):
    assert outcome(marked).kept


def test_each_scale_is_recovered_with_its_highest_value():
    for row in read_tsv("scales.tsv"):
        for maximum in row["maximum"].split():
            name = row["name"] if row["alone"] == "yes" else f"{row['name']} score"
            assert not outcome(f"{name} [2/{maximum}] today").kept, row
        assert row["source"]
