"""People at the bedside and at the telephone, who are named without a title: Joy at bedside, Okafor K 3.1 repleted.

A name alone at the head of a line shows by what stands behind it: what only people do, a weight, or the value of a
laboratory. A scale or a sign that bears a name has no such value.
"""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.detect.patterns.names.name_parts import may_be_name, take_name
from deid_tasks.engine.detect.patterns.reference_words import (
    FREQUENT_GIVEN_PER_100K,
    given_name_rates,
    is_everyday_word,
    is_frequent_surname,
    is_given_name,
    is_plain_name,
    medical_term_words,
    surname_rates,
    words_of_terms,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_before
from deid_tasks.engine.detect.patterns.word_lists import NOT_NAMES, alternation, as_word_set
from deid_tasks.engine.lexicon.public import medical_abbreviations

_NAME = r"[A-Z][A-Za-z'\-]{2,24}"
_FIRST = (
    r"(?:Bad|Good|Big|Little|Black|White|Red|Yellow|Blue|Gray|Iron|Two|Three|Many|Old|Lone|Swift|Spotted|Standing"
    r"|Running|Walking|Sitting|Flying|Crazy|Medicine|Bear|Elk|Buffalo|Crow|Hawk|Wolf|Thunder|Eagle|Long|Charging)"
)
_SECOND = (
    r"(?:Heart|Horses?|Bulls?|Bear|Elk|Eagles?|Hawk|Wolf|Crow|Feather|Thunder|Cloud|Owl|Boy|Bird|Dog|Fox|Moon|Star"
    r"|Shield|Lance|Hat|Robe|Bonnet|Pipe|Knife|Bow|Arrow|Buffalo|Antelope|Calf|Pony|Crane|Turtle|Otter|Whirlwind"
    r"|Lightning|Shirt|Warrior|Soldier|Chief|Weasel|Rabbit)"
)
_PLAINS = rf"(?:{_FIRST} {_SECOND})"
_VALUE = (
    r"(?:FSBG|FSBS|FBS|BG|BS|[Kk]\+?|[Nn]a|Hgb|hgb|Hct|hct|H/H|H&H|BP|bp|HR|hr|RR|INR|inr|Cr|WBC|wbc|[Tt]rop|[Ll]actate"
    r"|[Tt]emp|UOP|uop|[Ww]t\.?|[Ww]eight|SpO2|[Ss]ats?|A1c|[Gg]lucose|[Bb]ili|[Pp]lts?|BUN|Mg|[Pp]hos|[Dd]ig|CBG)"
    r" ?[:=]? ?[0-9]{1,3}s?\b"
)
_DRUG = r"[A-Za-z][a-z]{3,20} [0-9]{1,4}"
HEAD_TRIGGER = (
    rf"(?m)^[ \t]{{0,4}}(?:{_PLAINS}|{_NAME}|[a-z]{{6,20}}) ?[,:\-]? ?{_VALUE}"  # Okafor BG 342, okafor k 3.1
    rf"|^[ \t]{{0,4}}(?:{_PLAINS}|{_NAME}) [0-9]{{2,3}}(?:\.[0-9])? ?(?:kg|lbs?)\b,? ?[a-z]"  # Okafor 148 kg, needs
    rf"|^[ \t]{{0,4}}{_NAME} ?, {_DRUG} ?(?:mg|mcg|daily|bid|BID|tid|qd|qhs|po|PO|prn)\b"  # Okafor , Allegra 180 mg
    rf"|^[ \t]{{0,4}}(?:{_PLAINS}|{_NAME}) (?:{_DRUG}\b|(?:{alternation('names', 'words_of_patients')})(?:[^A-Za-z]|$))"
)
_MEASURES = as_word_set(
    "angle class criteria grade group index level line point ratio scale score sign stage test type"
)
_HEAD = re.compile(rf"[ \t]{{0,4}}(?P<plains>{_PLAINS}(?= ))?(?P<name>[A-Za-z][A-Za-z'\-]*)?")
_MC = re.compile(r"mc[a-z]{4,}")
_TRACTION_BEHIND = re.compile(r" (?:of )?(?:traction|tongs|tension|limit|plate)")
"""Behind the weight of a tool that bears a name: Gardner-Wells 15 lb traction."""
_VALUE_BEHIND = re.compile(rf" ?(?:[,:\-] ?)?(?:{_VALUE}|[0-9])|,? ?, [A-Z]")
_DRUG_BEHIND = re.compile(r" (?P<drug>[A-Za-z][a-z]{3,20}) [0-9]")


def read_name_at_head(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Okafor BG 342, okafor k 3.1, Okafor 148 kg, Okafor lasix 40 and Okafor PICC out at the head of a line."""
    match = _HEAD.match(text, start, end)
    if match is None:
        return
    if match["plains"]:
        yield Candidate(*match.span("plains"), Entity.PATIENT)
        return
    word = match["name"] or ""
    if not word or not may_be_name(word) or word[:2].isupper():
        return
    low, stop = word.lower(), match.end("name")
    if low in medical_term_words() or is_everyday_word(low) or _TRACTION_BEHIND.match(text, end - 2, end + 16):
        return
    is_surname = is_plain_name(word) and low.removesuffix("'s") in surname_rates()
    if _VALUE_BEHIND.match(text, stop, end):
        is_name = is_surname or (word[0].isupper() and is_plain_name(word)) or _MC.fullmatch(low) is not None
    else:
        drug = _DRUG_BEHIND.match(text, stop, end)
        is_name = is_surname and low not in words_of_terms() and (drug is None or _is_drug(drug["drug"]))
    if is_name:
        yield Candidate(match.start("name"), stop, Entity.PATIENT)


def _is_drug(word: str) -> bool:
    """Whether a word in front of a figure may be a drug, and not the part of a scale: Friedman stage 2."""
    return word.lower() in medical_term_words() and word.lower() not in _MEASURES


BEDSIDE_TRIGGER = (
    r"(?m)(?:^|[a-z0-9)]{2}[.;] )[A-Z][a-z]{1,14} (?:(?:is |was )?(?:here )?(?:at|@) ?(?:the )?(?:bedside|bs)"
    r"|would like|wants|c/o|denies|refused|agrees|declines|tearful)\b"
)
_PERSON_BEHIND = re.compile(r" (?:would like|c/o|denies|refused)")
_TWO_LETTERS_OF_NOBODY = as_word_set(
    "he we it me us so no to on or in if is as at by my pa ma go be am hi ok oh an pt dr mr ms st tx hx sx rx dx fx"
)
"""Words, kin and abbreviations of two letters; what is left are surnames: Do, Ng, Vu."""
_WORD = re.compile(r"[a-z]+")
_NO_BEARERS = as_word_set("guy will may drew art bill rob jack")
_CAPITALISED = re.compile(r"[A-Z][a-z]+")


def read_person_at_bedside(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Joy at bedside and Do would like, although joy and do are words."""
    match = _CAPITALISED.search(text, start, end)
    if match is None:
        return
    word, low = match.group(), match.group().lower()
    if len(word) == 2:
        is_surname = low in surname_rates() and low not in _TWO_LETTERS_OF_NOBODY
        if is_surname and low not in medical_abbreviations() and _PERSON_BEHIND.match(text, match.end(), end):
            yield Candidate(*match.span(), Entity.PATIENT, Strength.WEAK)
        return
    is_given = given_name_rates().get(fold(word), 0.0) >= FREQUENT_GIVEN_PER_100K
    is_person = is_plain_name(word) and low not in words_of_terms()
    if may_be_name(word) and (is_person or (is_given and low != "guy")):
        is_patient = _PERSON_BEHIND.match(text, match.end(), end) is not None
        yield Candidate(*match.span(), Entity.PATIENT if is_patient else Entity.RELATIVE, Strength.WEAK)


CALLED_FROM_TRIGGER = r"(?m)^[ \t]{0,4}[a-z]{3,12} (?:called (?:back )?from|at (?:the )?bedside|at bs|@ ?bs)\b"


def read_caller_in_small_letters(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read hope called back from lab and grace at bedside, where a given name is a word too."""
    match = _WORD.search(text, start, end)
    if match is None or match.group() in _NO_BEARERS or match.group() in NOT_NAMES:
        return
    if is_given_name(match.group()) or given_name_rates().get(match.group(), 0.0) >= FREQUENT_GIVEN_PER_100K:
        is_caller = "called" in text[start:end]
        yield Candidate(*match.span(), Entity.PROVIDER if is_caller else Entity.RELATIVE)


ALERT_TRIGGER = (
    r"\b(?i:name alert)[:! \-]{1,4}(?i:(?:two|2|three|3|another|also|similar) (?:pts? |patients? )?)?"
    r"[A-Z][A-Za-z'\-]{1,20}(?:, ?[A-Z][a-z]{0,15}\b)?"
)
_ALERTED = re.compile(r"(?P<surname>[A-Z][A-Za-z'\-]{1,20})(?:, ?[A-Z][a-z]{0,15})?$")


def read_name_of_alert(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read NAME ALERT two Okafor, M: patients of one surname."""
    match = _ALERTED.search(text, start + len("name alert"), end)
    if match and match["surname"].lower() in surname_rates() and may_be_name(match["surname"]):
        yield Candidate(*match.span(), Entity.PATIENT)


GLOTTAL_TRIGGER = r"\b[A-Z][a-z]{1,12}(?:[A-Z][a-z]{1,12})?'(?:[a-z]{3,16}|[aeiou][a-z]?)\b"
_WORDS_WITH_APOSTROPHE = as_word_set("ma'am qur'an hallowe'en ne'er")
_CONTRACTION = re.compile(r"(?:ll|re|ve|s|t|d|m)(?P<next>[a-z]{3,})$")


def read_name_with_glottal_stop(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read Fa'alogo and DeShaun'tae: no word but a name has an apostrophe in front of a vowel or of three letters."""
    if text[start:end].lower() in _WORDS_WITH_APOSTROPHE:
        return
    front, behind = text[start:end].lower().split("'")
    glued = _CONTRACTION.match(behind)
    if is_everyday_word(behind) or (glued and is_everyday_word(glued["next"])):
        return  # Don'tknow, where the blank is missing
    if front + behind not in medical_term_words():
        yield Candidate(start, end, _person_before(text, start), Strength.WEAK)


_CLINICIAN_BEFORE = re.compile(
    r"(?:\b(?:md|dr|np|rn|pa|do|attending|resident|intern|fellow|nurse|per|by|with)\.?|w/) ?$"
)
_KIN_BEFORE = re.compile(rf"\b(?:{alternation('names', 'relations')}|grandma|grandpa|gma|gpa|nana)[ ,(]{{1,2}}$")


def _person_before(text: str, start: int) -> Entity:
    """Return whose name stands at ``start``, by the word in front of it."""
    before = text_before(text, start, 24)
    if _CLINICIAN_BEFORE.search(before):
        return Entity.PROVIDER
    return Entity.RELATIVE if _KIN_BEFORE.search(before) else Entity.PATIENT


PLAINS_TRIGGER = (
    rf"\b[A-Z][a-z]{{2,14}} {_PLAINS}\b"  # Delores Bad Heart
    r"|\b(?:[A-Z][a-z]{2,14} )?(?:Runs|Kills|Takes|Chases|Fears|Sees|Makes|Looks|Comes|Rides|Shoots)"
    r" (?:Him|Her|Them|Enemy|Enemies|Twice|Above|Hawk|Eagle|Horses|Bear)\b"  # Whiteman Runs Him
)
_NO_VERB_BEHIND = re.compile(r"[:?\]]| [A-Z]")


def read_plains_name(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the surnames of the Plains, which are words in English: Delores Bad Heart, Whiteman Runs Him."""
    words = text[start:end].split()
    if words[-2].endswith("s"):
        if not _NO_VERB_BEHIND.match(text, end, end + 2):
            has_name = len(words) == 2 or is_plain_name(words[0]) or not is_everyday_word(words[0])
            begin = start if has_name else end - len(" ".join(words[-2:]))
            yield Candidate(begin, end, _person_before(text, begin), Strength.WEAK)
    elif fold(words[0]) in given_name_rates() and not is_everyday_word(words[0]):
        yield Candidate(start, end, _person_before(text, start), Strength.WEAK)


SERVICE_TRIGGER = (
    r"\b(?:with|w/|per|to|from|by|d/w|saw|paged|called|via) ?[A-Z][a-z'\-]{2,20} "
    r"\((?:uro|ortho|cards?|GI|neuro|nephro|renal|ID|heme|onc|heme/onc|pulm|surg|gen surg|NSGY|nsgy|CT surg|vasc|ENT"
    r"|ophtho|optho|derm|psych|OB|gyn|IR|plastics|PMR|PM&R|endo|rheum|allergy|peds|palliative|pall care|anesthesia|EP"
    r"|trauma|podiatry|hospitalist|ICU|MICU|radiology|pathology)\)"
)


def read_name_and_service(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read the surname of a consultant in front of the service in brackets: reviewed with Foley (uro)."""
    stop = text.rindex(" (", start, end)
    begin = max(text.rfind(" ", start, stop), text.rfind("/", start, stop)) + 1
    word = text[begin:stop]
    is_word = is_everyday_word(word) and not is_frequent_surname(word)
    if may_be_name(word) and _is_listed(word) and not is_word:
        yield Candidate(begin, stop, Entity.PROVIDER)


_QUOTE = "[\"']"
ROLE_TRIGGER = (
    rf"\b(?i:{alternation('names', 'relations')}) {_QUOTE}[A-Z]\.?{_QUOTE}"  # roommate "T"
    rf"|\b(?:adj\.|adjuster|adjustor|[Cc]laims rep(?:resentative)?|[Ll]andlord|[Ll]andlady|[Ss]ponsor|[Pp]arole officer"
    rf"|[Pp]robation officer|(?:[Hh]is|[Hh]er|[Mm]y) PO|boss|[Cc]oworker|[Cc]o-worker) {_NAME}\b"  # adj. Trish
    rf"|\b{_NAME} (?:somebody|someone|something-or-other|so-and-so|what's-his-name"
    rf"|what's-her-name)\b"  # a Wally somebody
)
_LETTER = re.compile(r"[A-Z](?=\.?[\"'])")
_VAGUE = re.compile(rf"(?P<name>{_NAME}) (?:some|so-|what)")


def read_person_with_role(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Read roommate "T", adj. Trish Okafor and a Wally somebody."""
    if text[end - 1] in "\"'":
        if letter := _LETTER.search(text, end - 4, end):
            yield Candidate(*letter.span(), Entity.RELATIVE)
        return
    if vague := _VAGUE.match(text, start, end):
        if may_be_name(vague["name"]) and _is_listed(vague["name"]):
            yield Candidate(*vague.span("name"), Entity.RELATIVE)
        return
    begin = text.rindex(" ", start, end) + 1
    span = take_name(text, begin, 3)
    if span and is_plain_name(text[begin:end]) and not text[begin:end].isupper():
        yield Candidate(*span, Entity.RELATIVE)


def _is_listed(word: str) -> bool:
    return fold(word) in surname_rates() or fold(word) in given_name_rates()
