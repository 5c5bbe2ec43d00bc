"""Names in strong context only: titles, signatures, labels, relations, credentials; and initials in sign-off lines."""

import re
from collections.abc import Iterator

from deid_tasks.detect.patterns.rule import Found, Rule, Strength, after, before
from deid_tasks.detect.patterns.words import MEDICAL_ENDINGS, NOT_NAMES
from deid_tasks.entities import Entity

_PARTICLE = r"(?:(?:de|la|del|las|los|van|von|der|den|ter|bin|ibn|al|el|da|dos|di|du|le|abu|st\.|De|La|Del|Van|Von|Der|Le|Al|El|St\.|Di|Da) )"
_TITLE_WORD = r"(?:(?:[A-Z]')?[A-Z][a-z][a-z']{0,20}(?:[A-Z][a-z]{1,15})?(?:-[A-Z]?[a-z]{1,20}){0,2})"
_CAPS_WORD = r"(?:(?:[A-Z]')?[A-Z]{2,20}(?:-[A-Z]{2,20})?(?:'[A-Z]{1,15})?)"
_LOWER_WORD = r"(?:[a-z][a-z'\-]{2,20})"
_INITIAL = r"(?:[A-Z](?:\.|(?![A-Za-z'.])))"
_WORD_AT = re.compile(rf"(?:{_PARTICLE}{{0,2}}(?:{_TITLE_WORD}|{_CAPS_WORD})|{_INITIAL})(?![a-z])")
_GAP = re.compile(r" |(?<=\.)(?=[A-Z])")
_FIRST_TOO = frozenset({"Will", "May", "June", "April", "August", "Drew", "Art"})
"""Given names that are ordinary words too."""
_FOLLOWED = re.compile(rf",? (?:[A-Z]\.? )?{_TITLE_WORD}")


def _is_word(word: str) -> bool:
    """Whether a capitalised word may be a name."""
    low = word.lower().removesuffix("'s")
    return low not in NOT_NAMES and not (len(low) > 5 and low.endswith(MEDICAL_ENDINGS))


def take_name(text: str, start: int, most: int = 4, *, comma: bool = False, reach: int = 80) -> tuple[int, int] | None:
    """The name that begins at ``start``: up to ``most`` parts, also "Last, First M" where ``comma``; none where no word can be one."""
    end, position, parts, initials, seen_comma, caps_first = start, start, 0, 0, False, False
    limit = start + reach
    while parts < most:
        match = _WORD_AT.match(text, position, limit)
        if match is None:
            break
        word = match.group()
        is_initial = len(word.rstrip(".")) == 1
        if word in _FIRST_TOO and _FOLLOWED.match(text, match.end(), limit) and (parts == 0 or seen_comma):
            pass
        elif not is_initial and not all(_is_word(piece) or (piece.lower() in {"de", "la", "van", "le", "al", "el", "do", "st.", "da", "di"} and " " in word) for piece in word.split()):
            break
        if parts and caps_first and not word.isupper() and not is_initial and len(text[start:end]) > 3:
            break
        if parts and not caps_first and word.isupper() and len(word) > 3 and not is_initial:
            break
        caps_first = caps_first or (parts == 0 and word.isupper() and not is_initial)
        parts, initials, end = parts + 1, initials + is_initial, match.end()
        if comma and not seen_comma and not is_initial and text[end : end + 1] == "," and parts <= 2:
            follow = re.compile(r",\s?").match(text, end, limit)
            rest = _WORD_AT.match(text, follow.end(), limit) if follow else None
            if follow and rest and _is_word(rest.group()) and len(rest.group().rstrip(".")) > 1:
                seen_comma, position = True, follow.end()
                continue
            break
        gap = _GAP.match(text, end, limit)
        if gap is None:
            break
        position = gap.end()
    if parts == initials:
        return None
    if text[end - 1] == "." and len(text[:end].rsplit(" ", 1)[-1]) != 2:
        end -= 1
    if text[start:end].lower().endswith("'s"):
        end -= 2
    elif text[end - 1] == "'":
        end -= 1
    return start, end


def _yield(span: tuple[int, int] | None, entity: Entity, strength: Strength = Strength.LABELLED) -> Iterator[Found]:
    if span:
        yield Found(*span, entity, strength)


