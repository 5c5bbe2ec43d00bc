"""Better boundaries of places, organizations, days, jobs and numbers: without the words of the sentence around them."""

import re

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.lexicon.everyday_names import is_public_word

_ORGANIZATIONS = frozenset({Entity.FACILITY, Entity.ORGANIZATION})
_PLACES = _ORGANIZATIONS | {Entity.CITY, Entity.LOCATION_OTHER, Entity.COUNTRY}
_ARTICLE = re.compile(r"the (?=[A-Z0-9])")
_FRONT = re.compile(r"(?:off|near|behind|past|under|outside|beside) (?=[A-Z0-9])")
"""What stands in front of a landmark: off Gratiot."""
_WORDS_OF_LABEL = re.compile(r"(?:[a-z]{2,10} ){1,3}(?=[A-Z0-9])")
_SIDE_BEHIND = re.compile(r"(?<=\d) [RL]$")
"""The side of a drawing behind its time: 0220 L hand."""
_WORD_OF_SENTENCE = re.compile(
    r"(?<=[^\W\d_]) (?:on|for|at|to|from|in|with|w|by|via|per|and|or|as|is|was|has|had|who|which|when|where|but|then"
    r"|since|until|til|x)(?P<word> [a-z]{3,12})?$"
)
"""What goes on behind a name: Mercy on pressors, Mercy for cath."""
_OF_NAMES = frozenset({"and", "at", "by", "in", "on", "or"})
"""Words that may stand inside a name, in front of a further word."""
_THING = re.compile(r"(?<=[a-z]) (?:flight|trip|tryouts?)$|(?<= Ave) place$")
_DEPARTMENT = re.compile(r"(?<=[a-z]) (?:ED|L&D|L & D|outpt|inpt|outpatient|inpatient)$")
_BESIDE_DEPARTMENT = re.compile(r"(?:Children'?s|Pediatric|Adult|Main|North|South|East|West) ED$")
_NAME_GOES_ON = re.compile(r" [A-Z]")
_DEPARTMENT_IN_CAPITALS = re.compile(
    r"(?<=[a-z.]) (?:EMERGENCY(?: (?:DEPARTMENT|DEPT\.?|ROOM|MEDICINE|SERVICES))?|OPERATING ROOM"
    r"|INTENSIVE CARE(?: UNIT)?|CRITICAL CARE|DEPARTMENT OF [A-Z ]{4,24}|SURGERY|RADIOLOGY|IMAGING|LABORATORY|PATHOLOGY"
    r"|PHARMACY|CARDIOLOGY|NEUROLOGY|ONCOLOGY|LABOR (?:AND|&) DELIVERY|OUTPATIENT|INPATIENT|MEDICAL RECORDS)$"
)
"""A department in capitals behind a name that is not: St. Odile Regional EMERGENCY DEPARTMENT."""
_SPECIALTY_BEHIND = re.compile(
    r"(?:(?<=Clinic)|(?<=Center)|(?<=Hospital)) (?:(?:Endocrin|Cardi|Neur|Onc|Dermat|Ur|Nephr|Radi|Rheumat|Hemat|Pulmon"
    r"|Gastroenter|Gynec)ology|Ophthalmology|Pediatrics|Psychiatry|Surgery|Orthop(?:a)?edics|Podiatry|Audiology)$"
)
"""A specialty behind a kind of facility that ends its name: Okafor Clinic Endocrinology & Diabetes."""
_LABEL_OF_COVER = re.compile(
    r"(?<=[A-Za-z.])(?:[ \t]{1,4}(?:[Aa]uth|AUTH|Mbr|Member|Subscriber|Policy|Pol|Claim|Cert|Ref(?:erral)?|PA|ID)"
    r"|[ \t]{2,6}(?:Group|Grp|Plan|Gr))[.:#]?$"
)
"""The label of the number behind an insurer: Moda  Auth PT448210."""
_NUMBER_OF_COVER = re.compile(r"[ \t:#.]{0,4}(?:no\.? ?)?[A-Z]{0,4}-?(?!\d{5}(?!\d))\d{3}")
_OFFICE = re.compile(r"(?<=[a-z]) (?:HR|Human Resources|FMLA|Payroll|Leave(?: Desk)?)$")
"""An office of an employer behind its name: faxed to Okafor Mills HR."""
_COVER = re.compile(r"(?<=[a-z]) (?:MA|Medicare Advantage)(?: (?:HMO|PPO|POS|EPO))?$")
"""Medicare Advantage behind an insurer, which is no state: Humana MA HMO."""
_RANK_OF_JOB = re.compile(
    r"(?:\b(?:an?|as|the|is|was)|[,:(]) (?P<rank>(?:junior|senior|assistant|associate|deputy|apprentice|chief|lead) )$"
)
"""The rank in front of a job: a junior UX designer."""
_SETTING = re.compile(r"(?:OP|IP|Outpt|Inpt|Outpatient|Inpatient)[ \t]{1,3}(?=[A-Z][a-z]+[ -][A-Z])")
"""Where a patient is seen, in front of a facility: OP  Okafor Imaging."""
_SCHEDULE = re.compile(r"(?<=[a-z]) (?:M-F|M-Th|MWF|TTh|TThS|TTS|Mon-Fri)$")
"""The days of a week behind the name of a daycare."""
_NOT_OF_JOB = re.compile(
    r"(?:(?:RHD|LHD|RH|LH|[Rr]ight[- ]hand(?:ed|[- ]dominant)|[Ll]eft[- ]hand(?:ed|[- ]dominant)|[Pp]art[- ]time"
    r"|[Ff]ull[- ]time|[Rr]etired|[Rr]et'?d\.?|[Ff]ormer) )+(?=[A-Za-z]{3})"
)
"""The dominant hand and the hours, in front of a job: RHD roofer."""
_LABEL_OF_NUMBER = re.compile(
    r"(?:[Rr]pt|[Rr]eport|[Ii]ncident|[Tt]icket|[Oo]rder|[Cc]laim|[Cc]ase) (?=[A-Z]{0,4}-?\d)"
)
_NEXT_ITEM = re.compile(r"(?<=\d{4})\. {1,2}\d{1,2}$")
"""The number of the next item of a plan behind a telephone number: 5) tel 555-0148. 6)"""
_REACH = 20
_PHONES = frozenset({Entity.PHONE, Entity.FAX, Entity.PAGER})
_POOL = re.compile(r"[Pp](?:ool|OOL)")
_POOL_BEFORE = re.compile(
    r"\b(?:[Ff]rom|FROM|[Tt]o|TO|[Cc]c|CC|[Rr]outed to|[Ff]orwarded to): {0,2}(?:[A-Za-z]+ )?"
    r"(?:RN|MA|LPN|NP|PA|MD|CMA|Nurse|Nursing|Triage|Refill|Clinical|Provider|Staff|Rx|PCP|Admin) $"
)


