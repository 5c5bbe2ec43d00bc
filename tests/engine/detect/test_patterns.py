"""What the pattern rules find and what they leave alone, one table an entity."""

import re
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import SettingsError
from deid_tasks.core.span import check_spans
from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.ascii import fold_to_ascii

_MARK = re.compile(r"\[([A-Z_]+):((?:[^\[\]])*)\]")
DETECTOR = PatternDetector()


def mark(text: str, detector: PatternDetector = DETECTOR) -> str:
    shown, position = "", 0
    for span in detector.detect([Document("n", text)])[0]:
        shown += f"{text[position : span.start]}[{span.entity}:{text[span.start : span.end]}]"
        position = span.end
    return shown + text[position:]


STRONG = {
    "dates": """
        Seen [DATE:3/14/2021] and again [DATE:03-14-21].
        Labs of [DATE:3.14.21] and [DATE:2021-03-14] were normal.
        Admitted [DATE:14-Mar-2021], discharged [DATE:March 14th 2021].
        Surgery [DATE:March 14, 2021] and [DATE:14 March 2021].
        Stent in [DATE:Mar '21], CABG [DATE:11/93].
        Seen on [DATE:3/14] and due [DATE:6/30].
        MRI of [DATE:13/41/2020], clinic [DATE:3//14/21].
        Fell on [DATE:323/20] at home.
        Comes back [DATE:Tues 3/14] or [DATE:Tuesday, March 14, 2021].
        Antibiotics [DATE:3/1]-[DATE:3/5].
        Stay [DATE:3/14/21]-[DATE:3/16/21]
        DOB:[DATE:4/5/61]Sex:M
        Case: [DATE:2024-Mar-04], visit: [DATE:2024/03/04], exam: [DATE:2024.Mar.04], study: [DATE:20240304T083500]
        Left hip [DATE:'09] by a colleague, stent [DATE:'12]. Measures 5 '10 long, a "big '12" one, 2 '06 in.
        Date of visit: [DATE:04-Mar-2024], encounter: [DATE:04Mar2024], visit: [DATE:Mar-04-2024]
        DOB: [DATE:03142021]
        Film of [DATE:20210314] compared.
        Moved here in [DATE:1998]; no change since [DATE:'09].
        Travelled in [DATE:January] and [DATE:spring 2021], back by [DATE:Thanksgiving].
        See you on [DATE:Monday]. Call on [DATE:the 14th].
        Seen [DATE:3/14/21] – “well”.
    """.replace("on [DATE:the 14th]", "on the [DATE:14th]"),
    "times": """
        Arrived [TIME:08:35], left at [TIME:8:35 AM] or [TIME:8 pm].
        Given at [TIME:0835]. Seen [TIME:1420 hrs].
        Read [DATE:03/14/2021] [TIME:0710]
        Logged [DATE:2021-03-14T08:35:00Z], sent [DATE:2021-03-14T08:35:00.123+05:30], filed [DATE:20210314T0835]
        Logged [DATE:2021-03-14] [TIME:08:35:00.123Z] and [DATE:2021-03-14] [TIME:08:35:00-07:00]
        Shift [TIME:08:35]-[TIME:09:40]. Time: [DATE:2021-03-14] [TIME:08:35]
        Call [TIME:20:04 PST] to [TIME:8:21 pm EST], [TIME:0835 hrs], at [TIME:1852 ACDT]. Seen [TIME:10:00] PT room.
        Sent home at [TIME:7] this morning, until [TIME:8] or [TIME:9] at night. He rates it at 7 today
    """,
    "ages": """
        A [AGE:92]-year-old woman, a [AGE:45] y.o. man, a [AGE:61]yo male.
        Daughter age [AGE:7], son aged [AGE:forty].
        [AGE:3] month old boy. A [AGE:seventy-two]-year-old man.
        In his [AGE:60s]. Died at [AGE:87].
        [AGE:45]F with chest pain. Age/Sex: [AGE:45]/F
        DOB/Age/Sex: [DATE:05/09/1955] ([AGE:68] F)
        Children ages [AGE:7], [AGE:9] and [AGE:12].
        He is [AGE:52] now and has a sister.
        DOB: [DATE:May 07, 1971]   [AGE:52] YRS
        Pt | M | [AGE:23] | x. Cyl | F | [AGE:9] mo | y. Size | M | 480 | z
    """,
    "contacts": """
        Call [PHONE:617-555-0123] or [PHONE:(617) 555-0123 x123].
        Fax: [FAX:617.555.0199]. Pager [PAGER:12345]. pgr #[PAGER:3-1234]
        Home phone [PHONE:6175550123], +UK [PHONE:+44 20 7946 0958].
        At [PHONE:555-0199], page [PAGER:41234] or ext. [PHONE:5123].
        Write to [EMAIL:a.b+c@mail.example.org].
        See [URL:https://portal.example.org/a?b=1]. Or [URL:www.example.com], [URL:my.example.com/x].
        From [IP:10.1.12.5] and [IP:2001:db8:0:0:0:ff00:42:8329].
    """,
    "numbers": """
        SSN (last 4): [SSN:6789], ssn last four [SSN:6780]. Visits in the last 4: 2021. VA last 4: [SSN:0937]
        Foley 16 Fr. Counts correct x2. Pain better. LMP [DATE:5/3]. PO 3/8 feeds.
        Signed [DATE:2021-03-14T08:35:00Z] [USERNAME:MOKAFOR1] from [IP:10.1.12.5], [DATE:2021-03-14T08:35:00Z] from home
        LAST NAME SPELLED [PATIENT:O-K-A-F-O-R], HEPATITIS A-B-C-D AND S-O-A-P NOTE.
        SSN [SSN:900-45-6789], last seen. SSN: [SSN:900456789]
        MRN: [MRN:RH1234567] MRN:[MRN:RH7654321]DOB:[DATE:4/5/61]
        Medical record number [MRN:00451234].
        Member ID: [HEALTH_PLAN:XYZ123456789]. MBI [HEALTH_PLAN:1EG4-TE5-MK73]
        Acct # [ACCOUNT:00123456].
        NPI [LICENSE:1234567893], DEA [LICENSE:AB1234563], license #[LICENSE:MD123456].
        VIN [VEHICLE:1HGCM82633A004352], plate [VEHICLE:GUP 1306].
        Serial number: [DEVICE:BLM757953]. Accession: [OTHER_ID:S21-12345].
        Specimen [OTHER_ID:SP-21-04567] received.
        Fingerprint ID: [BIOMETRIC:FP-8102-77].
        Study 1 id [OTHER_ID:123e4567-e89b-12d3-a456-426614174000].
    """,
    "places": """
        Lives at [STREET:123 Oak Street, Apt 4B], [CITY:Springfield], [STATE:IL] [ZIP:62704].
        [STREET:45 N. Main St.] [CITY:Boston], [STATE:MA] [ZIP:02115]
        Mail: [STREET:PO Box 123].
        Moved from [CITY:Akron], [STATE:OH] in [DATE:1998].
        Born in [STATE:Ohio], came back from [COUNTRY:Nigeria]. A Vietnam veteran, a Vietnam-era vet
        Now in Rm [LOCATION_OTHER:412B]. ZIP: [ZIP:62704].
        Crash on [LOCATION_OTHER:I-95].
        From [LOCATION_OTHER:Tower D bed 12] // to ([LOCATION_OTHER:Wing E, Rm 207-A]). Greater sphenoid wing.
        Seen by [PROVIDER:Maria Okafor], PA in [DATE:03/2021]. Interpreter: Hmong, ID
        wants transfer [FACILITY:Okonee LTACH] tomorrow; MRI at [FACILITY:Birch Hollow VAMC]. The skilled SNF, Rehab SNF
        CT of the pelvis ([FACILITY:QWB] radiology). ENT clinic, INR clinic, MSK clinic, MRSA clinic, EMG clinic
        Admit to [FACILITY:Penny Breast Ctr], [FACILITY:Kettle Kidney Center].
        Tourmakeady, Eircode [ZIP:F12 XK00]
        Athlone, [STATE:Co. Westmeath] and [STATE:County Mayo]. A cork stopper
        Todmorden, [STATE:West Yorkshire] [ZIP:OL14 9ZZ]. Tower of London
        LSW ([STATE:PA] lic. [LICENSE:SW000418x]). ID: [STATE:CT] driver's license [LICENSE:000218834]; [PROVIDER:R. Ash], PA license
        VIA: POV   BED: [LOCATION_OTHER:2]   ROOMED. In bed 2 weeks.
    """,
    "names": """
        Seen by Dr. [PROVIDER:Okafor]; Drs. [PROVIDER:Okafor] and [PROVIDER:Lim] agree.
        DR [PROVIDER:OKAFOR] SAW THE PATIENT.
        RELIEVED BY OFC. [PROVIDER:BRISTOW]. Escorted by Dep. [PROVIDER:Hatch]. Ofc [PROVIDER:Lawless], Capt. [PROVIDER:Wirth] aware.
        Dep. Anxiety. Lt. Knee pain, Det. Unchanged, Lt. [PROVIDER:Okafor] came.
        Call dr. [PROVIDER:okafor] today.
        Mr. [PATIENT:Haskins]'s wife ([RELATIVE:Ann]) and daughter [RELATIVE:Maria] came.
        [PROVIDER:Maria T. Okafor], MD
        Electronically signed by [PROVIDER:Maria Okafor], MD on [DATE:3/14/21]
        PCP: [PROVIDER:Okafor, Maria T]
        Referring: Dr. [PROVIDER:Eilish Corrigan-Abu], [FACILITY:Peach Women's Clinic]
        cc: [PROVIDER:John Lim], MD
        Patient Name: [PATIENT:Okafor, Maria T]   DOB: [DATE:3/4/1955]
        [PATIENT:OKAFOR, MARIA T]  MRN: [MRN:1234567]
        Dear [PATIENT:Maria],
        Dr. [PROVIDER:José Muñoz] and Dr. [PROVIDER:O'Brien]
        username: [USERNAME:mokafor1]
        [INITIALS:MTO]:[INITIALS:jd]
    """,
    "initials": """
        She will call back tomorrow. [INITIALS:MTO]
        No answer, will try again. [INITIALS:jqd] [DATE:3/14/21]
        Wound clean and dry. [INITIALS:VT]
        T: [DATE:3/15/21] [INITIALS:MTO]:[INITIALS:jd]
        Entered: [INITIALS:MTO]
        | 94.8 | 171/92 | [INITIALS:MTO]/[INITIALS:jd] |
        presenter: [INITIALS:MTO]
    """,
    "ages of relatives": """
        Mother died at [AGE:87] of stroke. Father living at [AGE:74].
        Sister, [AGE:49], healthy. Ms. [PATIENT:Okafor], [AGE:59], was seen.
        Well child visit - [AGE:5] year
    """,
    "rosters": """
        rm [LOCATION_OTHER:412-B]  [PATIENT:Okafor] [AGE:63]  day 2
        WARD NOTES   [PATIENT:OKAFOR] [LOCATION_OTHER:5E-74]   [DATE:01-03-2024]
        ct head [PATIENT:okafor] [AGE:43]m neg for bleed
        POD#2 s/p hip replacement ([PROVIDER:Okafor], [DATE:1/7])
    """,
    "mentions": """
        Told [RELATIVE:Okafor] to return if worse.
        day 2  MD [PROVIDER:Okafor] will see.
        SITE: [FACILITY:RQH]
    """,
    "occupations": """
        His sister, a [PROFESSION:teacher], brought him.
        She is a [PROFESSION:school bus driver]. He was a [PROFESSION:welder] for years.
        New mole, [PROFESSION:landscaper].
    """,
    "organizations": """
        Works as an [PROFESSION:accountant] at [ORGANIZATION:Acme Logistics].
        A retired [PROFESSION:teacher]. Occupation: [PROFESSION:welder]
        Sent to [FACILITY:Mercy Hospital] from [FACILITY:Shady Oaks Nursing Home].
        Refilled at [ORGANIZATION:Corner Pharmacy].
        DISCHARGE SUMMARY [FACILITY:Willow Creek Medical Center]
        Progress Note [FACILITY:Willow Creek Medical Center]; at [FACILITY:NYU Langone Medical Center]
        Reception from: [ORGANIZATION:Bradford Crown Court]
        To: [FACILITY:Utica Arbor Dermatology], from: [PROVIDER:Maria Church]
        Provider: [FACILITY:Kowhai Creek Nurses], cc: [PROVIDER:Maria Okafor]
    """,
}