_DOCTOR = r"\b(?:D[Rr]s?\b\.?|dr\.|dr\b|Doctor|DOCTOR|Doctors|Prof\.?|Professor|Attending|Nurse|Chaplain|Rev\.|Reverend|Fr\.|Pastor|Sister|Judge|Officer|Detective|Coach) ?[A-Za-z]"
_NO_DOCTOR = frozenset({"office", "appointment", "visit", "said", "told", "who", "today", "about", "again", "wants", "advised", "ordered", "note", "aware", "orders", "notes", "prescribed", "gave", "called", "recommends"})


def read_doctor(text: str, start: int, end: int) -> Iterator[Found]:
    """Dr. Okafor, Drs. Okafor and Lim, DR OKAFOR, dr. okafor."""
    begin = end - 1
    title = text[start:begin].strip().lower()
    entity = Entity.PROVIDER
    if title in {"fr.", "sister", "judge", "officer", "detective", "coach", "attending", "nurse", "doctor", "doctors", "dr", "drs"} and text[begin - 1] != " ":
        return
    if text[begin].islower() and not re.match(_PARTICLE, text[begin : begin + 8]):
        word = re.compile(_LOWER_WORD).match(text, begin, begin + 24)
        if title in {"dr.", "dr"} and text[start] == "d" and word and _is_word(word.group()) and word.group() not in _NO_DOCTOR and not word.group().endswith(("ed", "ing")):
            yield Found(begin, word.end() - 2 if word.group().endswith("'s") else word.end(), entity, Strength.LABELLED)
        return
    caps = text[begin : begin + 3].isupper() and text[begin : begin + 3].isalpha()
    span = take_name(text, begin, 3)
    if span is None:
        return
    if caps and text[begin : span[1]].isupper() and text[span[1] :].lstrip()[:1].isupper() is False:
        pass
    elif caps and " " in text[begin : span[1]] and not re.match(r",? (?:MD|DO|NP|RN|PA)\b|\s*(?:[.,;)\n]|$)", text[span[1] : span[1] + 6]):
        span = (begin, begin + len(text[begin : span[1]].split()[0]))
    yield Found(*span, entity, Strength.LABELLED)
    more = re.compile(r"(?:,| and|, and| &|/) ?(?:D[Rr]\.? )?(?=[A-Z])").match(text, span[1], span[1] + 10)
    if more and title.startswith(("drs", "doctors")):
        yield from _yield(take_name(text, more.end(), 2), entity)


_MISTER = r"\b(?:M[Rr]s?|M[Ss]|Mx|MX|Miss|MISS|Mister|Master|Sra?|Se[nx]ora?)\b\.? ?[A-Z]|\b(?:mr|mrs|ms)\b\.? [a-z]"


def read_mister(text: str, start: int, end: int) -> Iterator[Found]:
    """Mrs. Okafor: the patient, as far as a title tells."""
    begin = end - 1
    if text[begin].islower():
        word = re.compile(_LOWER_WORD).match(text, begin, begin + 24)
        if word and _is_word(word.group()):
            yield Found(begin, word.end() - 2 if word.group().endswith("'s") else word.end(), Entity.PATIENT, Strength.LABELLED)
        return
    title = text[start:begin].strip()
    if title in {"MS", "MR", "Ms", "Sr", "SR", "Master", "Miss", "MISS"} and (text[begin - 1] != " " or (title in {"Sr", "SR", "MS", "MR"} and text[begin : begin + 4].isupper() and before(text, start, 30)[-2:] in {", ", "/ "})):
        return
    span = take_name(text, begin, 3)
    if span and title in {"MS", "MR", "MRS"} and " " in text[begin : span[1]] and text[begin : span[1]].isupper():
        words = text[begin : span[1]].split()
        span = (begin, begin + len(words[0])) if len(words[0].rstrip(".")) > 1 else span
    yield from _yield(span, Entity.PATIENT)


