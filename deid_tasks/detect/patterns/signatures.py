"""Who wrote, signed, ordered or was told: signatures, credentials, and initials in sign-off lines."""

import re
from collections.abc import Iterator

from deid_tasks.detect.patterns.name_parts import (
    CAPS_WORD,
    FIRST_TOO,
    INITIAL,
    PARTICLE,
    TITLE_WORD,
    is_word,
    take_name,
)
from deid_tasks.detect.patterns.rule import Found, Rule, Strength, before
from deid_tasks.detect.patterns.words import NOT_NAMES, word_set
from deid_tasks.entities import Entity

_SIGNED = (
    r"(?i)\b(?:(?:electronically |digitally |e-?)?(?:signed|authenticated|verified|co-?signed|authored|dictated|transcribed|interpreted|reviewed|performed|ordered|approved|finalized|entered|documented|attested|seen|read|evaluated|prepared|recorded|completed|referred|prescribed|requested|collected|administered|witnessed|administered|validated|edited|electronically filed)(?: electronically)?(?: and [a-z]{4,12})? by"
    r"|attending(?: physician| md| provider| surgeon)?|pcp|primary care (?:physician|provider|doctor)|provider(?: name)?|surgeon|assistant(?: surgeon)?|first assist(?:ant)?|referring(?: physician| provider| md| doctor)?|consult(?:ant|ing physician)|cc|author|resident(?: physician)?|anesthesiologist|anesthesia|radiologist|pathologist|cardiologist|neurologist|oncologist|hospitalist|ordering(?: physician| provider| md)?|physician|clinician|therapist|nurse|rn|np|case manager|social worker|dictating|cosigner|co-?signer|signed|signature|reported by|called to|notified|discussed with|d/w|spoke (?:with|to)|paged|per|from|to|sincerely|regards|thanks|attn|attention|care of|c/o|staff|examiner|technician|technologist|sonographer|pharmacist|interpreter|scribe|proceduralist|fellow|intern|covering|midwife|dietitian)\b ?(?:\([a-z ]{1,12}\) ?)?[:,\-]{0,2}\s{0,3}(?:dr\.? |by )?[a-z]"
)
_COLON = re.compile(r"[:]\s*(?:dr\.? )?[A-Za-z]$", re.IGNORECASE)
_NEEDS_CREDENTIAL = re.compile(
    r"^(?:per|from|to|called to|notified|discussed with|d/w|spoke|paged|attn|attention|care of|c/o|staff|anesthesia|seen|signed$|signed[ ,:]|sincerely|regards|thanks|rn|np|nurse|cc|fellow|intern|covering|physician|provider|therapist|resident|attending|surgeon|pcp|consultant|author|assistant|interpreter)",
    re.IGNORECASE,
)
_CREDENTIAL = r"M\.?D\.?|D\.?O\.?|R\.?N\.?|N\.?P\.?|P\.?A\.?(?:-C)?|Ph\.?D\.?|PharmD|Pharm\.D\.?|RPh|LCSW|LICSW|MSW|LMSW|DPM|DDS|DMD|OD|CRNA|CNM|CNS|APRN|ARNP|FNP(?:-C|-BC)?|ACNP|AGNP|CRNP|DNP|LPN|LVN|CNA|CMA|MPH|MBBS|MBChB|FACS|FACC|FACP|PsyD|LMFT|LPC|RD|LDN|CCC-SLP|SLP|OTR/L|OT|DPT|PT|RRT|RT|BSN|MSN|EMT|CCRN|MS|MA|DC|ATC|RDN|CDE"
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
        elif not (
            two
            and low
            in {
                "pcp",
                "surgeon",
                "author",
                "attn",
                "d/w",
                "discussed with",
                "notified",
                "spoke with",
                "spoke to",
                "paged",
                "nurse",
                "rn",
                "np",
                "hospitalist",
                "case manager",
                "social worker",
                "pharmacist",
                "interpreter",
                "called to",
                "radiologist",
                "cardiologist",
                "attending",
            }
        ) and not (low in {"rn", "np", "nurse", "pcp", "d/w", "paged"} and _is_title_name(value)):
            return
        if value.isupper() and not has_colon and not low.endswith(" by"):
            return
    yield Found(
        *span,
        Entity.PROVIDER,
        Strength.LABELLED if has_colon or low.endswith(" by") or is_credited or lead else Strength.FORMAT,
    )


def _is_title_name(value: str) -> bool:
    return len(value) > 2 and value[0].isupper() and value[1:].islower() is True


_CREDITED = rf"[A-Za-z.],? {{1,2}}(?:{_CREDENTIAL})(?:[^A-Za-z]|\b)"
_BACK_WORD = re.compile(
    rf"(?:^|(?<=[\s(:\[/,]))(?:{PARTICLE}{{0,2}}(?:{TITLE_WORD}|{CAPS_WORD})|{INITIAL})(?P<comma>,?)$"
)
_LOOSE_CREDENTIALS = frozenset(
    {
        "PA",
        "DO",
        "MS",
        "MA",
        "OT",
        "PT",
        "RT",
        "OD",
        "DC",
        "SLP",
        "RD",
        "CNS",
        "ATC",
        "RN",
        "CDE",
        "EMT",
        "CNA",
        "NP",
        "MD",
        "LPN",
    }
)


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
        if (
            not is_initial
            and not all(is_word(piece) or " " in word for piece in word.split())
            and not (count and word in FIRST_TOO)
        ):
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
    if (
        not has_comma
        and credential in _LOOSE_CREDENTIALS
        and (count == 1 or (value.isupper() and not (at_line_start and count > 1)))
    ):
        return
    if (
        has_comma
        and count == 1
        and (
            credential in {"PT", "OT", "MS", "MA", "PA", "DO", "RT", "DC", "MD"} and value.isupper() and len(value) < 4
        )
    ):
        return
    if (
        has_comma
        and count == 1
        and credential in {"MA", "PA", "MS", "DC", "MD", "OD", "RT", "PT", "OT", "DO"}
        and re.search(r"(?:^|[^a-z])(?:in|from|of|to|near|at|lives)\s$", before(text, low))
    ):
        return
    yield Found(low, last, Entity.PROVIDER, Strength.FORMAT)


