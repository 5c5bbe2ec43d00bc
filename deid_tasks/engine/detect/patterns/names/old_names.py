"""Names behind titles, labels and relations: Dr. X, Mrs. X, Patient Name: X, daughter X."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.names.name_parts import (
    CAPS_WORD,
    INITIAL,
    LOWER_WORD,
    PARTICLE,
    TITLE_WORD,
    may_be_name,
    name_candidates,
    take_name,
)
from deid_tasks.engine.detect.patterns.reference_words import (
    given_name_rates,
    is_frequent_surname,
    is_frequent_word,
    is_given_name,
    is_plain_name,
    medical_term_words,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, Strength, text_before

_DOCTOR = r"\b(?:D[Rr]s?\b\.?|dr\.|dr\b|Dep\.|Deputy|Trooper|Sgt\.|Doctor|DOCTOR|Doctors|Prof\.?|Professor|Attending|Nurse|Chaplain|Rev\.|Reverend|Fr\.|Pastor|Sister|Judge|Officer|Detective|Coach) ?[A-Za-z]"
_ONE_LETTER = re.compile(r"[B-HJ-W]\.?(?:[,;:)(']| [(a-z]|\s?$|\n)")
"""What is no stand-in for a name: Dr. X, Dr. Y and Dr. Z are nobody."""
_OFFICE = re.compile(r"(?:sheriff(?:'s)?|office|county|police)\W{1,3}$")
_NO_DOCTOR = frozenset(
    {
        "office",
        "appointment",
        "visit",
        "said",
        "told",
        "who",
        "today",
        "about",
        "again",
        "wants",
        "advised",
        "ordered",
        "note",
        "aware",
        "orders",
        "notes",
        "prescribed",
        "gave",
        "called",
        "recommends",
    }
)


def read_doctor(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Dr. Okafor, Drs. Okafor and Lim, DR OKAFOR, dr. okafor."""
    begin = end - 1
    title = text[start:begin].strip().lower()
    entity = Entity.PROVIDER
    if (
        title
        in {
            "fr.",
            "deputy",
            "trooper",
            "sister",
            "judge",
            "officer",
            "detective",
            "coach",
            "attending",
            "nurse",
            "doctor",
            "doctors",
            "dr",
            "drs",
        }
        and text[begin - 1] != " "
    ):
        return
    if text[begin].islower() and not re.match(PARTICLE, text[begin : begin + 8]):
        word = re.compile(LOWER_WORD).match(text, begin, begin + 24)
        if (
            title in {"dr.", "dr"}
            and text[start] == "d"
            and word
            and may_be_name(word.group())
            and word.group() not in _NO_DOCTOR
            and not word.group().endswith(("ed", "ing"))
        ):
            yield Candidate(
                begin, word.end() - 2 if word.group().endswith("'s") else word.end(), entity, Strength.LABELLED
            )
        return
    caps = text[begin : begin + 3].isupper() and text[begin : begin + 3].isalpha()
    span = take_name(text, begin, 3)
    if span is None:
        if title in {"dr", "dr."} and text[start : start + 2] == "Dr" and _ONE_LETTER.match(text, begin, begin + 4):
            yield Candidate(begin, begin + 1, entity, Strength.LABELLED)
        return
    if caps and text[begin : span[1]].isupper() and text[span[1] :].lstrip()[:1].isupper() is False:
        pass
    elif (
        caps
        and " " in text[begin : span[1]]
        and not re.match(r",? (?:MD|DO|NP|RN|PA)\b|\s*(?:[.,;)\n]|$)", text[span[1] : span[1] + 6])
    ):
        span = (begin, begin + len(text[begin : span[1]].split()[0]))
    if title == "dep." and not is_plain_name(text[slice(*span)]) and not _OFFICE.search(text_before(text, start)):
        return
    yield Candidate(*span, entity, Strength.LABELLED)
    more = re.compile(r"(?:,| and|, and| &|/) ?(?:D[Rr]\.? )?(?=[A-Z])").match(text, span[1], span[1] + 10)
    if more and title.startswith(("drs", "doctors")):
        yield from name_candidates(take_name(text, more.end(), 2), entity)