_SIGNED = (
    r"(?i)\b(?:(?:electronically |digitally |e-?)?(?:signed|authenticated|verified|co-?signed|authored|dictated|transcribed|interpreted|reviewed|performed|ordered|approved|finalized|entered|documented|attested|seen|read|evaluated|prepared|recorded|completed|referred|prescribed|requested|collected|administered|witnessed|administered|validated|edited|electronically filed)(?: electronically)?(?: and [a-z]{4,12})? by"
    r"|attending(?: physician| md| provider| surgeon)?|pcp|primary care (?:physician|provider|doctor)|provider(?: name)?|surgeon|assistant(?: surgeon)?|first assist(?:ant)?|referring(?: physician| provider| md| doctor)?|consult(?:ant|ing physician)|cc|author|resident(?: physician)?|anesthesiologist|anesthesia|radiologist|pathologist|cardiologist|neurologist|oncologist|hospitalist|ordering(?: physician| provider| md)?|physician|clinician|therapist|nurse|rn|np|case manager|social worker|dictating|cosigner|co-?signer|signed|signature|reported by|called to|notified|discussed with|d/w|spoke (?:with|to)|paged|per|from|to|sincerely|regards|thanks|attn|attention|care of|c/o|staff|examiner|technician|technologist|sonographer|pharmacist|interpreter|scribe|proceduralist|fellow|intern|covering|midwife|dietitian)\b ?(?:\([a-z ]{1,12}\) ?)?[:,\-]{0,2}\s{0,3}(?:dr\.? |by )?[a-z]"
)
_COLON = re.compile(r"[:]\s*(?:dr\.? )?[A-Za-z]$", re.IGNORECASE)
_NEEDS_CREDENTIAL = re.compile(r"^(?:per|from|to|called to|notified|discussed with|d/w|spoke|paged|attn|attention|care of|c/o|staff|anesthesia|seen|signed$|signed[ ,:]|sincerely|regards|thanks|rn|np|nurse|cc|fellow|intern|covering|physician|provider|therapist|resident|attending|surgeon|pcp|consultant|author|assistant|interpreter)", re.IGNORECASE)
_CREDENTIAL = (
    r"M\.?D\.?|D\.?O\.?|R\.?N\.?|N\.?P\.?|P\.?A\.?(?:-C)?|Ph\.?D\.?|PharmD|Pharm\.D\.?|RPh|LCSW|LICSW|MSW|LMSW|DPM|DDS|DMD|OD|CRNA|CNM|CNS|APRN|ARNP|FNP(?:-C|-BC)?|ACNP|AGNP|CRNP|DNP|LPN|LVN|CNA|CMA|MPH|MBBS|MBChB|FACS|FACC|FACP|PsyD|LMFT|LPC|RD|LDN|CCC-SLP|SLP|OTR/L|OT|DPT|PT|RRT|RT|BSN|MSN|EMT|CCRN|MS|MA|DC|ATC|RDN|CDE"
)
_CREDENTIAL_AFTER = re.compile(rf",?\s{{1,2}}(?:{_CREDENTIAL})(?![A-Za-z])")


def read_signed(text: str, start: int, end: int) -> Iterator[Found]:
    """Electronically signed by X, PCP: X, cc: X."""
    begin = end - 1
    if not text[begin].isupper():
        return
    label = text[start:begin]
    has_colon = ":" in label
    lead = re.compile(r"D[Rr]\.? ").match(text, begin, begin + 5)
    begin = lead.end() if lead else begin
    span = take_name(text, begin, 4, comma=has_colon or "signed" in label.lower())
    if span is None:
        return
    value = text[span[0] : span[1]]
    low = label.strip().lower().rstrip(" :,-")
    is_credited = bool(_CREDENTIAL_AFTER.match(text, span[1], span[1] + 12))
    if "\n" in label and low not in {"sincerely", "regards", "thanks", "signed", "signature"} and not has_colon:
        return
    if not lead and not is_credited:
        two = len([w for w in value.replace(",", " ").split() if len(w.rstrip(".")) > 1]) >= 2
        if has_colon or low.endswith(" by"):
            if low in {"from", "to", "per", "cc", "staff", "anesthesia", "c/o", "thanks"} and not two:
                return
        elif low in {"sincerely", "regards"}:
            if not two:
                return
        elif not (two and low in {"pcp", "surgeon", "author", "attn", "d/w", "discussed with", "notified", "spoke with", "spoke to", "paged", "nurse", "rn", "np", "hospitalist", "case manager", "social worker", "pharmacist", "interpreter", "called to", "radiologist", "cardiologist", "attending"}) and not (
            low in {"rn", "np", "nurse", "pcp", "d/w", "paged"} and _is_title_name(value)
        ):
            return
        if value.isupper() and not has_colon and not low.endswith(" by"):
            return
    yield Found(*span, Entity.PROVIDER, Strength.LABELLED if has_colon or low.endswith(" by") or is_credited or lead else Strength.FORMAT)