STRONG["abroad, and what stands beside"] = """
    Tamil Nadu - [ZIP:630 001] and PIN: [ZIP:560034]. P.O. [ZIP:686578]. P.O. 400 mg
    Bypass Road, Tumakuru - [ZIP:572 104]. Glucose - 112 140
    [STREET:Blk 418 Ang Mo Kio Ave 10 #07-112] S([ZIP:560418]). Block 3 (560418)
    Skipton [ZIP:BD23 3RQ]. Attends [ORGANIZATION:Gargrave Primary School]
    Dr paged [TIME:0240], came at once
    outside film ([CITY:Hattiesburg], [STATE:MS])
    Ward:     [FACILITY:Hawthorn]            Consultant: Dr [PROVIDER:Lindqvist]
    NIGHTS   [FACILITY:6 Whitcomb] tele/stepdown. Ward: Surgical
    brought to OR [LOCATION_OTHER:7] and placed supine
    BP 164/102 ([TIME:0321]), 166/98. Lot 164/102 (7321)
    Dr [PROVIDER:Faridah bte Osman] came
    Caregiver: Helper [RELATIVE:Marlyn] at bedside
    [PROVIDER:Amara Nwosu] DO, OB PGY-3. [PROVIDER:Maria Okafor], PGY-3
    HD [DATE:MWF]. Bactrim DS MWF. Seen [DATE:Wed]/[DATE:Sat]. Dressing x2 weekly, Wed/Sat
    s/p Austin Moore in the past. [PATIENT:Austin Moore] called
    is 4. May reconsider later. Admitted [DATE:4. May 2020]
    RS clear. CVS S1S2 N. Filled at [ORGANIZATION:CVS] today
    Reviewed by [INITIALS:HD]. A&Ox4 by HD 3, alert
    Moved from [STATE:Maryland] and works. Given by [USERNAME:jsmith60], then by [USERNAME:rs1234]
    Bottle stopped at [AGE:12] mo.
    Pain [DATE:8/10] [TIME:0600], 4/10 [TIME:0700]
    Due [DATE:1, aug], seen [DATE:12 March]
"""
SILENT = """
    BP 120/80, pulse 72, sat 98%.
    Strength 5/5 throughout, 2/6 systolic murmur, vision 20/40.
    Percocet 5/325, Norco 10/325. Pain 7/10, GCS 14/15.
    3/7 hx of cough. For 2/52. Take 1-2 tabs, 1/2 tab daily.
    L4-5 disc, C5/6, T2N0M0, G2P1, q4-6h, 24/7.
    Sodium 135-145, WBC 7.5, platelets 150-400, INR range 2.5-3.5.
    ICD I48.91, CPT 99213, c.123A>G, rs123456, BRCA1.
    ANA 1:40, ratio 1:10, 10 mg/5 mL, 50/50.
    You may march on. She will march in. He may 5 times.
    1. May warfarin be continued? Yes
    A 16 Fr Foley. Vitamin D 2000 units. WBC 2000.
    Coumadin Clinic. The hospital. Her pharmacy. Pain Clinic.
    Sats in the 90s on room air. O2 sat 94.
    Bruce protocol, Glasgow scale, Foley, Kawasaki disease.
    2 weeks ago, 3-4 days, 20 years, 1st toe, 2nd dose.
    Mother: Hypertension. Father - Diabetes. Brother: Asthma.
    Dr visit. Her dr said so. MD aware. RN at bedside.
    3 MM LESION ON CT. 5 PATIENTS SEEN BY DR.
    POD 3, HD 2, 10,000 units, 1,250,000 copies.
    NCT01234567 trial; PMID: 12345678.
    1. CHF. Temp 99  stable. Glucose 98   high.
    Told to rest. Patient states he is well. MD aware. Family told.
    Glucose   POLYS 84   low. NG tube (Medtronic device, new).
    Give nitroglycerin SL. Seen by teacher training staff. Driver side impact.
    LDT not cleared by FDA. Contacts will be traced by CCG.
    PT: Mod A x1, rec SNF. Blocks A-C, remainder B-F. AE.
    Pacemaker & Arrhythmia Clinic. RN, District Nurse. d/w Poisons Info
    Wed lists   arrived 1015. Ward: Thoracic
    Lasix given. Tx to MICU, RT and RN at side
    IABP 1:1, aug 108, Sensation Plus
    residual apneas at 14, BPAP ST 16/10
    Hizentra weekly by Freedom60, IgG trough 890
    Dissected with Maryland and hook cautery. Arizona brace vs AFO
    DAPT stopped at 12 mo. Vanderbilt parent 7/9 inattn
    Pain 8/10, 4/10, 3/10 all day
    DIT by OCB, MLB by ENT. Confirmed by OTP RN
    Walked 60 m. Chest tube 28F in place. Ambulated 50 m.
"""