_MISTER = r"\b(?:M[Rr]s?|M[Ss]|Mme|Mlle|Madame|Monsieur|Mx|MX|Miss|MISS|Mister|Master|Sra?|Se[nx]ora?)\b\.? ?[A-Z]|\b(?:Baby|BABY|Babyboy|Babygirl)(?: (?:[Bb]oy|[Gg]irl|BOY|GIRL|[A-B] ))?(?: of)? [A-Z]|\b(?:mr|mrs|ms)\b\.? [a-z]"


def read_mister(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Mrs. Okafor: the patient, as far as a title tells."""
    begin = end - 1
    if text[begin].islower():
        word = re.compile(LOWER_WORD).match(text, begin, begin + 24)
        if word and may_be_name(word.group()):
            yield Candidate(
                begin, word.end() - 2 if word.group().endswith("'s") else word.end(), Entity.PATIENT, Strength.LABELLED
            )
        return
    title = text[start:begin].strip()
    if title[:4].lower() == "baby":
        baby = take_name(text, begin, 2)
        last = text[slice(*baby)].split()[-1] if baby else ""
        if baby and (is_plain_name(last) or is_frequent_surname(last)):
            yield Candidate(*baby, Entity.PATIENT)
        return
    if title in {"MS", "MR", "Ms", "Sr", "SR", "Master", "Miss", "MISS"} and (
        text[begin - 1] != " "
        or (
            title in {"Sr", "SR", "MS", "MR"}
            and text[begin : begin + 4].isupper()
            and text_before(text, start, 30)[-2:] in {", ", "/ "}
        )
    ):
        return
    span = take_name(text, begin, 3)
    if span and title in {"MS", "MR", "MRS"} and " " in text[begin : span[1]] and text[begin : span[1]].isupper():
        words = text[begin : span[1]].split()
        span = (begin, begin + len(words[0])) if len(words[0].rstrip(".")) > 1 else span
    yield from name_candidates(span, Entity.PATIENT)


_PATIENT = r"(?i)\b(?:patient(?:'s)?(?: full| legal)?(?: name)?|pt(?:\.|'s)?(?: name)?|name(?: of patient)?|re|regarding|full name|legal name|preferred name|goes by|prefers(?: to be called)?|known as|maiden name|alias|aka|a/k/a|client|decedent|for|resident name|subject|member name|insured|policy ?holder|subscriber name|guarantor|dear|hi|hello|named?|my name is|first name|last name|surname)\b ?(?:\([a-z, ]{1,14}\) ?)?(?: is|[:=,\-]{0,2})[ \t]{0,12}[\"(]?[a-z]"


def read_patient(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Patient Name: Okafor, Maria T; Dear Maria,; goes by "Mia"."""
    begin = end - 1
    if not text[begin].isupper():
        return
    label = text[start:begin]
    low = label.strip(' :="(-,\t').lower()
    has_colon = ":" in label or "=" in label
    span = take_name(text, begin, 4, comma=has_colon)
    if span is None:
        return
    value = text[span[0] : span[1]]
    two = len(value.replace(",", " ").split()) >= 2
    if low in {"dear", "hi", "hello"}:
        pair = re.compile(r",? (?:and|&) (?=[A-Z])").match(text, span[1], span[1] + 7)
        second = take_name(text, pair.end(), 3) if pair else None
        if text[(second or span)[1] : (second or span)[1] + 1] not in {",", ":", "-", "!", "."}:
            return
        yield from name_candidates(second, Entity.PATIENT)
    elif low in {
        "named",
        "my name is",
        "goes by",
        "known as",
        "maiden name",
        "preferred name",
        "prefers to be called",
        "aka",
        "a/k/a",
        "alias",
        "prefers",
    } or low.endswith("name is"):
        if value.isupper() and not has_colon and (len(value) < 4 or (label.isupper() and not two)):
            return
    elif not has_colon and low in {"pt", "decedent"} and two and not value.isupper():
        pass
    elif not has_colon or (
        low in {"re", "for", "regarding", "subject", "insured", "client", "pt", "patient"} and not two
    ):
        return
    if re.match(r"\s?:", text[span[1] : span[1] + 2]) and not two:
        return
    if low in {"re", "regarding", "subject"} and not re.fullmatch(
        rf"(?:{TITLE_WORD}|{CAPS_WORD}|{INITIAL}|,| |\.)+", value
    ):
        return
    yield Candidate(*span, Entity.PATIENT, Strength.LABELLED)


_HEADER = r"(?m)^[ \t]{0,4}[A-Z][A-Za-z'\-]{1,20}(?: [A-Z][A-Za-z'\-]{1,20})?, ?[A-Z][A-Za-z'\-]{1,20}(?: [A-Z][A-Za-z]{0,15}\.?)?[ \t,;|(\-]{1,8}(?:MRN|DOB|[0-9]{2}-[0-9]{2}-(?:19|20)|[0-9]{1,3} ?[/MF(]|D\.O\.B|[0-9]{1,2}/[0-9]{1,2}/|MR ?#|Age|[0-9]{3}-[0-9]{2}-[0-9]{2}|[0-9]{6,9}\b|[0-9]{1,3} ?[yY])"


def read_header(text: str, start: int, end: int) -> Iterator[Candidate]:
    """OKAFOR, MARIA T   MRN …, at the head of a line."""
    begin = next((i for i in range(start, end) if text[i].isalpha()), end)
    yield from name_candidates(take_name(text, begin, 4, comma=True), Entity.PATIENT)


_RELATION = (
    r"(?i)\b(?:daughter|son|wife|husband|mother|father|mom|dad|mum|sister|brother|spouse|partner|aunt|uncle|niece|nephew|grand(?:son|daughter|mother|father|child)|cousin|fiancee?|girlfriend|boyfriend|friend|neighbou?r|roommate|caregiver|guardian|emergency contact|next of kin|nok|hcp|hcpoa|health ?care proxy|health care agent|poa|step-?(?:son|daughter|mother|father)|(?:son|daughter|mother|father|sister|brother)-in-law|sons|daughters|sisters|brothers|children|parents|twin|dtr|ex-?(?:wife|husband)|foster (?:mother|father)|informant|contact|proxy|surrogate|dpoa)"
    r"(?:,? ?\(|, | is | named | - |: {0,6}|'s name is |,? whose name is | )(?:an? )?[a-z]"
)
_FAMILY_TITLE = re.compile(r"(?:Aunty|Auntie|Aunt|Uncle|Mama|Mme|Mrs?|Ms|Dr)\.? (?=[A-Z])")
_NOT_RELATIVE_AFTER = re.compile(r"['\s]*(?:cancer|disease|syndrome|diabetes|type|stroke|mi\b)", re.IGNORECASE)


def read_relation(text: str, start: int, end: int) -> Iterator[Candidate]:
    """daughter Maria, his wife (Ann), Mother: Ann Okafor."""
    begin = end - 1
    if not text[begin].isupper():
        return
    link = text[start:begin].lower()
    title = _FAMILY_TITLE.match(text, begin, begin + 12)
    begin = title.end() if title else begin
    span = take_name(text, begin, 3, comma=":" in link)
    if span is None:
        return
    value = text[span[0] : span[1]]
    contact = re.search(r"contact|kin|nok|hcp|proxy|poa|agent|informant|guardian|surrogate|caregiver", link)
    if (value.isupper() and not (contact and ":" in link and " " in value)) or (len(value) < 3 and "(" not in link):
        return
    two = " " in value
    tail = text[span[1] : span[1] + 14]
    if link[:3] == "dtr" and (text[start : start + 3].isupper() or not is_plain_name(value.split()[0])):
        return  # deep tendon reflexes
    if _NOT_RELATIVE_AFTER.match(tail) or (re.match(r"\s?:", tail) and not two):
        return
    if ":" in link and not (
        two or contact or is_given_name(value) or re.match(r"\s*(?:\(|[0-9]|,? ?[0-9]{3}-|,? [a-z]+ ?[:(]|@)", tail)
    ):
        return
    if " - " in link and not (two or contact):
        return
    if re.search(r" is $", link) and not re.match(r"\W|$", tail):
        return
    yield Candidate(*span, Entity.RELATIVE, Strength.LABELLED)
    more = re.compile(r"(?:,| and|, and| &) (?=[A-Z])").match(text, span[1], span[1] + 8)
    while more and re.match(r"(?:sons|daughters|sisters|brothers|children|parents)\b", link):
        span = take_name(text, more.end(), 2)
        if span is None or not is_plain_name(text[span[0] : span[1]].split()[0]):
            return
        yield Candidate(*span, Entity.RELATIVE)
        more = re.compile(r"(?:,| and|, and| &) (?=[A-Z])").match(text, span[1], span[1] + 8)


_LOWER_RELATION = (
    r"\b(?:wife|husband|daughter|dtr|son|mom|mother|dad|father|sister|brother|girlfriend|boyfriend|fiancee?|partner|niece|nephew|neighbor|friend|spouse|aunt|uncle) [a-z]{3,14} "
    r"(?:called|phoned|texted|here|at (?:bs|bedside)|@ ?bs|states|stated|reports|reported|aware|updated|notified|present|says|said|visiting|arrived|left|came)\b"
)


def read_lower_relation(text: str, start: int, end: int) -> Iterator[Candidate]:
    """wife dawn called for an update."""
    begin = text.index(" ", start, end) + 1
    stop = text.index(" ", begin, end)
    word = text[begin:stop]
    is_rare_word = given_name_rates().get(word, 0.0) >= _GIVEN_PER_100K and not is_frequent_word(word)
    if may_be_name(word) and word not in medical_term_words() and (is_given_name(word) or is_rare_word):
        yield Candidate(begin, stop, Entity.RELATIVE)


_GIVEN_PER_100K = 30.0
"""Of 100,000 women or men, as many bear a given name that is believed in small letters although it is a word too."""
_LOWER_CREDITED = r"\b(?:w/|with|per|by|to|from|d/w|see|saw) ?[a-z]{3,15},? (?:lcsw|licsw|rn|np|md|msw|lpn|pharmd|dnp|aprn|crna|pa-c)\b"


def read_lower_credited(text: str, start: int, end: int) -> Iterator[Candidate]:
    """group w/ hope, lcsw; seen by okafor np."""
    match = re.search(r"(?:/| )([a-z]{3,15})(,?) [a-z\-]{2,6}$", text[start:end])
    if match and may_be_name(match[1]) and (is_plain_name(match[1]) or (match[2] and match[1] in given_name_rates())):
        yield Candidate(start + match.start(1), start + match.end(1), Entity.PROVIDER)


_RELATIVE_AFTER = r"\b[A-Z][a-z]{2,15}(?: [A-Z][a-z'\-]{2,20}){0,2}(?:,? \(|, )(?:(?:his|her|the|their|patient's|pt's) )?(?:daughter|son|wife|husband|mother|father|sister|brother|spouse|partner|niece|nephew|granddaughter|grandson|friend|neighbor|caregiver|guardian|aunt|uncle|HCP|POA)\b"


def read_relative_after(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Ann (wife); Maria Okafor, his daughter."""
    span = take_name(text, start, 3)
    if span and re.match(r",? ?\(|,", text[span[1] : span[1] + 3]):
        is_bracketed = "(" in text[span[1] : span[1] + 3]
        if is_bracketed or re.search(r"(?:his|her|their|patient's|pt's) ", text[span[1] : end]):
            yield Candidate(*span, Entity.RELATIVE)


_FIELDS = (
    r"\b(?i:surname|family(?: name)?|last(?: name)?): {0,3}[A-Z][A-Za-z'\-]{1,24}[,;]? {1,6}(?i:given(?: names?)?|first(?: names?)?|forenames?): {0,3}[A-Z]"
    r"|\b(?:ALIAS|Alias|alias|AKA): {0,3}[A-Z]{2,20}, ?[A-Z]{2,20}\b"
)


def read_fields(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Surname: OKAFOR   Given: MARIA; ALIAS: TRAUMA, KILO NINE."""
    if text[start].lower() == "a":
        alias = _ALIAS.search(text, start, end + 44)
        if alias and alias["name"].split(",")[0] not in {"NONE", "UNKNOWN", "DENIES", "NO", "NOT"}:
            yield Candidate(*alias.span("name"), Entity.PATIENT, Strength.LABELLED)
    else:
        yield from name_candidates(take_name(text, end - 1, 4), Entity.PATIENT)


_ALIAS = re.compile(r": {0,3}(?P<name>[A-Z]{2,20}, ?[A-Z]{2,20}(?: [A-Z]{2,20}){0,2})(?![A-Za-z:])")

RULES = (
    Rule("fields of a name", _FIELDS, read_fields),
    Rule("doctor", _DOCTOR, read_doctor),
    Rule("mister", _MISTER, read_mister),
    Rule("patient's name", _PATIENT, read_patient),
    Rule("header", _HEADER, read_header),
    Rule("relative in small letters", _LOWER_RELATION, read_lower_relation),
    Rule("credential in small letters", _LOWER_CREDITED, read_lower_credited),
    Rule("relative", _RELATION, read_relation),
    Rule("relative before relation", _RELATIVE_AFTER, read_relative_after),
)
