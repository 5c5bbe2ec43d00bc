"""Hospitals, clinics, pharmacies, employers and occupations, in strong context only."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, text_before
from deid_tasks.engine.detect.patterns.word_lists import GENERIC_PLACE_WORDS, NOT_NAMES, split_words

_CARE = (
    r"(?:Regional |Community |General |Memorial |University |Children's |Veterans |Specialty )?(?:Medical|Health|Healthcare|Surgery|Surgical|Cancer|Heart|Dialysis|Rehab|Rehabilitation|Care|Nursing|Trauma|Wellness|Birth|Eye|Imaging) (?:Center|Centre|Campus|System|Group|Associates|Facility|Home|Institute|Clinic|Partners|Network|Services|Pavilion)"
    r"|(?:Internal|Family|Sports|Adolescent|Geriatric) (?:Medicine|Practice)(?: Associates| Group| Center| Clinic)?|Primary Care(?: Associates| Group| Clinic| Center)?|Living Center|Medical Associates|Pediatrics|Retirement (?:Home|Community|Center|Village)|Rest Home|Group Home|Correctional (?:Facility|Center|Institution)|Detention Center|Prison|Jail|County Jail|Hospital|Hospitals|Infirmary|Clinic|Hospice|Nursing Home|Assisted Living|Senior Living|Rehab|Rehabilitation|Urgent Care|Sanatorium|Polyclinic|Medical|Manor|Health|Healthcare|Care Center|Surgicenter|Home Health|Home Care|Convalescent|Hosp"
)
_OTHERS = r"Pharmacy|Pharmacies|Drugs|Drug Store|Apothecary|Inc|LLC|LLP|Ltd|Corp|Corporation|Company|University|College|Elementary|Middle School|High School|Academy|School|Church|Temple|Mosque|Synagogue|Insurance|Foundation|Industries|Logistics|Bank|Construction|Trucking|Library|Laboratories|Police Department|Fire Department|School District"
_TRIGGER = rf"\b(?:{_CARE}|{_OTHERS})\b"
_LEFT = re.compile(r"(?:(?:[A-Z][A-Za-z'\-]{0,24}|St\.|Mt\.|Ft\.|[A-Z]\.|&|of|the|and|de)[ ]){1,6}$")
_FACILITY_WORD = re.compile(_CARE + "$")
_LARGE = frozenset({"Memorial", "General", "Community", "University", "Regional", "Children's", "County"})
"""Ordinary words that in front of a hospital are its name."""
_CONNECTOR = frozenset({"of", "the", "and", "de", "&", "at"})
_PLACE_TAIL = re.compile(r" (?:of|at) (?:the )?[A-Z][A-Za-z'\-]{2,20}(?: [A-Z][A-Za-z'\-]{2,20})?")


def read_organization(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Capitalised words that end in what kind of place it is; at least one must be no ordinary word."""
    left = _LEFT.search(text[max(0, start - 90) : start])
    if left is None:
        return
    words = [(m.start() + start - len(left.group()), m.group()) for m in re.finditer(r"\S+", left.group())]
    kept: list[tuple[int, str]] = []
    for position, word in reversed(words):
        low = word.lower()
        if (
            low not in _CONNECTOR
            and low not in GENERIC_PLACE_WORDS
            and low.rstrip(".") in NOT_NAMES
            and low not in {"st.", "mt.", "ft."}
        ):
            break
        if low in {
            "to",
            "from",
            "in",
            "seen",
            "admitted",
            "call",
            "called",
            "she",
            "he",
            "they",
            "patient",
            "patient's",
            "his",
            "her",
            "their",
            "your",
            "our",
            "my",
            "dr",
            "at",
            "via",
            "per",
            "with",
            "for",
        }:
            break
        kept.insert(0, (position, word))
    while (
        kept
        and kept[0][1].lower()
        in _CONNECTOR | {"a", "an", "any", "this", "that", "new", "old", "local", "previous", "referring", "preferred"}
        and kept[0][1] not in {"New", "Old"}
    ):
        kept.pop(0)
    telling = [
        word
        for _, word in kept
        if word.lower() not in GENERIC_PLACE_WORDS and word.lower() not in _CONNECTOR and len(word) > 1
    ]
    if (
        not telling
        and kept
        and text[start:end].startswith(("Hospital", "Medical Center"))
        and _LARGE & {w for _, w in kept}
    ):
        telling = [kept[0][1]]
    if not telling or text[start:end].isupper():
        return
    head = text[start:end]
    entity = Entity.FACILITY if _FACILITY_WORD.match(head) else Entity.ORGANIZATION
    stop = end
    following = re.match(
        r" (?:Center|Hospital|System|Group|Clinic|Campus|Home|Health|Facility|Residence|Village)\b",
        text[end : end + 12],
    )
    if following:
        stop += following.end()
    if (
        head
        in {
            "Medical",
            "Health",
            "Healthcare",
            "Rehab",
            "Manor",
            "Bank",
            "Church",
            "Temple",
            "School",
            "Drugs",
            "Library",
        }
        and not following
        and len(telling) < 1
    ):
        return
    if (
        head in {"Medical", "Health", "Rehab", "Rehabilitation", "Drugs", "Temple", "Bank"}
        and not following
        and not re.search(r"(?:at|to|from|by|with|of|via|the|per|called|for)\s$", text_before(text, kept[0][0], 10))
    ):
        return
    tail = _PLACE_TAIL.match(text, stop, stop + 50) if head in {"University", "College", "Church", "Hospital"} else None
    yield Candidate(kept[0][0], tail.end() if tail and not _is_generic(tail.group()) else stop, entity)


