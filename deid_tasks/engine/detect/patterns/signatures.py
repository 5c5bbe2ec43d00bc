"""Who wrote, signed, ordered or was told: signatures and credentials."""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.names.name_parts import (
    CAPS_WORD,
    FIRST_TOO,
    INITIAL,
    PARTICLE,
    TITLE_WORD,
    may_be_name,
    take_name,
)
from deid_tasks.engine.detect.patterns.reference_words import (
    is_everyday_word,
    is_frequent_surname,
    is_given_name,
    is_plain_name,
    medical_term_words,
)
from deid_tasks.engine.detect.patterns.rule import Candidate, Rule, Strength, text_before

_SIGNED = (
    r"(?i)\b(?:(?:electronically |digitally |e-?)?(?:signed|authenticated|verified|co-?signed|authored|dictated|transcribed|interpreted|reviewed|performed|ordered|approved|finalized|entered|documented|attested|seen|read|evaluated|prepared|recorded|completed|referred|prescribed|requested|collected|administered|witnessed|administered|validated|edited|electronically filed)(?: electronically)?(?: and [a-z]{4,12})? by"
    r"|attending(?: physician| md| provider| surgeon| of record)?|att[gn]|attnd|(?:admitting|discharging|supervising|requesting|treating|primary|responsible|dictating)(?: physician| provider| md| doctor| attending| surgeon)|pcp|pmd|seen with|staffed with|seen and examined with|requested by|co-?surgeon|transcriptionist|primary care (?:physician|provider|doctor)|provider(?: name)?|surgeon|ana?esthetist|assistant(?: surgeon)?|first assist(?:ant)?|referring(?: physician| provider| md| doctor)?|consult(?:ant|ing physician)|cc|author|resident(?: physician)?|anesthesiologist|anesthesia|radiologist|pathologist|cardiologist|neurologist|oncologist|hospitalist|ordering(?: physician| provider| md)?|physician|clinician|therapist|nurse|rn|np|case manager|social worker|dictating|cosigner|co-?signer|signed|signature|reported by|called to|notified|discussed with|d/w|spoke (?:with|to)|paged|per|from|to|sincerely|regards|thanks|attn|attention|care of|c/o|staff|examiner|technician|technologist|sonographer|pharmacist|interpreter|scribe|proceduralist|fellow|intern|covering|midwife|dietitian)\b ?(?:\([a-z ]{1,12}\) ?)?[:,\-]{0,2}\s{0,3}(?:dr\.? |by )?[a-z]"
)
_COLON = re.compile(r"[:]\s*(?:dr\.? )?[A-Za-z]$", re.IGNORECASE)
_NEEDS_CREDENTIAL = re.compile(
    r"^(?:per|from|to|called to|notified|discussed with|d/w|spoke|paged|attn|attention|care of|c/o|staff|anesthesia|seen|signed$|signed[ ,:]|sincerely|regards|thanks|rn|np|nurse|cc|fellow|intern|covering|physician|provider|therapist|resident|attending|surgeon|pcp|consultant|author|assistant|interpreter)",
    re.IGNORECASE,
)
_CREDENTIAL = r"M\.?D\.?|D\.?O\.?|R\.?N\.?|N\.?P\.?|P\.?A\.?(?:-C)?|Ph\.?D\.?|PharmD|Pharm\.D\.?|RPh|LCSW|LICSW|MSW|LMSW|DPM|DDS|DMD|OD|CRNA|CNM|CNS|APRN|ARNP|FNP(?:-C|-BC)?|ACNP|AGNP|CRNP|DNP|LPN|LVN|CNA|CMA|MPH|MBBS|MBChB|FACS|FACC|FACP|PsyD|LMFT|LPC|RD|LDN|CCC-SLP|SLP|OTR/L|OT|DPT|PT|RRT|RT|BSN|MSN|EMT|CCRN|MS|MA|DC|ATC|RDN|CDE|A?NP-?(?:BC|C)|ANP(?:-BC|-C)?|AG-?ACNP(?:-BC|-C)?|C?PNP(?:-BC)?|WHNP|PMHNP(?:-BC)?|PGY-?[1-7]|MS-?[1-4]|MSIV|MSIII|HO-?[1-3]|LMHC|LCPC|LSW|BCBA|Au\.?D\.?|MRCP|FRCPC|FAAP|FACOG|FACEP|MBA|CDCES|CWOCN|CPhT|RDMS|RDCS|RVT|PTA|COTA(?:/L)?|MT\(ASCP\)|SCT|CPNP|Esq"
_CREDENTIAL_AFTER = re.compile(rf",?\s{{1,2}}(?:{_CREDENTIAL})(?![A-Za-z])")

