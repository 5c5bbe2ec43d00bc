"""Numbers that name a person, a plan, a licence, a vehicle, a device or a document: by their label, or by their format."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.checksums import is_card, is_dea, is_iban, is_npi, is_vin
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, Strength, text_after, text_before
from deid_tasks.engine.detect.patterns.word_lists import NOT_NAMES, split_words

_LABELS: tuple[tuple[Entity, str], ...] = (
    (Entity.VEHICLE, r"vin|vehicle id(?:entification)?|tag #"),
    (
        Entity.LICENSE,
        r"npi|dea|(?:state |medical |nursing |rn |md |driver'?s? |drivers )?licen[cs]e|lic|dl(?= ?[#:A-Z0-9])|upin|clia|certificate|cert|passport",
    ),
    (Entity.SSN, r"ssn?|social security|soc(?:ial)? sec|ss ?#"),
    (
        Entity.MRN,
        r"mrn|mr ?#|mr ?no|med(?:ical)?\.? rec(?:ord)?s?|m\.r\.n\.|emrn|empi|chart(?= ?(?:#|no|num|id|:|[A-Z]{0,3}[0-9]{5}))|unit (?:#|no\.?|number)|hosp(?:ital)? (?:#|no\.?|number|id)|pt\.? ?(?:id|#)|patient (?:id|#|no|number|identifier)"
        r"|uhid|hospital record|record (?:#|no|number)|clinic (?:#|no\.?|number)|epic id",
    ),
    (
        Entity.HEALTH_PLAN,
        r"member|subscriber|policy|insurance|ins|plan|medicare|medicaid|mbi|hicn?|group|grp|beneficiary|health plan|payer id|payor id|rx ?bin|cardholder|hmo|ppo|bcbs|aetna|cigna|humana|tricare|certificate of insurance",
    ),
    (
        Entity.ACCOUNT,
        r"acct|account|a/c|billing|fin|har|bill|guarantor|invoice|bank|iban|card ending|credit card|routing",
    ),
    (
        Entity.DEVICE,
        r"serial|s/n|sn|ser(?= ?(?:#|no))|udi|device id|device|imei|mac(?: address)?|lot|implant(?: id)?|generator|pacemaker|icd(?= ?(?:s/n|sn|serial))|pump|gudid|lead",
    ),
    (
        Entity.BIOMETRIC,
        r"finger ?print|foot ?print|retinal?(?: scan)?|iris(?: scan)?|voice ?print|biometric|palm(?: ?print| vein)?|face ?id|facial (?:template|id|recognition)|genome|dna profile",
    ),
    (
        Entity.OTHER_ID,
        r"accession|acc|specimen|spec|case|batch|index(?= no)|path(?:ology)?|order|document|doc|report|req(?:uisition)?|study|sample|slide|block|claim|auth(?:orization)?|prior auth(?:orization)?|pa|ref(?:erence)?|referral"
        r"|confirmation|conf|tracking|encounter|enc|csn|visit|rx|prescription|ticket|job|dictation|transcription|trans|control|file|record|scan|exam|consent|protocol|subject|participant|trial id|barcode|badge|film|court|call(?= no)|lab|img|image|receipt|app(?:lication)?|set|employee|staff|incident|message|msg|donor|tissue|unit id|id",
    ),
)
_LABEL = "|".join(f"(?P<{entity}>{expression})" for entity, expression in _LABELS)
_LABELLED = re.compile(
    rf"(?:{_LABEL})(?:(?<=#)|(?![A-Za-z]))(?P<link>(?:\s?(?:serial|id(?:entif(?:ier|ication))?|no\.?|nos|num|nbr|numbers?|code|record|card|policy|ref|key|hash|template|tag|s/n|sn"
    r"|account|member|scan|accession|plate|auth|job|order|on file|is|was)(?![A-Za-z])|\s?\([a-z ]{1,12}\)|\s?[:#.=\-]){0,5}[ \t]{0,3})"
    r"(?P<value>\(?[A-Za-z0-9][A-Za-z0-9\-_./*]{2,28})",
    re.IGNORECASE,
)
_TRIGGER = (
    r"(?i)(?:\b|[0-9_])(?:"
    + "|".join(re.sub(r"\(\?[=!](?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", "", e) for _, e in _LABELS)
    + r")(?:\b|[0-9_ :.])"
)
_GLUED = re.compile(r"(?<=[0-9])(?:DOB|SEX|AGE|MRN|DOS|NAME|PT|ACCT|SSN|DATE|FIN|CSN|[A-Z][a-z]{2,})$")
_STRICT = split_words(
    "dl film court call lab img image receipt app application set id unit device lot case order report doc study sample slide block claim pa ref record scan exam visit rx job control file policy plan group "
    "insurance ins fin bill bank lead pump generator pacemaker spec acc enc trans protocol subject message msg card plate member medicare medicaid "
    "cert certificate lic license licence chart badge staff employee ticket tissue donor consent incident prescription har implant referral "
    "encounter auth authorization specimen document reference dea vin hic hmo ppo bcbs aetna cigna humana tricare billing subscriber "
    "batch path pathology conf confirmation genome mac sn ss account palm iris grp requisition req serial"
)
_LONG = 6
_NUMBERED_FILE = re.compile(r"(?:[A-Z]{0,3}-?[0-9]{2}-[0-9]{3,7}|[A-Z]{1,2}[0-9]{2}-[0-9]{2,6})$")
"""What cases, protocols and specimens are numbered like: a year and a running number."""
_MEASURE_AFTER = re.compile(
    r"\s?(?:mg|mcg|ml|cc|units?|%|mm|cm|kg|lbs?|hours|hrs|minutes|days|weeks|months|years|yo\b|y/o|tabs?|pills|refills|am\b|pm\b|of\b|copies|cells|iu|degrees|g\b)",
    re.IGNORECASE,
)
_DATE_LIKE = re.compile(
    r"(?:[0-9]{1,2}[/\-.][0-9]{1,2}(?:[/\-.][0-9]{2,4})?|(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}.*|[0-9]{1,3}\.[0-9]{1,2}|[0-9]{1,2}/(?:19|20)?[0-9]{2}|[0-9]{1,3}/[0-9]{1,3})$"
)


def read_labelled(text: str, start: int, end: int) -> Iterator[Candidate]:
    """A label, what links it to its value, and the value."""
    while start < end and not text[start].isalpha():
        start += 1
    if text[start - 1 : start].isalpha():
        return
    match = _LABELLED.match(text, start, end + 70)
    if match is None:
        return
    low, high = match.span("value")
    if text[low] == "(":
        low += 1
    while high > low and text[high - 1] in ".-/_*":
        high -= 1
    glued = _GLUED.search(text, low, high)
    if glued:
        high = glued.start()
    value, link = text[low:high], match.group("link")
    digits = sum(c.isdigit() for c in value)
    entity = Entity(next(e for e, _ in _LABELS if match.group(e.value)))
    label = match.group(entity.value).lower().split()[0]
    if (
        (digits < 3 and not (label == "index" and digits and len(value) > 4))
        or re.fullmatch(r"\(?[0-9]{3}[).\-][0-9]{3}[.\-][0-9]{4}", value)
        or _DATE_LIKE.match(value)
        or (digits * 2 < len(value) - 6 and entity is not Entity.BIOMETRIC)
        or (value[-1].islower() and value[0].isdigit() and digits < 6)
    ):
        return
    if not link.strip() and re.fullmatch(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])", value):
        return
    if (
        label in _STRICT
        and not re.search(
            r"[:#=]|number|no\b|num\b|\bid\b|identifier|serial|s/n|card|job|code|hash|template|plate|record|tag|ref|key",
            link.lower(),
        )
        and digits < _LONG
        and not (value[:1].isupper() and value[:2].isalnum() and digits >= 4)
        and not _NUMBERED_FILE.match(value)
    ):
        return
    if re.fullmatch(r"(?:19|20)[0-9]{2}", value) and not re.search(r"[#:]|number", link.lower()):
        return
    if _MEASURE_AFTER.match(text, high, high + 10) and digits < _LONG:
        return
    if re.match(r"[A-Z][0-9]{2}(?:\.[0-9A-Z]{1,4})?$", value) and entity is Entity.OTHER_ID:
        return
    if entity is Entity.LICENSE and re.search(r"plate|tag", link.lower()):
        entity = Entity.VEHICLE
    if entity in {Entity.OTHER_ID, Entity.DEVICE, Entity.BIOMETRIC} and re.search(r"serial|s/n|\bsn\b", link.lower()):
        entity = Entity.DEVICE
    yield Candidate(low, high, entity, Strength.LABELLED)


_SSN = r"\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b|(?i)\b(?:ssn?|soc(?:ial)? sec(?:urity)?)\b[^0-9\n]{0,24}[0-9]{3}[ .\-]?[0-9]{2}[ .\-]?[0-9]{4}\b|(?i)(?:[x*]{3}-?[x*]{2}-?|\bssn? ?(?:ending(?: in)?|last (?:4|four))[ :]{1,2})[0-9]{4}\b"
_SSN_VALUE = re.compile(r"(?:[0-9]{3}[ .\-]?[0-9]{2}[ .\-]?)?[0-9]{4}$")


def read_ssn(text: str, start: int, end: int) -> Iterator[Candidate]:
    """A social security number, whole or its last four figures."""
    match = _SSN_VALUE.search(text, start, end)
    if match and text[start - 1 : start] not in {"-", "."} and not re.match(r"-[0-9]", text[end : end + 2]):
        yield Candidate(match.start(), end, Entity.SSN, Strength.LABELLED)


_FORMATS = (
    r"\b[A-Z]{1,4}-?[0-9]{2}-[0-9]{3,8}(?:-[A-Z](?:/[A-Z]){0,4})?\b|\b[A-Z]{1,4}[0-9]{6,12}\b|\b[0-9]{2}-[0-9]{3,6}-[0-9]{3,6}\b|\b[A-Z]{1,4}-[0-9]{5,12}\b|\b[0-9]{7,19}\b"
    r"|\b[0-9]{3}-[0-9]{2}-[0-9]{2}(?:-[0-9])?\b|\b[1-9][A-Z][A-Z0-9][0-9]-?[A-Z][A-Z0-9][0-9]-?[A-Z]{2}[0-9]{2}\b"
    r"|\b[A-HJ-NPR-Z0-9]{17}\b|\b[A-Z][A-Z9][0-9]{7}\b"
    r"|(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[A-Z]{2}[0-9]{2,4}/[0-9]{4,6}\b|\b[A-Z]{3}[0-9]{3}[A-Z][0-9]{5,9}\b|\b[A-Z]{2,3}[0-9]{6}[A-Z]\b|\| ?[0-9]{5,6} ?\||\(01\)[0-9]{14}(?:\([0-9]{2}\)[a-z0-9]{1,20}){0,3}"
    r"|\b[0-9]{4}[ \-][0-9]{4}[ \-][0-9]{4}[ \-][0-9]{4}\b|\b3[47][0-9]{2}[ \-][0-9]{6}[ \-][0-9]{5}\b|\b[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}\b"
)
_PUBLIC_CODE = re.compile(
    r"(?:nct|pmid|pmc|ndc|snomed(?:[- ]ct)?|sct|rxcui|rxnorm|loinc|cpt|icd(?:-?10|-?9)?|umls|doi|isbn|hcpcs|grant|cas|concept id)\W{0,3}$"
)
_AMOUNT_AFTER = re.compile(
    r"\s?(?:copies|iu|units?|cells|cfu|organisms|colon\w*|/|%|mg|ml|k\b|x\s?10|dollars|,[0-9]{3})"
)


def read_format(text: str, start: int, end: int) -> Iterator[Candidate]:
    """A number whose shape or check digit tells what it is, or that is too long to be a measurement."""
    value = text[start:end]
    if text[start - 1 : start] in {".", "-", "/", "$", "#"} and text[start - 2 : start - 1].isalnum():
        return
    if text[end : end + 1] in {".", "-", "/", ","} and text[end + 1 : end + 2].isdigit():
        return
    if "-" in value and value.count("-") == 4:
        yield Candidate(start, end, Entity.OTHER_ID, Strength.LABELLED)
    elif len(value) in {9, 11} and re.fullmatch(r"[0-9]{3}-[0-9]{2}-[0-9]{2}(?:-[0-9])?", value):
        yield Candidate(start, end, Entity.MRN, Strength.WEAK)
    elif re.fullmatch(r"[A-Z]{3}[0-9]{3}[A-Z][0-9]{5,9}", value):
        yield Candidate(start, end, Entity.HEALTH_PLAN)
    elif re.fullmatch(r"[A-Z]{2,3}[0-9]{6}[A-Z]", value):
        yield Candidate(start, end, Entity.DEVICE)
    elif value[0] == "|":
        yield Candidate(
            start + 1 + (text[start + 1] == " "), end - 1 - (text[end - 2] == " "), Entity.OTHER_ID, Strength.WEAK
        )
    elif value.startswith("(01)"):
        yield Candidate(start, end, Entity.DEVICE, Strength.LABELLED)
    elif len(value) == 17 and value.isalnum() and not value.isdigit():
        if is_vin(value):
            yield Candidate(start, end, Entity.VEHICLE, Strength.LABELLED)
    elif value.isdigit():
        ahead = text_before(text, start)
        if _PUBLIC_CODE.search(ahead) or _AMOUNT_AFTER.match(text_after(text, end)):
            return
        entity = Entity.LICENSE if is_npi(value) else Entity.ACCOUNT if is_card(value) else Entity.OTHER_ID
        yield Candidate(start, end, entity, Strength.WEAK)
    elif len(value) > 14 and value[:2].isalpha() and value.isalnum() and is_iban(value):
        yield Candidate(start, end, Entity.ACCOUNT, Strength.LABELLED)
    elif re.fullmatch(r"[1-9][A-Z][A-Z0-9][0-9]-?[A-Z][A-Z0-9][0-9]-?[A-Z]{2}[0-9]{2}", value):
        yield Candidate(start, end, Entity.HEALTH_PLAN, Strength.LABELLED)
    elif re.fullmatch(r"[A-Z][A-Z9][0-9]{7}", value) and is_dea(value):
        yield Candidate(start, end, Entity.LICENSE)
    elif (
        value[:3] not in {"NCT", "PMC", "ICD", "SCT"}
        and not _PUBLIC_CODE.search(text_before(text, start))
        and not value.startswith("COVID")
    ):
        if re.match(r"[0-9]{4}[ \-]", value) and len(value) > 16:
            yield Candidate(start, end, Entity.ACCOUNT)
        elif re.search(r"[0-9]{5}|[A-Z]+-?[0-9]{2}-[0-9]{3}", value):
            yield Candidate(start, end, Entity.OTHER_ID)


_USER = r"(?i)\b(?:user ?(?:name|id)?|login|log-?in|logon|network id|epic (?:id|user)|ldap|employee id|emp id|(?:signed|entered|documented|verified|dictated|transcribed|created|edited|reviewed|released|acknowledged|filed|typed|completed|scanned|printed) by)\b[ :#=]{1,3}\(?[a-z][a-z0-9._]{2,20}\b|\bby [a-z]{2,10}[0-9]{1,5}\b|[\[(/@][a-z]{1,8}[0-9]{2,6}\b|(?m)\b[a-z]{2,9}[0-9]{1,5}[).]{0,2}[ \t]{0,4}$|(?:MD|DO|RN|NP|PharmD|M\.D\.|D\.O\.) [a-z]{2,9}[0-9]{1,5}\b"
_USER_VALUE = re.compile(r"[A-Za-z][A-Za-z0-9._]{2,20}(?=[).]{0,2}[ \t]{0,4}$)")


def read_user(text: str, start: int, end: int) -> Iterator[Candidate]:
    """A log-in name behind its label, or letters and figures in brackets or behind a slash."""
    match = _USER_VALUE.search(text, start, end)
    if match is None:
        return
    value, label = match.group().rstrip("."), text[start : match.start()].lower()
    has_digit = any(c.isdigit() for c in value)
    is_told = label.startswith(("user", "login", "log", "network", "epic", "ldap", "emp"))
    shape = re.fullmatch(r"([A-Za-z]{2,10})[0-9]{1,6}|[A-Za-z][0-9]{4,6}", value)
    found = Candidate(
        match.start(), match.start() + len(value), Entity.USERNAME, Strength.LABELLED if is_told else Strength.FORMAT
    )
    if is_told:
        if (set(":#=") & set(label) or has_digit) and value.lower() not in {"name", "none", "unknown", "the", "and"}:
            yield found
    elif _AUTHOR.match(label) and re.fullmatch(r"[A-Z]{2}[0-9]{2,4}", value):
        yield found
    elif "by " in label:
        if (shape and (len(value) > 3 or value.islower())) or re.fullmatch(r"[a-z]+\.[a-z]+", value):
            yield found
    elif (
        shape
        and value.islower()
        and shape.group(1)
        and shape.group(1) not in _NO_USERS
        and shape.group(1) not in NOT_NAMES
    ) and len(value) >= 5:
        yield found


_AUTHOR = re.compile(r"(?:m\.?d\.?|d\.?o\.?|rn|np|pharmd) $")
_NO_USERS = split_words(
    "covid cov pod hod stage step grade spo sao pao fio vit cd ca il hr wk mo line bed rm visit level apgar phq gad moca tab hpv hla ck pg mg ml cm mm "
    "vo sp pa fi age pt gp mri ct rs chr exon codon factor group class phase cycle arm hct item question page table figure fig"
)
_DICTATED = r"\b(?:QT|TR|DD|TD|DT|DV|D|T|JOB|ID):? {0,2}[A-Z]{2,4}:[0-9]{4,8}\b|(?m)^[ \t]{0,4}[A-Z]{2,3}:[0-9]{4,8}\b|\b[A-Z]{2}:[A-Z]{1,2}[0-9]{2}-[0-9]{3,6}\b"


def read_dictated(text: str, start: int, end: int) -> Iterator[Candidate]:
    """QT: MO:12345: who typed a report, and its number."""
    begin = text.rfind(" ", start, end) + 1 or start
    begin = next((i for i in range(begin, end) if text[i].isalpha()), end)
    letters = text[begin : text.rfind(":", begin, end)]
    if letters.lower() not in _NO_DICTATORS and not _AMOUNT_AFTER.match(text_after(text, end)):
        yield Candidate(begin, end, Entity.OTHER_ID, Strength.LABELLED)


_NO_DICTATORS = split_words(
    "hr bp rr wbc plt anc rbc bnp cpk ck alc vl cd4 fer alt ast ldh alp ggt uop io in out mrn dob ssn npi dea tel ph fax id no hgb crp tpo afp psa cea ca tg"
)
_PLATE = r"\b(?:[Ll]icen[cs]e [Pp]lates?|[Pp]lates?|PLATE|[Tt]ag|TAG|VIN)(?: (?:[Nn]o\.?|[Nn]umber|#))?[:#]? {1,2}(?:[A-Z]{2} )?(?:[A-Z0-9]{1,4}[ \-][A-Z0-9]{2,5}|[A-HJ-NPR-Z0-9]{17}|[A-Z0-9]{5,8})\b"
_PLATE_VALUE = re.compile(r"(?:[A-Z0-9]{1,4}[ \-][A-Z0-9]{2,5}|[A-HJ-NPR-Z0-9]{17}|[A-Z0-9]{5,8})$")


def read_plate(text: str, start: int, end: int) -> Iterator[Candidate]:
    """plate GUP 1306."""
    match = _PLATE_VALUE.search(text, start, end)
    if match and re.search(r"[0-9]", match.group()) and re.search(r"[A-Z]|[0-9]{4}", match.group()):
        yield Candidate(match.start(), end, Entity.VEHICLE, Strength.LABELLED)


_FILE = r"(?i)\b[a-z0-9][a-z0-9_\-]{2,40}\.(?:jpe?g|png|heic|tiff?|bmp|gif|dcm|mp4|mov|avi|pdf|wav|mp3|docx?)\b"


def read_file(text: str, start: int, end: int) -> Iterator[Candidate]:
    """IMG_2936.heic: a file's name with its ending, where a number in it tells one file from another."""
    if any(c.isdigit() for c in text[start : text.rindex(".", start, end)]) and text[start - 1 : start] not in {
        "/",
        "@",
    }:
        yield Candidate(start, end, Entity.OTHER_ID, Strength.LABELLED)