def _lines(block: str) -> list[str]:
    return [line.strip() for line in block.strip().splitlines()]


@pytest.mark.parametrize("expected", [line for block in STRONG.values() for line in _lines(block)])
def test_finds(expected: str) -> None:
    assert mark(_MARK.sub(r"\2", expected)) == expected


def test_the_number_of_an_item_is_not_the_day_of_a_month():
    assert mark("call at the end of Sept\n6. Bring him back") == "call at the end of [DATE:Sept]\n6. Bring him back"


@pytest.mark.parametrize("text", _lines(SILENT))
def test_leaves_alone(text: str) -> None:
    assert mark(text) == text


@pytest.mark.parametrize(
    ("weak", "strong"),
    [
        ("Strength 3/7.", "Seen on [DATE:3/7]."),
        ("Total 12/27.", "Due [DATE:12/27]."),
        ("Fluid 2005 given", "since [DATE:2005]"),
        ("Value 12345.", "Pager [PAGER:12345]."),
        ("Maria was well.", "Daughter Maria was well.".replace("Maria", "[RELATIVE:Maria]")),
        ("She likes Corvallis, OH", "She is from [CITY:Akron], [STATE:OH]"),
        ("Ratio 1:20", "Seen at [TIME:11:20]"),
        ("Reached 72", "Aged [AGE:72]"),
    ],
)
def test_context_decides(weak: str, strong: str) -> None:
    assert mark(weak) == weak
    assert mark(_MARK.sub(r"\2", strong)) == strong