_TURNED = re.compile(r", ([A-Z][A-Za-z'\-]{1,20})(?: [A-Z]\.?(?![A-Za-z]))?")
_LAST_INITIAL = re.compile(r", [A-Z](?:\.(?![A-Z])|(?![A-Za-z0-9'.]))")
_ONLY_CREDENTIAL = re.compile(_CREDENTIAL)


def read_signed(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Electronically signed by X, PCP: X, cc: X."""
    begin = end - 1
    if not text[begin].isupper():
        return
    label = text[start:begin]
    has_colon = ":" in label
    lead = re.compile(r"D[Rr]\.? ").match(text, begin, begin + 5)
    begin = lead.end() if lead else begin
    span = take_name(text, begin, 4, comma=has_colon or "signed" in label.lower())
    turned = _TURNED.match(text, span[1], span[1] + 24) if span and text[start:begin].rstrip().endswith(" by") else None
    if span and turned and is_given_name(turned.group(1)):
        span = (span[0], turned.end())
    if span is None:
        return
    if has_colon and (initial := _LAST_INITIAL.match(text, span[1], span[1] + 6)):
        span = (span[0], initial.end())
    value = text[span[0] : span[1]]
    if _ONLY_CREDENTIAL.fullmatch(value):
        return
    if label.endswith("  ") and not has_colon:
        return  # the next column of a table
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
    yield Candidate(
        *span,
        Entity.PROVIDER,
        Strength.LABELLED if has_colon or low.endswith(" by") or is_credited or lead else Strength.FORMAT,
    )


def _is_title_name(value: str) -> bool:
    return len(value) > 2 and value[0].isupper() and value[1:].islower() is True


_CREDITED = rf"[A-Za-z.],? {{1,2}}(?:{_CREDENTIAL})(?:[^A-Za-z0-9]|\b)"
_BACK_WORD = re.compile(
    rf"(?:^|(?<=[\s(:\[/,]))(?:{PARTICLE}{{0,2}}(?:{TITLE_WORD}|{CAPS_WORD})|{INITIAL})(?P<comma>,?)$"
)
_ROLE_BEFORE = re.compile(r"([A-Z]{2,5}) (?=[A-Z][a-z])")
"""WOCN Heather Cross, BSN: letters of a role in front of a name."""
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


def read_credited(text: str, start: int, end: int) -> Iterator[Candidate]:
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
        if is_initial and match.group("comma"):
            break
        if (
            not is_initial
            and not all(may_be_name(piece) or " " in word for piece in word.split())
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
    lead = _ROLE_BEFORE.match(text, low, last)
    if lead and count > 1 and not is_plain_name(lead[1]):
        low = lead.end()
    if low > 0 and text[low - 1].isalnum():
        return
    value = text[low:last]
    if text[end : end + 1].isalnum() and text[end - 1].isalnum():
        return
    if (
        value.isupper()
        and credential in _LOOSE_CREDENTIALS
        and any(
            is_everyday_word(w) or w.lower() in medical_term_words()
            for w in re.findall(r"[A-Z]{3,}", value)
            if not is_frequent_surname(w)
        )
    ):
        return
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
        and re.search(r"(?:^|[^a-z])(?:in|from|of|to|near|at|lives)\s$", text_before(text, low))
    ):
        return
    yield Candidate(low, last, Entity.PROVIDER, Strength.FORMAT)


RULES = (
    Rule("signature", _SIGNED, read_signed),
    Rule("credential", _CREDITED, read_credited),
)