def trim_words(text: str, start: int, end: int, entity: Entity) -> tuple[int, int]:
    """Return the boundaries of a span without the words around it that are not of the identifier.

    Of a place or an organization these are an article in small letters, words of the sentence and a department in
    capitals; of a day its article; of a time the side of a drawing; of a plate or a number its label; of a job the
    dominant hand and the hours; of a telephone number the number of the next item.

    Args:
        text: the note.
        start: start of the span.
        end: end of the span, exclusive.
        entity: what it is; people and other entities are returned as they are.
    """
    if entity is Entity.DATE:
        article = _ARTICLE.match(text, start, end)
        return (article.end() if article else start), end
    if entity is Entity.TIME:
        side = _SIDE_BEHIND.search(text, start, end)
        return start, side.start() if side else end
    if entity is Entity.VEHICLE:
        label = _WORDS_OF_LABEL.match(text, start, end)
        return (label.end() if label else start), end
    if entity in {Entity.PROFESSION, Entity.OTHER_ID}:
        front = (_NOT_OF_JOB if entity is Entity.PROFESSION else _LABEL_OF_NUMBER).match(text, start, end)
        start = front.end() if front else start
        rank = _RANK_OF_JOB.search(text, max(0, start - _REACH), start) if entity is Entity.PROFESSION else None
        return (rank.start("rank") if rank else start), end
    if entity in _PHONES and (item := _NEXT_ITEM.search(text, start, end)):
        return start, item.start()
    return _place(text, start, end, entity) if entity in _PLACES else (start, end)


def is_shared_inbox(text: str, start: int, end: int) -> bool:
    """Whether a name is the inbox of a clinic, in the head of a message: From: RN Pool."""
    is_pool = _POOL.fullmatch(text, start, end) is not None
    return is_pool and _POOL_BEFORE.search(text, max(0, start - 40), start) is not None


def _place(text: str, start: int, end: int, entity: Entity) -> tuple[int, int]:
    article = _ARTICLE.match(text, start, end)
    if article and not _needs_article(text[article.end() : end]):
        start = article.end()
    if entity is Entity.LOCATION_OTHER and (front := _FRONT.match(text, start, end)):
        start = front.end()
    if not text[start : start + 1].isupper():
        return start, end
    if entity in _ORGANIZATIONS:
        setting = _SETTING.match(text, start, end)
        start = setting.end() if setting else start
        end = _without_office(text, start, end)
    word = _WORD_OF_SENTENCE.search(text, start, end)
    if word and not _is_of_name(text, word):
        end = word.start()
    if thing := _THING.search(text, start, end):
        end = thing.start()
    if entity is Entity.FACILITY and not _BESIDE_DEPARTMENT.search(text, start, end):
        department = _DEPARTMENT.search(text, start, end) or _DEPARTMENT_IN_CAPITALS.search(text, start, end)
        end = department.start() if department else end
    return start, end


def _without_office(text: str, start: int, end: int) -> int:
    """Return the end of an organization without its schedule, office, specialty or plan, or the label of a number."""
    for behind in (_SCHEDULE, _OFFICE, _SPECIALTY_BEHIND, _COVER):
        if match := behind.search(text, start, end):
            return match.start()
    label = _LABEL_OF_COVER.search(text, start, end)
    return label.start() if label and _NUMBER_OF_COVER.match(text, end) else end


def _is_of_name(text: str, word: re.Match[str]) -> bool:
    """Whether a preposition stands inside a name: Center for Inherited Cancer, of which a model found the beginning."""
    if word["word"]:
        return word.group().split()[0] in _OF_NAMES
    return word.group() in {" for", " and"} and _NAME_GOES_ON.match(text, word.end()) is not None


def _needs_article(name: str) -> bool:
    """Whether a name is a letter or an everyday word, which its article makes a name: the U, the Keys."""
    return len(name) == 1 or is_public_word(fold(name))