def _is_title_name(value: str) -> bool:
    return len(value) > 2 and value[0].isupper() and value[1:].islower() is True


_CREDITED = rf"[A-Za-z.],? {{1,2}}(?:{_CREDENTIAL})(?:[^A-Za-z]|\b)"
_BACK_WORD = re.compile(rf"(?:^|(?<=[\s(:\[/,]))(?:{_PARTICLE}{{0,2}}(?:{_TITLE_WORD}|{_CAPS_WORD})|{_INITIAL})(?P<comma>,?)$")
_LOOSE_CREDENTIALS = frozenset({"PA", "DO", "MS", "MA", "OT", "PT", "RT", "OD", "DC", "SLP", "RD", "CNS", "ATC", "RN", "CDE", "EMT", "CNA", "NP", "MD", "LPN"})


def read_credited(text: str, start: int, end: int) -> Iterator[Found]:
    """Maria T. Okafor, MD: the words in front of a credential."""
    last = start + 1
    has_comma = text[last : last + 1] == ","
    credential = re.sub(r"[^A-Z]", "", text[last:end].upper())
    low, position, count, comma_seen, longest = last, last, 0, False, 0
    floor = max(0, last - 70)
    while count < 4:
        stretch = text[floor:position]
        match = _BACK_WORD.search(stretch)
        if match is None:
            break
        if match.group("comma"):
            if comma_seen or count == 0 or count > 3:
                break
            comma_seen = True
        word = match.group().rstrip(",")
        is_initial = len(word.rstrip(".")) == 1
        if not is_initial and not all(_is_word(piece) or " " in word for piece in word.split()) and not (count and word in _FIRST_TOO):
            break
        longest = max(longest, 0 if is_initial else len(word))
        count += 1
        low = floor + match.start()
        if match.group("comma"):
            break
        position = low
        if position == 0 or text[position - 1] != " ":
            break
        position -= 1
    if count == 0 or longest < 2:
        return
    if low > 0 and text[low - 1].isalnum():
        return
    value = text[low:last]
    at_line_start = low == 0 or text[low - 1] == "\n"
    if not has_comma and credential in _LOOSE_CREDENTIALS and (count == 1 or (value.isupper() and not (at_line_start and count > 1))):
        return
    if has_comma and count == 1 and (credential in {"PT", "OT", "MS", "MA", "PA", "DO", "RT", "DC", "MD"} and value.isupper() and len(value) < 4):
        return
    if has_comma and count == 1 and credential in {"MA", "PA", "MS", "DC", "MD", "OD", "RT", "PT", "OT", "DO"} and re.search(r"(?:^|[^a-z])(?:in|from|of|to|near|at|lives)\s$", before(text, low)):
        return
    yield Found(low, last, Entity.PROVIDER, Strength.FORMAT)


_PATIENT = r"(?i)\b(?:patient(?:'s)?(?: full| legal)?(?: name)?|pt(?:\.|'s)?(?: name)?|name(?: of patient)?|re|regarding|full name|legal name|preferred name|goes by|prefers(?: to be called)?|known as|maiden name|alias|aka|a/k/a|client|decedent|for|resident name|subject|member name|insured|policy ?holder|subscriber name|guarantor|dear|hi|hello|named?|my name is|first name|last name|surname)\b ?(?:\([a-z, ]{1,14}\) ?)?(?: is|[:=,\-]{0,2})[ \t]{0,4}[\"(]?[a-z]"


def read_patient(text: str, start: int, end: int) -> Iterator[Found]:
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
        if text[span[1] : span[1] + 1] not in {",", ":", "-", "!", "."}:
            return
    elif low in {"named", "my name is", "goes by", "known as", "maiden name", "preferred name", "prefers to be called", "aka", "a/k/a", "alias", "prefers"} or low.endswith("name is"):
        if value.isupper() and not has_colon and len(value) < 4:
            return
    elif not has_colon and low in {"pt", "decedent"} and two and not value.isupper():
        pass
    elif not has_colon or (low in {"re", "for", "regarding", "subject", "insured", "client", "pt", "patient"} and not two):
        return
    if re.match(r"\s?:", text[span[1] : span[1] + 2]) and not two:
        return
    if low in {"re", "regarding", "subject"} and not re.fullmatch(rf"(?:{_TITLE_WORD}|{_CAPS_WORD}|{_INITIAL}|,| |\.)+", value):
        return
    yield Found(*span, Entity.PATIENT, Strength.LABELLED)


