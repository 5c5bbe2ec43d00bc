"""What only the model found and is none: figures, fragments, headings, everyday words in small letters."""

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.recover import recover
from deid_tasks.engine.text import Document

GIVEN_BACK = [
    ("student, part [PROFESSION:time] barista", "transformer"),
    ("in June 2022 and January [DATE:of] this year", "transformer"),
    ("with a [PROVIDER:Tigrinya] interpreter on the line", "transformer"),
    ('he says "[RELATIVE:God] will carry it"', "transformer"),
    ("Grace at table with [RELATIVE:Gran].", "transformer"),
    ("(2023: [TIME:277])", "transformer"),
    ("Sunday[DATE:s] only", "transformer"),
    ("pain [DATE:1]/10", "transformer"),
    ("SSN last[SSN:4]: ", "transformer"),
    ("08:01 /[INITIALS:es]/ by hand", "transformer"),
    ("76 y/o [PROFESSION:Vietnam veteran] here", "transformer"),
    ("Voldyne to [TIME:1573].", "transformer"),
    ("AST at [AGE:39] U/L", "transformer"),
    ("ambulated in [CITY:hall] with walker", "transformer"),
    ("mom has [RELATIVE:sugar]", "transformer"),
    ("[INITIALS:ROS] negative", "transformer"),
    ("lower extremity.[INITIALS:ß]", "transformer"),
    ("A little ooze. [PATIENT:Pus] means call", "transformer"),
    ("Home. Jane ([STATE:PA]) to do scripts", "transformer"),
    ("ok'd #[ORGANIZATION:28] only", "transformer"),
    ("[LOCATION_OTHER:rm] 7S-09", "transformer"),
    ("Form [OTHER_ID:88-1412]", "transformer"),
    ("at 9:07 [INITIALS:CST]", "transformer"),
    ("[INITIALS:TB]         | negative", "transformer"),
    ("[LOCATION_OTHER:bed 5] in the ER", "transformer"),
    ("[PROVIDER:sgd] by hand", "transformer"),
    ("[PROVIDER:ortho] pgy4 Blount", "transformer"),
    ("Sheriff [PROVIDER:Dep]. Quist", "transformer"),
    ("[ORGANIZATION:Rx] BIN 610097", "transformer"),
    ("Rx [ORGANIZATION:BIN] 610097", "transformer"),
    ("[STATE:Tx] today", "transformer"),
    ("N1/N2/N3/R % [DATE:8/51]/14/27", "transformer"),
    ("OA/CA/MA/H 88/[DATE:3/2/58] in all", "transformer"),
    ("Pavilion, [STATE:OR] 4", "transformer"),
    ("ORTHO [PROVIDER:WALK]-IN", "transformer"),
    ("for [CITY:Check]-Up only", "transformer"),
    ("a cashier in a [PROFESSION:supermarket]", "transformer"),
    ("[PATIENT:Urogyn] f/u", "transformer"),
    ("Urea N          27      7-20\n[PROVIDER:Creat]           2.6 H   0.6-1.2", "transformer"),
    ("| [PATIENT:Alk] | 118 | U/L |", "transformer"),
    ("infusing @ [TIME:81]", "transformer"),
    ("by [TIME:7]/10", "transformer"),
    ("grade [LOCATION_OTHER:C] today", "transformer"),
]
GIVEN_BACK += [
    ("hs-trop 41 ([ORGANIZATION:Abbott Architect], acc", "transformer"),
    ("DES to LAD (Xience Alpine 2.5x18, [PROVIDER:Abbott]); mild", "transformer"),
    ("Ki-67 12%. [PROVIDER:Ventana], ASCO/CAP 2023", "transformer"),
    ("changed to 3M [ORGANIZATION:Red Dot] leads", "transformer"),
    ("takes [PROVIDER:Plenvu] only", "transformer"),
    ("[PROVIDER:LUCAS] & Zoll X on standby", "transformer"),
    ("[PATIENT:NIMIS] shows the films", "transformer"),
    ("in Room 4 + [CITY:Zoom]. Scribe", "transformer"),
    ("HPCSA [LICENSE:MP] 0411207", "transformer"),
    ("L hip hemi ([PATIENT:Austin Moore]), fell", "transformer"),
    ("Plac 06:19 [PATIENT:Schultze], complete", "transformer"),
    ("physio, PD [PROVIDER:Warrior] group", "transformer"),
    ("Call via [USERNAME:NHS]24 at 19:22", "transformer"),
    ("Twin ([RELATIVE:Baby B]) died", "transformer"),
    ("lives w/ [RELATIVE:gma] now", "transformer"),
    ("watches baby [PATIENT:M-Th], then", "transformer"),
    ("will do it btw [DATE:10-11], P2P", "transformer"),
    ("home on [DATE:1/8] L NC", "transformer"),
    ("nobody calls [FACILITY:CPS] again", "transformer"),
    ("via [FACILITY:VVC] at ten", "transformer"),
    ("Purchased/Referred [FACILITY:Care] PRC auth", "transformer"),
    ("[LOCATION_OTHER:B-3] referral faxed", "transformer"),
    ("x2 by [VEHICLE:medic -> 3]/10", "second_search"),
    ("Home = 3[ORGANIZATION:rd] fl walk-up", "transformer"),
    ('began "right after [DATE:Mass]" at noon', "transformer"),
    ("drives up Thurs [DATE:eve].", "transformer"),
    ("camp on [DATE:1st] Sundays", "transformer"),
    ("clinic [DATE:2nd] Tuesday of the month", "transformer"),
    ("[FACILITY:Te Whatu Ora] - region", "transformer"),
    ("| [FACILITY:District Nursing], base", "transformer"),
    ("NZ Euro/[PATIENT:Kāi Tahu] lives", "transformer"),
    ("[FACILITY:NZ Euro/Kāi Tahu] lives", "transformer"),
    ("cc [PROVIDER:Ward] D2", "transformer"),
    ("[INITIALS:Sd]/- by hand", "transformer"),
    ("ICCU -> [FACILITY:Spl] Rm 206", "transformer"),
    ("Ramnad [STREET:Dt]., South", "transformer"),
    ("This is [PROVIDER:Maw-Maw]. Happy", "transformer"),
    ("Interp: [RELATIVE:Hmong], 55 min", "transformer"),
    ("Interp [PROVIDER:Somali] (declined)", "transformer"),
    ("[LOCATION_OTHER:bed swapped] at noon", "transformer"),
]
KEPT_IN_CONTEXT = [
    ("corner of Elm & 61[LOCATION_OTHER:st], open", "transformer"),
    ("seen in ED, [PROVIDER:Abbott] agrees", "transformer"),
    ("([PROVIDER:Abbott])", "transformer"),
    ("[PROVIDER:Ventana] called", "transformer"),
    ("[PATIENT:LUCAS] & his mother. Lucas slept", "transformer"),
    ("[PATIENT:LUCAS] says", "transformer"),
    ("[CITY:Zoom]. She", "transformer"),
    ("[LOCATION_OTHER:B-3] bed", "transformer"),
    ("[DATE:Mass] 2021", "transformer"),
    ("on the [DATE:1st], Sunday", "transformer"),
    ("[DATE:1st] Sunday 3 May", "transformer"),
    ("[FACILITY:Te Whatu Ora Gore]", "transformer"),
    ("Mr [PATIENT:Kai Tahu] lives", "transformer"),
    ("cc [PROVIDER:Ward], MD", "transformer"),
    ("spoke with [PATIENT:Austin Moore]", "transformer"),
    ("Mr. [PATIENT:Schultze] slept", "transformer"),
    ("between [DATE:10-11] and 10-14", "transformer"),
    ("seen [DATE:1/8] L knee", "transformer"),
    ("Mrs [PATIENT:Warrior] called", "transformer"),
    ("Mrs [PROVIDER:Maw Naw] slept", "transformer"),
]
GIVEN_BACK += [
    ("[PATIENT:Hosp] #: 3308174", "transformer"),
    ("Loc: BMH [STATE:OR]\nCollected", "transformer"),
    ("pt picks Lakeshore Rehab, [STREET:2nd] Hillcrest Manor", "transformer"),
    ("repeat film [DATE:mid]-spring", "transformer"),
    ("meeting by [PROVIDER:Zoom] at two", "transformer"),
    ("reviewed, [FACILITY:Cons], 07:30", "transformer"),
    ("house 118, [STREET:Near] the temple", "transformer"),
    ("review with [INITIALS:FBS] and PPBS", "transformer"),
    ("he drove a [PROFESSION:log] truck", "transformer"),
    ("QB 350   [PHONE:200  -090  080]  rinseback", "transformer"),
    ("[PROVIDER:District] Nurse", "transformer"),
    ("[LOCATION_OTHER:Chair] 9, shift 1", "transformer"),
]
GIVEN_BACK += [
    ("CHI 3011554417, d.[INITIALS:o.b]. 30.11.1955", "transformer"),
    ("anesthesia in 1989 - ?[INITIALS:MH]. Neg", "transformer"),
    ("interpreted from [CITY:Oji-Cree] for her mother", "transformer"),
    ("F / [PROVIDER:Chinese]\n", "transformer"),
    ('"the [PROFESSION:Hmong] girl"', "transformer"),
    ("she worked the [PROFESSION:switchboard] there", "transformer"),
    ("taught [PROFESSION:vo]-ag", "transformer"),
    ("hit his head on the [LOCATION_OTHER:bleacher]", "transformer"),
    ("[LOCATION_OTHER:POD 15] from L TKR", "transformer"),
    ("PACT [VEHICLE:TEAL 3] provider", "transformer"),
    ("[STATE:PA] pending, ref 25", "transformer"),
    ("[PATIENT:Late Smt]. Rukmani expired", "transformer"),
    ("[PROVIDER:Diolch o galon],\nDr Rees", "transformer"),
    ("final yr [PROVIDER:B.E]. Mech", "transformer"),
    ("[PATIENT:T. Ciplar] LA 40 1-0-0", "transformer"),
    ("[PROVIDER:Counts] correct x2", "transformer"),
    ("[PATIENT:Libre] says avg 231", "transformer"),
    ("Cc: [PROVIDER:Endo Nurses] NP", "transformer"),
    ("lost the car at [CITY:Mass] twice", "transformer"),
    ("copy w/ [PROVIDER:ROI]. Card given", "transformer"),
    ("EXAM: +[PROVIDER:Murphy]. No Rovsing", "transformer"),
    ("With [RELATIVE:Addison]'s in your aunt, I want a cortisol", "transformer"),
    ("([FACILITY:NIHB])", "transformer"),
    ("[ORGANIZATION:HP] 9855 0172", "transformer"),
]
KEPT = [
    ("will call.\n-[PROVIDER:Murphy]\n", "transformer"),
    ("[RELATIVE:Allen]'s in the room", "transformer"),
    ("came with [RELATIVE:Allen] + his wife", "transformer"),
    ("seen in the south [LOCATION_OTHER:gym of Birch House] today", "transformer"),
    ("in [LOCATION_OTHER:room six].", "transformer"),
    ("locked by [INITIALS:ROI]\n", "transformer"),
    ("T. [PATIENT:Ciplar] called", "transformer"),
    ("at [CITY:Mass General]", "transformer"),
    ("[PATIENT:Libre] rang", "transformer"),
    ("lives in Bend, [STATE:OR] 97701", "transformer"),
    ("turn at [STREET:2nd] and then left", "transformer"),
    ("Ph: [PHONE:0866-555 0122]", "transformer"),
    ("cell [PHONE:617  555  0123]", "transformer"),
    ("filled at [ORGANIZATION:Zelmart] #1234", "transformer"),
    ("her sister [RELATIVE:Alexa] called", "transformer"),
    ("his friend [RELATIVE:Reg] drove", "transformer"),
    ("the [PROVIDER:Karen] who interprets", "transformer"),
    ("gave Zyrtec at [TIME:7]. No blister", "transformer"),
    ("in the salon until [TIME:6], better text", "transformer"),
    ("RN Kostas bed [LOCATION_OTHER:4] 1509", "transformer"),
    ("Location: [LOCATION_OTHER:C] Wing, cell", "transformer"),
    ("[PATIENT:Quiroga]           4      2 doses", "transformer"),
    ("seen, [PROVIDER:Creat]   2.6   0.6-1.2", "transformer"),
    ("Mrs. [PATIENT:Walk]-Ingram", "transformer"),
    ("seen by [PROVIDER:Walk] today", "transformer"),
    ("a [PROFESSION:supermarket cashier]", "transformer"),
    ("Salem, [STATE:OR] 97301", "transformer"),
    ("Austin, [STATE:TX] today", "transformer"),
    ("ortho [PROVIDER:Blount] here", "transformer"),
    ("d/w [RELATIVE:Bin], who agrees", "transformer"),
    ("home [DATE:1/5]. Then", "transformer"),
    ("seen in [DATE:2019]", "transformer"),
    ("at [TIME:0835]", "transformer"),
    ("since [DATE:3/14/2021] only", "transformer"),
    ("at [TIME:1959]", "transformer"),
    ("[AGE:92] mg is not meant", "patterns"),
    ("dr. [PROVIDER:walker] aware", "transformer"),
    ("d/w [PROVIDER:zúñiga]", "transformer"),
    ("[PATIENT:Walker] ambulated", "transformer"),
    ("[INITIALS:mko]", "transformer"),
    ("Entered:[INITIALS:HA]", "transformer"),
    ("[LOCATION_OTHER:Bed 16]", "transformer"),
    ("ok. [PATIENT:Young] is here", "transformer"),
    ("from Springfield ([STATE:IL])", "transformer"),
    ("Pharmacy #[ORGANIZATION:2601]", "transformer"),
    ("Corner Pharmacy #[ORGANIZATION:12]", "transformer"),
    ("12 oak terrace #[ORGANIZATION:33]", "transformer"),
    ("[LOCATION_OTHER:rm 7S-09]", "transformer"),
]