def _is_generic(tail: str) -> bool:
    return any(word.lower() in NOT_NAMES for word in tail.split()[1:] if word not in {"of", "at", "the"})


_SAINT = r"\b(?:St\.?|Saint|Mt\.?|Mount) [A-Z][a-z]{2,15}(?:'s)?(?: (?:ER|ED|ICU))?\b"
_SAINT_BEFORE = re.compile(r"(?:^|[^a-z])(?:at|to|from|via|admitted to|transferred to|seen at|ed at|er at)\s$")
_NOT_SAINTS = frozenset({"Elevation", "Depression", "Segment", "Changes", "John's", "Abnormality", "Johns"})


def read_saint(text: str, start: int, end: int) -> Iterator[Candidate]:
    """at St. Luke's."""
    if _SAINT_BEFORE.search(text_before(text, start)) and text[start:end].split()[1] not in _NOT_SAINTS:
        stop = (
            end - 3
            if text[start:end].endswith((" ER", " ED"))
            else end - 4
            if text[start:end].endswith(" ICU")
            else end
        )
        yield Candidate(start, stop, Entity.FACILITY)


_EMPLOYER = r"(?i)\b(?:(?:works?|worked|working|employed|employment|job) (?:at|for|with|by)|employer(?: name)?:|employed:|retired from|attends|attending school at|enrolled at|studies at|student at)(?-i: (?:the )?[A-Z])"
_EMPLOYER_NAME = re.compile(
    r"(?:[A-Z][A-Za-z0-9.'\-]{1,24}|[A-Z]{2,10})(?:(?: (?:&|and|of) | )(?:[A-Z][A-Za-z0-9'\-]{1,24}|[A-Z]\.)){0,4}"
)


def read_employer(text: str, _start: int, end: int) -> Iterator[Candidate]:
    """works at X, employer: X."""
    match = _EMPLOYER_NAME.match(text, end - 1, end + 80)
    if match is None:
        return
    first = match.group().split()[0].lower()
    if first in NOT_NAMES or (first in GENERIC_PLACE_WORDS and " " not in match.group()):
        return
    stop = match.end() - (text[match.end() - 1] in ".'-")
    yield Candidate(match.start(), stop, Entity.ORGANIZATION)


_WORK = r"(?i)\b(?:works?|worked|working|employed|job|career|employment)(?: (?:full|part)[ -]time)?(?: currently)? as (?:an? |the )?[a-z]|\byears as (?:an? )?[a-z]|\b(?:retired|semi-retired), was an? [a-z]|\b(?:occupation|profession|job title|vocation)(?: is|:| -)[ ]{1,3}(?:an? )?[a-z]|\b(?:is|was|as) an? (?:retired|former|disabled) [a-z]|\b(?:retired|former) [a-z]{3,20}\b"
_WORK_NAME = re.compile(r"[A-Za-z][A-Za-z'\-/]{1,24}(?: [A-Za-z][A-Za-z'\-/]{1,24}){0,4}")
_WORK_STOP = split_words(
    """
    at for in over and who with but since from until on to by of is was has he she they the a an or where when which that, now currently retired full part time full-time part-time prior before after lives
    living until because due patient pt patient's her his their as, though although while during tobacco alcohol education marital religion etoh smoking drugs no not denies never none unknown sexual social
    """
)
_NO_WORK = split_words(
    "usual normal such smoker smokers drinker drinkers abuser addict alcoholic resident user unknown none unemployed disabled retired student disability not n/a na unable homemaker well needed tolerated directed prescribed before much above a the result follows per above"
)
_WORKER = re.compile(
    r"(?:er|or|ist|ian|man|men|woman|ant|ent|eer|nurse|cook|chef|clerk|judge|pilot|coach|guard|aide|smith|person|keeper|wright|maid|host|ess|ee|ic|ary)$"
)


def read_profession(text: str, start: int, end: int) -> Iterator[Candidate]:
    """works as an accountant, occupation: welder, retired teacher."""
    low = text[start:end].lower()
    is_retired = "years as" in low or "retired " in low or "former " in low or "disabled " in low
    begin = text.rfind(" ", start, end) + 1 if low.startswith(("retired", "former")) else end - 1
    match = _WORK_NAME.match(text, begin, begin + 90)
    if match is None:
        return
    stop, words = match.start(), 0
    for word in re.finditer(r"\S+", match.group()):
        plain = word.group().lower()
        if plain in _WORK_STOP or words == 4:
            break
        stop, words = match.start() + word.end(), words + 1
    value = text[begin:stop]
    if not value or value.lower().split()[0] in _NO_WORK:
        return
    if is_retired:
        kept = list(re.finditer(r"\S+", value))[:3]
        while kept and not (_WORKER.search(kept[-1].group().lower()) and len(kept[-1].group()) > 3):
            kept.pop()
        if not kept or kept[0].group().lower() in {"after", "over", "later", "for", "consultant's", "never"}:
            return
        stop = begin + kept[-1].end()
    if text[begin:stop].lower().split()[-1] not in _NO_WORK:
        yield Candidate(begin, stop, Entity.PROFESSION)


RULES = (
    Rule("organization", _TRIGGER, read_organization),
    Rule("saint", _SAINT, read_saint),
    Rule("employer", _EMPLOYER, read_employer),
    Rule("profession", _WORK, read_profession),
)