_HEADER = r"(?m)^[ \t]{0,4}[A-Z][A-Za-z'\-]{1,20}(?: [A-Z][A-Za-z'\-]{1,20})?, ?[A-Z][A-Za-z'\-]{1,20}(?: [A-Z][A-Za-z]{0,15}\.?)?[ \t,;|(\-]{1,8}(?:MRN|DOB|[0-9]{2}-[0-9]{2}-(?:19|20)|[0-9]{1,3} ?[/MF(]|D\.O\.B|[0-9]{1,2}/[0-9]{1,2}/|MR ?#|Age|[0-9]{1,3} ?[yY])"


def read_header(text: str, start: int, end: int) -> Iterator[Found]:
    """OKAFOR, MARIA T   MRN …, at the head of a line."""
    begin = next((i for i in range(start, end) if text[i].isalpha()), end)
    yield from _yield(take_name(text, begin, 4, comma=True), Entity.PATIENT)


_RELATION = (
    r"(?i)\b(?:daughter|son|wife|husband|mother|father|mom|dad|mum|sister|brother|spouse|partner|aunt|uncle|niece|nephew|grand(?:son|daughter|mother|father|child)|cousin|fiancee?|girlfriend|boyfriend|friend|neighbou?r|roommate|caregiver|guardian|emergency contact|next of kin|nok|hcp|hcpoa|health ?care proxy|health care agent|poa|step-?(?:son|daughter|mother|father)|(?:son|daughter|mother|father|sister|brother)-in-law|twin|ex-?(?:wife|husband)|foster (?:mother|father)|informant|contact|proxy|surrogate|dpoa)"
    r"(?:,? ?\(|, | is | named | - |: ?|'s name is |,? whose name is | )(?:an? )?[a-z]"
)
_NOT_RELATIVE_AFTER = re.compile(r"['\s]*(?:cancer|disease|syndrome|diabetes|type|stroke|mi\b)", re.IGNORECASE)


def read_relation(text: str, start: int, end: int) -> Iterator[Found]:
    """daughter Maria, his wife (Ann), Mother: Ann Okafor."""
    begin = end - 1
    if not text[begin].isupper():
        return
    link = text[start:begin].lower()
    span = take_name(text, begin, 3)
    if span is None:
        return
    value = text[span[0] : span[1]]
    if value.isupper() or (len(value) < 3 and "(" not in link):
        return
    two = " " in value
    tail = text[span[1] : span[1] + 14]
    if _NOT_RELATIVE_AFTER.match(tail) or re.match(r"\s?:", tail) and not two:
        return
    contact = re.search(r"contact|kin|nok|hcp|proxy|poa|agent|informant|guardian|surrogate|caregiver", link)
    if ":" in link and not (two or contact or re.match(r"\s*(?:\(|[0-9]|,? ?[0-9]{3}-|,? [a-z]+ ?[:(]|@)", tail)):
        return
    if " - " in link and not (two or contact):
        return
    if re.search(r" is $", link) and not re.match(r"\W|$", tail):
        return
    yield Found(*span, Entity.RELATIVE, Strength.LABELLED)


_RELATIVE_AFTER = r"\b[A-Z][a-z]{2,15}(?: [A-Z][a-z'\-]{2,20}){0,2}(?:,? \(|, )(?:(?:his|her|the|their|patient's|pt's) )?(?:daughter|son|wife|husband|mother|father|sister|brother|spouse|partner|niece|nephew|granddaughter|grandson|friend|neighbor|caregiver|guardian|aunt|uncle|HCP|POA)\b"


def read_relative_after(text: str, start: int, end: int) -> Iterator[Found]:
    """Ann (wife); Maria Okafor, his daughter."""
    span = take_name(text, start, 3)
    if span and re.match(r",? ?\(|,", text[span[1] : span[1] + 3]):
        is_bracketed = "(" in text[span[1] : span[1] + 3]
        if is_bracketed or re.search(r"(?:his|her|their|patient's|pt's) ", text[span[1] : end]):
            yield Found(*span, Entity.RELATIVE)


