import re
from dataclasses import replace

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.core.patient import PatientRecord, PatientTerm, TermKind
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.patient_detector import PatientDetector
from deid_tasks.engine.lexicon import Lexicon, LexiconTerm
from deid_tasks.engine.recover import recover
from deid_tasks.engine.text import Document

MARK = re.compile(r"\[([A-Z_]+):([^\]]*)\]")


def parse(marked: str, detector: str) -> tuple[str, list[Span]]:
    text, spans, end = "", [], 0
    for match in MARK.finditer(marked):
        text += marked[end : match.start()]
        spans.append(Span(len(text), len(text) + len(match[2]), Entity(match[1]), detector))
        text, end = text + match[2], match.end()
    return text + marked[end:], spans


GIVEN_BACK = [
    "[PATIENT:Bruce] protocol stress test",
    "[LOCATION_OTHER:Glasgow] Coma Scale of 15",
    "history of [PATIENT:Kawasaki] disease",
    "[PATIENT:Crohn]'s disease, and [PROVIDER:Crohn's disease]",
    "a [PROVIDER:Foley] in place, [PATIENT:Braden] 18",
    "took [PATIENT:Eliquis] and [ORGANIZATION:metoprolol succinate]",
    "[ORGANIZATION:COPD] and [PATIENT:Mallampati] II",
    "[PATIENT:Weber] test, [PATIENT:Rinne] test",
    "stage [OTHER_ID:T2N1M0] and [OTHER_ID:c.35delG], [PATIENT:HLA-B27]",
    "[DATE:L4-5] stenosis, [DATE:5/5] strength, BP [DATE:120/80]",
    "[CITY:Boston] Bowel Preparation Scale",
    "[PATIENT:Wolff-Parkinson-White] syndrome",
    "[PATIENT:Murphy] is equivocal. [PATIENT:Allen]'s ok.",
    "LDL 85 ([PROVIDER:Friedewald]); treadmill ([PROVIDER:Bruce])",
    "Braden, [PATIENT:Morse] and pain scales",
    "grade [DATE:2/6] murmur, SLUMS [DATE:10/30], D5 [DATE:1/2]",
    "leads [LOCATION_OTHER:V5-V6], lipase [TIME:1748], Voldyne to [TIME:1250]",
    "Norton and [PROVIDER:Hendrich] done",
    "FAST 4     Katz 4     Lawton 5\n [PATIENT:Hachinski] 4     Zarit 59",
    "[PATIENT:Scarpa]'s opened",
    "closed with 4-0 [PROVIDER:Ethilon]",
    "DISCHARGE FROM [FACILITY:SKILLED CARE]",
    "in 07:35 out 08:06 odo [PAGER:41695]",
    "morse [LOCATION_OTHER:65], ciwa [LOCATION_OTHER:26]",
    "(CPT [TIME:11042]), HCPCS [LOCATION_OTHER:J2350]",
    "ANA [TIME:1:1280], known as [MRN:6174delT], APC [LOCATION_OTHER:I1307K]",
    "hx [PATIENT:Romano]-Ward, [PROVIDER:Timothy] grass, [PROVIDER:R. africae]",
    "on [PATIENT:Malarone], [PROVIDER:Epogen] given",
    "Class I by ACC/AHA/HRS [DATE:2018]. No DSS by WHO [DATE:2009] classification (NCCN [DATE:2021])",
    "[DATE:2010] ACR/EULAR criteria, [ORGANIZATION:NCCN] guideline",
    "seen by the [ORGANIZATION:American College of Rheumatology] guideline",
    "as the [ORGANIZATION:CDC] and the [ORGANIZATION:Food and Drug Administration] advise",
    "a [ORGANIZATION:Stryker] plate and a [ORGANIZATION:Boston Scientific] stent",
    "stent (Medtronic, [CITY:Minneapolis], MN) was placed",
    "Interpreter: [PROVIDER:Hmong]. Preferred lang: [PATIENT:Urdu]",
    "[PATIENT:Gastropexy] was done. [PROVIDER:Cystoscopy] was clear",
    "taken to the [CITY:OR], from [FACILITY:PACU]",
    "Problems:\n[INITIALS:BPP]\nseen again",
    "Exudative AMD ([OTHER_ID:H35.3221]). P: [OTHER_ID:67028-LT]",
    "anti-D given [DATE:28/40] and [DATE:34+2/40]",
]
KEPT = [
    "worked for the CDC in [DATE:2018]. Employed by WHO [DATE:2009] to [DATE:2012]",
    "There was agreement.\n[INITIALS:BPP]\n",
    "Spoke with Dr. [PROVIDER:L]. Will call",
    "[PATIENT:Timothy] came, [PROVIDER:Romano] too",
    "Morse [TIME:06:50], zip [ZIP:11042], at [TIME:1:12]",
    "Dr. [PROVIDER:Graves] came",
    "Mr. [PATIENT:Parkinson] came",
    "[PROVIDER:Foley], MD signed",
    "[PATIENT:John Foley] came",
    "Dr. [PROVIDER:Foley] catheter teaching",
    "[PATIENT:Smith] came from [CITY:Boston]",
    "on [DATE:3/14], [AGE:91], [PHONE:555-0133]",
    "[DATE:4-5] days",
    "[PATIENT:Murphy] came in. d/w [PROVIDER:Norton] today.",
    "[PATIENT:Young] ok'd it",
    "told [PROVIDER:young]. final am",
    "[CITY:Lamont] [ORGANIZATION:Pain] came",
    "[PROVIDER:Okafor] [PROVIDER:P]",
    "works at [ORGANIZATION:Novo Nordisk], employer: [ORGANIZATION:Eli Lilly], a nurse at the [ORGANIZATION:CDC]",
    "lives in (near [CITY:Minneapolis], MN)",
    "the nurse [PROVIDER:Urdu] came",
    "[PROVIDER:Maria Okafor], [STATE:MA] 02115",
    "Salem, [STATE:OR] and [CITY:Portland], [STATE:MA]",
    "lipase [DATE:3/14], ferritin [DATE:2019] and [DATE:2020]",
]