def test_the_institutions_own_formats_come_first() -> None:
    own = PatternDetector({Entity.MRN: (r"\bRH\d{7}\b",), Entity.OTHER_ID: (r"badge-(\d{3})",)})
    assert mark("No. RH1234567, badge-123", own) == "No. [MRN:RH1234567], badge-[OTHER_ID:123]"


def test_a_broken_format_names_its_key_only() -> None:
    with pytest.raises(SettingsError, match=r"identifiers\.MRN\[1\]"):
        PatternDetector({Entity.MRN: (r"RH\d+", r"RH(?=\d)")})


def test_the_reference_year_bounds_years_on_their_own() -> None:
    assert mark("since 2031", PatternDetector(reference_year=2024)) == "since 2031"
    assert mark("since 2021", PatternDetector(reference_year=2024)) == "since [DATE:2021]"


@given(st.text(max_size=200))
def test_folding_keeps_every_offset(text: str) -> None:
    plain = fold_to_ascii(text)
    assert len(plain) == len(text)
    assert plain.isascii()
    assert all(a == b for a, b in zip(text, plain, strict=True) if a.isascii())


_PIECES = (
    "3/14 /21 Dr. Okafor, MD\n SSN 900-45-6789 617-555-0123 Mr. é “ \u2028 \U0001f600 2021 March at 0835 MRN: a@b.org www. 45 y.o. ٣/١٤ St. "
    "123 Oak Street, Boston, MA 02115 Hospital works as a 1:1 :: 10.1.1.1"
)
_NOTE_PIECES = st.one_of(
    st.text(max_size=12),
    st.sampled_from(_PIECES.split(" ")),
    st.text(string.digits + "/-.: ()", max_size=14),
)
_NOTES = st.lists(_NOTE_PIECES, max_size=25).map(" ".join)