_SIGN_OFF = (
    r"(?m)^[ \t]{0,8}[A-Za-z]{2,4}[:/][A-Za-z]{2,4}(?:[ \t]|$)|(?:^|[ \t])/[a-z]{2,3}\.?[ \t]{0,4}$|^[ \t]{0,8}(?:-{1,2}|~) ?[A-Za-z]{2,3}\.?[ \t]{0,4}$"
    r"|(?i)\b(?:initials|init|dictated by|transcribed by|typed by|entered by|signed|by|td|tr|dd|scribed by)[:.] ?[a-z]{2,3}(?:[/:][a-z]{2,3})?[ \t.,;]{0,4}$|[\[(](?-i:[A-Z]{2,3}|[a-z]{2,3})[\])][ \t]{0,4}$"
)
_INITIALS_LINE = r"(?m)^[A-Z]{2,3} {1,2}[0-9]{1,4}[/.:\-]?[0-9]{1,2}(?:[/.\-][0-9]{2,4})?(?: ?[AaPp][Mm])?\s*$|[.!?)] {1,3}[A-Z]{2,3}(?:/[a-z]{2,3})?[ \t]{0,4}$|\b(?:Entered|Scored|OPR|Reviewed|[Tt]ech|Typed|Coded|Filed|Scanned|Keyed):? [A-Z]{2,3}\b|(?:[.!?)] {1,3}| {3}|\n)[A-Za-z]{2,3}\s{0,3}\z|[.!?)] {1,3}[A-Z]{2,3} {1,2}[0-9]{1,4}[/.\-][0-9]{1,2}(?:[/.\-][0-9]{2,4})?\s{0,3}\z"


def read_initials(text: str, start: int, end: int) -> Iterator[Found]:
    """BTQ 3.14.24 on a line of its own; Entered: MTO; the last word of a note."""
    for word in re.finditer(r"(?<![A-Za-z])[A-Za-z]{2,3}(?![A-Za-z])", text[start:end]):
        is_end = text[start + word.end() :].strip() == "" if len(text) - start - word.end() < 6 else False
        is_known = word.group().lower() in _NOT_INITIALS or word.group().lower() in NOT_NAMES
        if not is_known and (word.group().isupper() or is_end or "/" in text[start:end]):
            yield Found(start + word.start(), start + word.end(), Entity.INITIALS, Strength.FORMAT)


_LETTERS = re.compile(r"[A-Za-z]{2,4}(?![A-Za-z])")
_NOT_INITIALS = word_set(
    "bsa bmi cbc bmp cmp tsh ldl hdl esr crp bun cxr eeg emg pft tte tee abg vbg lft psa egd gbs owi am pm md rn np pa do pt po iv im na no or and ed er icu prn bid tid qid qhs sob cp htn dm cad chf ct mri bp hr rr st wnl nad rrr ctab us as is it at by to of on in an he she pnd mg ml cc new old yes not per via all h o "
    "copd cxr ekg ecg wbc rbc hgb plt inr ptt ast alt gi gu cv neg pos tbd n/a he ra nc lle rle lue rue llq rlq luq ruq lt rt bm ln gen abd ext skin msk neuro heent pmh psh fh sh ros hpi pe dx tx rx hx fx sx cc eom ptx"
)


def read_sign_off(text: str, start: int, end: int) -> Iterator[Found]:
    """MTO:jd, /mko, -- MTO, (jd) at the end of a line."""
    stretch = text[start:end]
    label = re.match(
        r"(?i)\W*(?:initials|init|dictated by|transcribed by|typed by|entered by|signed|by|td|tr|dd|scribed by)[:.] ?",
        stretch,
    )
    begin = start + (label.end() if label else 0)
    words = list(_LETTERS.finditer(text, begin, end))
    if not words or any(word.group().lower() in _NOT_INITIALS for word in words):
        return
    is_bracket = stretch.lstrip()[:1] in {"(", "["}
    if is_bracket and (
        words[0].group().isupper() or start < len(text) // 2 or before(text, start, 60).strip(" .") == ""
    ):
        return
    if len(words) == 2 and not label and not (words[1].group().islower() and len(words[1].group()) <= 3):
        return
    for word in words:
        yield Found(word.start(), word.end(), Entity.INITIALS, Strength.FORMAT)


RULES = (
    Rule("signature", _SIGNED, read_signed),
    Rule("credential", _CREDITED, read_credited),
    Rule("sign-off", _SIGN_OFF, read_sign_off),
    Rule("initials", _INITIALS_LINE, read_initials),
)