_SIGN_OFF = (
    r"(?m)^[ \t]{0,8}[A-Za-z]{2,4}[:/][A-Za-z]{2,4}(?:[ \t]|$)|(?:^|[ \t])/[a-z]{2,3}\.?[ \t]{0,4}$|^[ \t]{0,8}(?:-{1,2}|~) ?[A-Za-z]{2,3}\.?[ \t]{0,4}$"
    r"|(?i)\b(?:initials|init|dictated by|transcribed by|typed by|entered by|signed|by|td|tr|dd|scribed by)[:.] ?[a-z]{2,3}(?:[/:][a-z]{2,3})?[ \t.,;]{0,4}$|[\[(](?-i:[A-Z]{2,3}|[a-z]{2,3})[\])][ \t]{0,4}$"
)
_INITIALS_LINE = r"(?m)^[A-Z]{2,3} {1,2}[0-9]{1,4}[/.:\-]?[0-9]{1,2}(?:[/.\-][0-9]{2,4})?(?: ?[AaPp][Mm])?\s*$|\b(?:Entered|Reviewed|[Tt]ech|Typed|Coded|Filed|Scanned|Keyed):? [A-Z]{2,3}\b|(?:[.!?)] {1,3}| {3}|\n)[A-Za-z]{2,3}\s{0,3}\z|[.!?)] {1,3}[A-Z]{2,3} {1,2}[0-9]{1,4}[/.\-][0-9]{1,2}(?:[/.\-][0-9]{2,4})?\s{0,3}\z"


def read_initials(text: str, start: int, end: int) -> Iterator[Found]:
    """BTQ 3.14.24 on a line of its own; Entered: MTO; the last word of a note."""
    for word in re.finditer(r"(?<![A-Za-z])[A-Za-z]{2,3}(?![A-Za-z])", text[start:end]):
        is_end = text[start + word.end() :].strip() == "" if len(text) - start - word.end() < 6 else False
        if word.group().lower() not in _NOT_INITIALS and (word.group().isupper() or is_end):
            if word.group().lower() not in NOT_NAMES:
                yield Found(start + word.start(), start + word.end(), Entity.INITIALS, Strength.FORMAT)


_LETTERS = re.compile(r"[A-Za-z]{2,4}(?![A-Za-z])")
_NOT_INITIALS = frozenset(
    "psa egd gbs owi am pm md rn np pa do pt po iv im na no or and ed er icu prn bid tid qid qhs sob cp htn dm cad chf ct mri bp hr rr st wnl nad rrr ctab us as is it at by to of on in an he she pnd mg ml cc new old yes not per via all h o "
    "copd cxr ekg ecg wbc rbc hgb plt inr ptt ast alt gi gu cv neg pos tbd n/a he ra nc lle rle lue rue llq rlq luq ruq lt rt bm ln gen abd ext skin msk neuro heent pmh psh fh sh ros hpi pe dx tx rx hx fx sx cc eom ptx".split()
)


def read_sign_off(text: str, start: int, end: int) -> Iterator[Found]:
    """MTO:jd, /mko, -- MTO, (jd) at the end of a line."""
    stretch = text[start:end]
    label = re.match(r"(?i)\W*(?:initials|init|dictated by|transcribed by|typed by|entered by|signed|by|td|tr|dd|scribed by)[:.] ?", stretch)
    begin = start + (label.end() if label else 0)
    words = list(_LETTERS.finditer(text, begin, end))
    if not words or any(word.group().lower() in _NOT_INITIALS for word in words):
        return
    is_bracket = stretch.lstrip()[:1] in {"(", "["}
    if is_bracket and (words[0].group().isupper() or start < len(text) // 2 or before(text, start, 60).strip(" .") == ""):
        return
    if len(words) == 2 and not label and not (words[1].group().islower() and len(words[1].group()) <= 3):
        return
    for word in words:
        yield Found(word.start(), word.end(), Entity.INITIALS, Strength.FORMAT)


RULES = (
    Rule("doctor", _DOCTOR, read_doctor),
    Rule("mister", _MISTER, read_mister),
    Rule("signature", _SIGNED, read_signed),
    Rule("credential", _CREDITED, read_credited),
    Rule("patient's name", _PATIENT, read_patient),
    Rule("header", _HEADER, read_header),
    Rule("relative", _RELATION, read_relation),
    Rule("relative before relation", _RELATIVE_AFTER, read_relative_after),
    Rule("sign-off", _SIGN_OFF, read_sign_off),
    Rule("initials", _INITIALS_LINE, read_initials),
)