@given(_NOTES)
@settings(max_examples=300)
def test_spans_lie_in_the_note_sorted_and_disjoint(text: str) -> None:
    spans = DETECTOR.detect([Document("n", text)])[0]
    check_spans(spans, len(text))
    assert all(span.detector == "patterns" and text[span.start : span.end].strip() for span in spans)


@given(st.lists(_NOTES, max_size=4))
@settings(max_examples=50)
def test_a_note_alone_gives_what_it_gives_in_a_batch(texts: list[str]) -> None:
    documents = [Document(str(i), text) for i, text in enumerate(texts)]
    assert DETECTOR.detect(documents) == [DETECTOR.detect([document])[0] for document in documents]


def test_a_long_note_on_one_line_gives_each_part_what_it_gives_alone() -> None:
    sentence = "Seen 3/14/2021 at 08:35 by Dr. Okafor, 617-555-0123, fax 617.555.0199, BP 120/80. "
    once, many = (DETECTOR.detect([Document("n", sentence * count)])[0] for count in (1, 3_000))
    assert len(once) == 5
    assert len(many) == 5 * 3_000


@pytest.mark.parametrize(
    "piece", ["1", "a", "1/", "A-", "www.", "(1", "a@", "Dr. ", "12 Oak ", "A. ", "x:", "1:", "http://"]
)
def test_a_million_of_anything_ends(piece: str) -> None:
    text = piece * (300_000 // len(piece))
    check_spans(DETECTOR.detect([Document("n", text)])[0], len(text))