def test_a_label_in_front_of_a_room_goes_back_although_a_blank_joins_them() -> None:
    text, spans = parse("Ward -> [FACILITY:Spl] [LOCATION_OTHER:Rm 206]", "transformer")
    assert recover(Document("n", text), spans).recovered == (spans[0],)


def test_a_credential_behind_a_name_is_not_a_state() -> None:
    text, spans = parse("seen by [PROVIDER:Maria Okafor], [STATE:PA] in March", "transformer")
    result = recover(Document("n", text), spans)
    assert [span.entity for span in result.kept] == [Entity.PROVIDER]
    assert [span.entity for span in result.recovered] == [Entity.STATE]


@pytest.mark.parametrize("case", GIVEN_BACK)
def test_medicine_goes_back(case: str) -> None:
    text, spans = parse(case, "transformer")
    result = recover(Document("n", text), spans)
    assert result.kept == ()
    assert result.recovered == tuple(spans)
    assert sum(result.counts.values()) == len(spans)


@pytest.mark.parametrize("case", KEPT)
def test_identifiers_stay(case: str) -> None:
    text, spans = parse(case, "transformer")
    assert recover(Document("n", text), spans).kept == tuple(spans)


@pytest.mark.parametrize(
    ("case", "is_recovered"),
    [("[PATIENT:Foley] in place", False), ("[OTHER_ID:T2N1M0] found", False), ("[PATIENT:Bruce] protocol", True)],
)
def test_dictionaries_and_patterns_keep_their_one_word_finds(case: str, *, is_recovered: bool) -> None:
    text, spans = parse(case, "lexicon")
    assert bool(recover(Document("n", text), spans).recovered) is is_recovered


@pytest.mark.parametrize(
    ("case", "is_recovered"),
    [
        ("[PATIENT:Graves] disease", True),
        ("saw [PATIENT:Foley] in clinic", False),
        ("Mr. [PATIENT:Graves] disease course", False),
        ("[PATIENT:Graves] came", False),
    ],
)
def test_the_patients_own_name_goes_back_only_inside_a_longer_term(case: str, *, is_recovered: bool) -> None:
    record = PatientRecord("p", terms=(PatientTerm(TermKind.LAST, "Graves"), PatientTerm(TermKind.FIRST, "Foley")))
    text, spans = parse(case, "transformer")
    document = Document("n", text, "p")
    (protected,) = PatientDetector({"p": record}).detect([document])
    assert bool(recover(document, spans, None, protected).recovered) is is_recovered


def test_harvested_terms_of_the_institution_count() -> None:
    rows = [LexiconTerm("medical", "harvested", "Quillby clinic pathway"), LexiconTerm("facility", "short_name", "SSA")]
    lexicon = Lexicon.build(rows)
    text, spans = parse("[FACILITY:Quillby] clinic pathway", "transformer")
    document = Document("n", text)
    assert recover(document, spans, lexicon).recovered == tuple(spans)
    assert recover(document, spans).kept == tuple(spans)
    text, spans = parse("walk-in at [FACILITY:SSA]", "transformer")
    assert recover(Document("n", text), spans, lexicon).kept == tuple(spans)