def run(marked: str, detector: str, score: float = 1.0) -> tuple[bool, bool]:
    start = marked.index("[")
    name, value = marked[start + 1 : marked.index("]")].split(":", 1)
    text = marked[:start] + value + marked[marked.index("]") + 1 :]
    result = recover(Document("n", text), [Span(start, start + len(value), Entity(name), detector, score)])
    return bool(result.kept), bool(result.recovered)


@pytest.mark.parametrize(("marked", "detector"), GIVEN_BACK)
def test_given_back(marked, detector):
    assert run(marked, detector) == (False, True)


@pytest.mark.parametrize(("marked", "detector"), KEPT + KEPT_IN_CONTEXT)
def test_kept(marked, detector):
    assert run(marked, detector) == (True, False)


@pytest.mark.parametrize("marked", ["gave Zyrtec at [TIME:7].", "RN Kostas bed [LOCATION_OTHER:4] 1509"])
def test_one_figure_is_noise_where_the_model_is_not_sure(marked):
    assert run(marked, "transformer", score=0.8) == (False, True)


def test_what_the_patients_record_holds_is_never_noise():
    span = Span(0, 4, Entity.PATIENT, "transformer")
    result = recover(Document("n", "hall walks"), [span], None, [Span(0, 4, Entity.PATIENT, "patient")])
    assert result.kept == (span,)