_BLANKS = (
    r"\b(?i:member|mbr|subscriber|policy|insurance|medicare|medicaid|ramq|nhs|ppo|hmo|health ?card)(?i: ?(?:no\.?|number|id|card|#)){0,2}[:#]? {1,2}#? ?"
    r"(?:[A-Z]{2,4} )?[0-9]{3,5}(?: [0-9]{3,5}){1,3}(?: [0-9])?(?: ?/ ?[0-9])?\b"
    r"|\b(?i:(?:screen|id|health|green|resident) card|passport)(?: ?(?:[Nn]o\.?|#))?:? [A-Z]{1,3} [0-9]{6,9}\b"
    r"|\b(?i:lic(?:ense)?\.?)(?: ?(?:[Nn]o\.?|#))?:? [A-Z]{1,3}(?:-[A-Z]{1,2})? [0-9]{3,8}\b"
)
_BLANKS_VALUE = re.compile(
    r" #? ?(?P<value>(?:[A-Z]{1,4}(?:-[A-Z]{1,2})? )?[0-9]{3,8}(?: [0-9]{3,5}){0,3}(?: [0-9])?(?: ?/ ?[0-9])?)$"
)


def read_blanks(text: str, start: int, end: int) -> Iterator[Candidate]:
    """PPO # LCP 8820 11947; Medicare 2950 11827 4 / 2; lic MT-P 2207: numbers with blanks."""
    match = _BLANKS_VALUE.search(text, start, end)
    if match and text[end : end + 1] != "-" and not _MEASURE_AFTER.match(text, end, end + 10):
        entity = Entity.LICENSE if text[start : start + 3].lower() == "lic" else Entity.HEALTH_PLAN
        value = match["value"]
        if re.search(r"(?i)card|passport", text[start : match.start()]) and "health" not in text[start:end].lower():
            entity = Entity.OTHER_ID
        if re.fullmatch(r"[0-9]{3} [0-9]{3} [0-9]{4}", value) and text[start : start + 3].lower() != "nhs":
            return  # a telephone number
        low = match.start("value")
        if entity is Entity.LICENSE and value.split()[0].lower() in NOT_NAMES:
            low += value.index(" ") + 1  # license RN 12345
        yield Candidate(low, end, entity, Strength.LABELLED)