@pytest.mark.parametrize(
    ("case", "is_recovered"),
    [
        ("spoke to [PROVIDER:weaver] today", False),
        ("spoke to [PROVIDER:will] today", True),
        ("[PATIENT:Foley] in place", False),
        ("over to [FACILITY:cottonwood] and back", False),
        ("spoke to [PROVIDER:walker] today", True),
    ],
)
def test_an_everyday_word_stays_where_it_names_somebody_of_the_institution(case: str, *, is_recovered: bool) -> None:
    rows = [
        LexiconTerm("provider", "last", "Weaver"),
        LexiconTerm("provider", "last", "Will"),
        LexiconTerm("provider", "last", "Foley"),
        LexiconTerm("facility", "short_name", "Cottonwood"),
    ]
    text, spans = parse(case, "transformer")
    spans = [replace(span, score=0.9) for span in spans]
    assert bool(recover(Document("n", text), spans, Lexicon.build(rows)).recovered) is is_recovered


@pytest.mark.parametrize(
    ("case", "score", "is_recovered"),
    [
        ("spoke to [PROVIDER:hope] today", 0.98, False),
        ("spoke to [PROVIDER:hope] today", 0.96, True),
        ("retired. [PATIENT:Paddy] remains well", 0.98, False),  # a nickname
        ("at night. [PATIENT:Snores] loudly", 0.999, True),  # no name
        ("he works at [ORGANIZATION:rogers] & [ORGANIZATION:sons]. heart", 0.99, False),
        ("she bowls at [ORGANIZATION:morado] [ORGANIZATION:trucking] in town", 0.99, False),
        ("he works at [ORGANIZATION:rogers] & [ORGANIZATION:sons]. heart", 0.9, True),
        ("at [ORGANIZATION:rogers], [ORGANIZATION:sons] came", 0.99, True),
        ("Entered: NM   Reviewed: [INITIALS:BPP]   seen", 0.99, False),
        ("Entered: NM   Reviewed: [INITIALS:BPP]   seen", 0.9, True),
        ("gave 5 [INITIALS:BPP] then", 0.99, True),
    ],
)
def test_a_sure_model_decides_about_names_rests_of_organizations_and_labelled_initials(
    case: str, score: float, *, is_recovered: bool
) -> None:
    text, spans = parse(case, "transformer")
    result = recover(Document("n", text), [replace(span, score=score) for span in spans])
    assert bool(result.recovered) is is_recovered


@pytest.mark.parametrize(
    ("case", "kept"),
    [
        ("[PATIENT:Tiny Duffy], 80. Unpaid bill. [RELATIVE:Tiny] says no", 2),
        ("[PATIENT:Darnell Duffy], 80. Unpaid bill. [RELATIVE:Tiny] says no", 1),
        ('NAME: [PATIENT:TRUJILLO, DEANDRE] "[PATIENT:PEANUT]"', 2),
        ('NAME: [PATIENT:TRUJILLO, DEANDRE] ate "[PATIENT:PEANUT]"', 1),
        ("[PATIENT:James Parkinson], 80, has [PATIENT:Parkinson] disease", 1),
        ("[PATIENT:Ann Murphy], 80. [PATIENT:Murphy] is equivocal", 1),
        ("Dr. [PROVIDER:Foley] placed a [PROVIDER:Foley] in", 1),
    ],
)
def test_an_everyday_word_of_a_certain_name_is_that_name_again(case: str, kept: int) -> None:
    text, spans = parse(case, "transformer")
    found = [replace(span, score=0.95) for span in spans]
    assert len(recover(Document("n", text), found).kept) == kept


@pytest.mark.parametrize("detector", ["transformer", "lexicon", "patterns"])
def test_a_disease_overrides_a_name_whoever_found_it(detector: str) -> None:
    text, spans = parse("history of [PATIENT:Kawasaki] disease", detector)
    assert recover(Document("n", text), spans).recovered == tuple(spans)


@pytest.mark.parametrize(
    ("case", "is_recovered"), [("[PATIENT:Hutchinson] neg.", True), ("[PATIENT:Hutchinson] came", False)]
)
def test_a_sign_that_is_told_goes_back_although_somebody_is_called_so(case: str, *, is_recovered: bool) -> None:
    text, spans = parse(case, "lexicon")
    assert bool(recover(Document("n", text), spans).recovered) is is_recovered


@pytest.mark.parametrize(
    ("case", "is_recovered"),
    [
        ("copies: [PROVIDER:Williams], [PROVIDER:Hong]", False),
        ("cc: [PROVIDER:Williams], [PROVIDER:Hong]", False),
        ("signs tested: [PROVIDER:Williams], [PROVIDER:Hong]", True),
    ],
)
def test_those_who_get_a_copy_are_no_list_of_eponyms(case: str, *, is_recovered: bool) -> None:
    text, spans = parse(case, "lexicon")
    assert bool(recover(Document("n", text), spans).recovered) is is_recovered