_CODE = r"\b(?i:code):? [A-Z0-9]{6,12}\b"


def read_code(text: str, start: int, end: int) -> Iterator[Candidate]:
    """code 7XQ4MRLB: what opens somebody's portal or program."""
    value = text[text.rindex(" ", start, end) + 1 : end]
    digits = sum(c.isdigit() for c in value)
    if digits > 1 and len(value) - digits > 2 and not _PUBLIC_CODE.search(text_before(text, start) + " "):
        yield Candidate(end - len(value), end, Entity.OTHER_ID)


_ENGINE = r"\b(?:Medic|MEDIC|Engine|ENGINE|Ambulance|AMBULANCE|Squad|SQUAD) [0-9]{1,3}\b"


def read_engine(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Medic 31: a rescue vehicle."""
    if not re.match(r"\s?(?:min|hrs?|hours|times|days|/|%|[.,:][0-9])", text_after(text, end)):
        yield Candidate(start, end, Entity.VEHICLE)


_LOGIN = r"\b(?:uploaded|logged (?:in|on)|signed (?:in|on)|charted|filed) (?:under|as) [a-z]{2,12}[._][a-z]{2,12}\b|\b(?:a/c|handle|screen ?name) [a-z]{4,15}[0-9]{1,4}\b"


def read_login(text: str, start: int, end: int) -> Iterator[Candidate]:
    """uploaded under j.okafor; portal a/c okafor60."""
    yield Candidate(text.rindex(" ", start, end) + 1, end, Entity.USERNAME, Strength.LABELLED)


RULES = (
    Rule("code of entry", _CODE, read_code),
    Rule("rescue vehicle", _ENGINE, read_engine),
    Rule("log-in told", _LOGIN, read_login),
    Rule("file", _FILE, read_file),
    Rule("number with blanks", _BLANKS, read_blanks),
    Rule("number plate", _PLATE, read_plate),
    Rule("labelled number", _TRIGGER, read_labelled),
    Rule("social security number", _SSN, read_ssn),
    Rule("number format", _FORMATS, read_format),
    Rule("dictation number", _DICTATED, read_dictated),
    Rule("user name", _USER, read_user),
)
