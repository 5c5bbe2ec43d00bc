"""Medical notations that look like names, dates or numbers and have a grammar of their own."""

import re
from functools import lru_cache
from typing import Any

import re2

from deid_tasks.engine.recover.scales import SCALES
from deid_tasks.engine.recover.variants import VARIANTS
from deid_tasks.engine.text.ascii import fold_to_ascii

_DOSED = r"(?: (?i:film|strips?|sl|tabs?|dose|incr(?:eased?)?|decr(?:eased?)?|to|at|now))"
_BUP = r"(?:2/0?\.5|4/1|6/1\.5|8/2|12/3|16/4|24/6)"
"""Strengths of buprenorphine with naloxone, two of which are days too."""
_DOSE_BEHIND = (
    r" ?(?:mg\b|SL\b|PO\b|po\b|(?i:bid|tid|qid|daily|qd|qhs|qam|films?|strips?|tabs?)\b|q ?\d|x ?\d)(?![/\d])"
)
_PATTERNS = (
    # Nodes with tumour, of those taken, where they agree with the stage: ypT1cN1a(2/14).
    r"y?p(?:T(?:[0-4][a-d]?|is|x)[ ,]?p?)?N(?:0 ?(?:\((?:sn|i[+-])\) ?)?\(0/\d{1,2}\)"
    r"|1(?:[a-c]|mi)? ?(?:\(sn\) ?)?\([1-3]/\d{1,2}\)|2[ab]? ?\([4-9]/\d{1,2}\)|3[a-c]? ?\([12]\d/\d{1,2}\))",
    *VARIANTS,
    # Variants as HGVS writes them: c.35delG, p.Val600Glu.
    r"[cgmnrp]\.[(\[]?(?:[*-]?\d+[+-]?\d*(?:_[*-]?\d+[+-]?\d*)?(?:del|dup|ins|inv|[ACGTU]>[ACGTU])[ACGTU]*"
    r"|(?:[A-Z][a-z]{2}|[A-Z])\d+(?:[A-Z][a-z]{2}|[A-Z*=]|fs)[\w*]*)[)\]]?",
    # Short protein changes: BRAF V600E.
    r"(?:BRAF|KRAS|NRAS|EGFR|JAK2|IDH[12]|PIK3CA|MPL|KIT|HFE)[ -]?[A-Z]\d{2,4}[A-Z]",
    # Tissue types: HLA-A*02:01.
    r"HLA[- ]?(?:A|B|C|DR|DQ|DP|DRB1|DQA1|DQB1|DPB1)?[- ]?\*?\d{0,3}(?::\d{2,3}){0,3}",
    # Stages of tumours: T2N1M0, pT3N1aM0.
    r"[cpyra]{0,2}T(?:[0-4][a-d]?|is|x)[ ,]?[cp]?N(?:[0-3][a-c]?|x)(?:[ ,]?[cp]?M(?:[01][a-c]?|x))?",
    # Vertebrae: L4-L5, C6 level.
    r"(?:[CTLS]\d{1,2})(?:[-/](?:[CTLS]?\d{1,2}))+"
    r"|[CTLS](?:1[0-2]|[1-9])(?= (?:level|vertebra\w*|radiculopathy|dermatome|fracture))",
    # Blood pressure: BP 132/78.
    r"(?:BP|B/P|blood pressure)[ :]{1,3}(?:of |is |was )?\d{2,3}/\d{2,3}",
    # Vital signs: HR 88, SpO2 97%, wt 81.5 kg.
    r"(?:HR|RR|pulse|SpO2|O2 sat|sats?|temp|T|wt|weight|BMI)[ :]{1,3}(?:of |is |was )?"
    r"\d{2,3}(?:\.\d+)?(?: ?(?:%|bpm|kg|lbs?|[FC]))?",
    # Grades of the examination: strength 5/5, murmur 2/6, 4+/5 throughout.
    r"(?:strength|motor|power|reflexes|murmur|pulses?)[ :]{1,2}(?:is |are |of )?[0-6][+-]?/[0-6]",
    r"[0-6][+-]?/[456]"
    r"(?= (?:strength|motor|power|throughout|bilaterally|systolic|diastolic|murmur|in (?:all|both|upper|lower)))",
    # Murmurs by their letters: 2/6 SEM at the apex, RRR, 2/6 SM.
    r"[1-6](?:-[1-6])?/6 (?:(?i:soft|harsh|blowing|vibratory|musical|early|late|mid|ejection|flow)[- ]){0,3}"
    r"(?:SEM|HSM|ESM|MSM|PSM|[SD]M(?= (?:at|over|@|along|loudest|[RL][UL]?SB|apex)))",
    r"(?:RRR|S[12]|CV|[Cc]or|[Hh]eart|Roth|Osler|Janeway|gallops?|rubs?|JV[PD]|carotids?)[^\n\d]{1,16}[1-6]/6 [SD]M",
    # Both parts of a dose: Suboxone 8/2 BID, incr bup to 8/2 daily, Junel Fe 1/20, Lotrel 5/20 mg.
    rf"(?i:suboxone|zubsolv|bup(?:renorphine)?(?:[-/](?:nal(?:oxone)?|nx))?){_DOSED}{{0,3}}:? {_BUP}(?={_DOSE_BEHIND})",
    rf"(?i:repeat|another|give|given|take) {_BUP}(?= (?:in \d{{1,2}} ?(?:h|hrs?|hours?|min)\b|SL\b|prn\b))",
    r"(?i:(?:lo )?loestrin|junel|microgestin|larin|blisovi|hailey|aurovela|tarina|gildess)"
    r" (?i:fe |24 |24 fe |fe 24 )1/[12]0(?![\d/])",
    r"(?i:[a-z]{5,16}[-/]hctz|amlodipine[-/][a-z]{5,12}|zestoretic|prinzide|lotrel|azor|twynsta|caduet|vaseretic"
    r"|accuretic|vytorin|glyxambi|qtern|symbyax|olanzapine[-/]fluoxetine|lybalvi|perphenazine[-/]amitriptyline"
    rf"|duetact|coveram|targin(?:act)?){_DOSED}{{0,2}} \d{{1,2}}(?:\.5)?/\d{{1,2}}(?:\.\d{{1,2}})?(?={_DOSE_BEHIND})",
    # How long a dialysis runs, behind its flows: Qb 425, Qd 700, 4:00, 2K/2.5Ca.
    r"(?:Q[bBdD]|BFR|DFR)[ :]{1,2}\d{3}[,;/ ]{1,3}[2-5]:[0-5]\d"
    r"(?=[,;/]? {0,2}(?:\d(?:\.\d)? ?[kK]\b|UF|EDW|DW|[Hh]eparin|h\b|hrs?\b))",
    # Pregnancies and births: G2P1, G3 P2-0-1-2.
    r"G\d{1,2} ?P\d{1,2}(?:-?\d{1,2}){0,3}",
    # Markers: CD4, IL-6, HER-2, CA 125.
    r"(?:CD|IL-|TNF-|HER-?|PD-L|SSA|SSB|CA ?)\d{1,3}(?:[-.]\d)?",
    # Leads of an electrocardiogram: V1-V4, leads V5R.
    r"V[1-6]-V?[1-9]|(?i:leads?) V[1-9]R?(?:[-, ]{1,2}V?[1-9])?",
    # Infusions: D5W 1/2 NS.
    r"(?:D5W?|D10W?|NS|LR)[ ,]?1/[24](?: ?NS)?",
    # Scores out of a maximum: grade 2/6, monofilament 8/10, naming 3/3.
    r"(?i:grade) [1-6](?:-[1-6])?/6"
    r"|(?i:monofilament|pinprick|naming|tjc/sjc|sjc/tjc)"
    r"[\s:|]{1,6}(?:of |was )?\d{1,2}/\d{1,2}",
    # Dilation, effacement and station: 4/80/-2.
    r"\d{1,2}(?:\.5)?(?: ?cm)?/\d{2,3}%?/(?:[-+] ?\d|0)",
    # Incentive spirometry: IS to 1500.
    r"(?:IS (?:to|TO|goal)|(?i:voldyne|spiromet(?:er|ry))(?: (?i:to|at|of|goal))?)[ :]{1,2}\d{3,4}",
    # Laboratory values that are not years: AST 45, BNP 1250.
    r"(?i:lipase|amylase|cpk|ck|(?:nt-?)?(?:pro-?)?bnp|ferritin|ldh|ast|alt|d-dimer|cd4|trig|triglycerides)"
    r"(?: (?i:level|is|was|of|at)){0,2}[ :]{1,2}(?!(?:199|20[0-3])\d(?!\d))\d{2,5}(?:\.\d+)?(?![/\-]\d)",
    # Odometers of devices: odo 12345.
    r"(?i:odo(?:meter)?)[ :]{1,2}\d{3,7}",
    # Guidelines by society and year: 2019 NCCN, ACC/AHA, 2015 ACR.
    r"(?:(?:19|20)\d\d )?(?:NCCN|USPSTF|ASCCP|ACOG|KDIGO|AASLD|IDSA|JNC"
    r"|(?:ACC|AHA|ESC|ACR|EULAR|ATS|ERS|ADA|EASD|ASCO|CAP)(?:/(?:ACC|AHA|HRS|ESC|ACR|EULAR|ATS|ERS|ADA|EASD|ASCO|CAP)){1,2})",
    r"(?:19|20)\d\d (?:ACC|AHA|ACR|EULAR|GOLD|GINA|WHO|FIGO|McDonald|Beers|Bethesda)(?= )",
    # Equations and criteria with their year: CKD-EPI 2021, Rotterdam criteria 2003.
    r"(?:(?:19|20)\d\d )?(?:CKD-?EPI|MDRD|NHANES|GLI|RECIST|IMWG|iwCLL|SLICC|ELN|Bosniak)"
    r"(?:,? ?\(?(?:19|20)\d\d(?![-/]\d))?",
    r"(?:Rotterdam|McDonald|Beers|Duke|Bethesda|Fleischner|Tokyo|Berlin|Lugano|Jones|Rome|Sydney|Schwartz)"
    r" (?:criteria|classification|equation|guidelines?|consensus|update),? \(?(?:19|20)\d\d(?![-/]\d)",
    # Scores of scales: Morse score 45, CIWA 8.
    r"(?i:morse|ciwa(?:-ar)?|cows|lace|ranson|waterlow)(?: (?i:score|scale|of|is|was)){0,2}[ :]{1,2}\d{1,2}(?![\d/:-])",
    # Billing codes: CPT 99213-25, D2391 completed.
    r"(?:CPT|HCPCS|CDT)(?: (?i:codes?))?[ :]{0,2}(?:\d{5}|[A-VDGJ]\d{4})(?:-\d{2})?"
    r"|D[0-9]\d{3}(?= (?:n/a|deferred|completed|done)| ?[;,])",
    # Diagnoses with five characters or more, and procedures of one side: H35.3221, 67028-LT.
    r"[A-TV-Z]\d[\dA-Z]\.\d[\dA-Z]{1,3}|\d{5}-(?:LT|RT)",
    # Holidays in the name of something else: Christmas lights, Christmas factor, Easter lily.
    r"(?i:christmas|xmas) (?i:lights?|trees?|cact(?:us|i)|disease|factor|ornaments?|decorations?)"
    r"|(?i:easter) (?i:lil(?:y|ies)|bunny|eggs?)|(?i:may ?day,? may ?day)"
    r"|(?<!leftover )(?<!left over )(?<!from )(?i:halloween) (?i:costumes?|candy)",
    # Who brought or searched somebody, who counselled, what a liver fulfils, and what an eye sees.
    r"(?i:searched|seized|brought(?: in)?|escorted|transported|detained|restrained|tased|cuffed|stopped|found|came|bib"
    r"|arrived) (?:in )?(?:by|via) (?:PD|EMS|FD|SO|LEO|BPD|HPD)(?= |[,.;)]|$)",
    r"(?i:vus|exome|microarray|karyotype|nipt|carrier|fxpoi|genetics?|inheritance|recurrence|pedigree)"
    r"[^.\n\d]{0,12} (?:reviewed|discussed|explained|disclosed|returned) (?:by|with|w/) L?C?GC(?= |[,.;)]|\s*\n|$)",
    r"(?:(?i:fulminant|liver failure|acetaminophen|paracetamol|meets|met)|ALF|APAP)(?: (?:by|per|on|not|any))? KCC",
    r"(?:CVF|VF|VA|(?i:fields?|vision|full|confrontation|acuity))(?: (?i:full|to|at|is|was|by|sc|cc)){0,3} "
    r"(?:FC|CF|HM|LP|NLP)(?:,? O[DSU])",
    # A drug or a scan that an insurer must allow, and a valve with its measure: PA needed for Ozempic, AR PHT 190.
    r"PA (?:needed|required|submitted|denied|approved|initiated)(?= (?:for|by|thru|through) )",
    r"(?:AR|MR|TR|PR|AI|AS|MS) (?:PHT|EROA?|VC\b|RVol|RF\b|jet\b|vena\b|Vmax|mean grad)",
    # Weeks of a pregnancy: 28/40, 34+2/40.
    r"(?:1[3-9]|[23]\d|4[0-2])(?:\+[0-6])?/40",
    # Items of assessments with their label: (M0040) Name, GG0170I, ePatient.15; and codes with their text in HL7.
    r"\([A-Z]{1,2}\d{4}[A-Z]?\d?\)(?= [A-Z][A-Za-z])|(?:M[012]\d{3}|GG0\d{3}[A-Z]?\d?)|e[A-Z][a-z]{3,12}\.\d{2}",
    r"\d{4,6}(?:-\d)?\^(?:[A-Z0-9][\w ,./()-]{2,40}\^(?:LN|CPT4?|C4|I10|ICD10|SCT|HCPCS)"
    r"|(?:CT|MR|MRI|US|XR|NM|PET) [A-Z])",
    # Places on a clock face: breast mass at 2:00, HST at 12:30, tears from 10:00-2:00.
    r"(?:breast|mass|nodule|lesion|cyst|calcifications|clip|axis|tears?|HST|RRD|RD|detachment|hole|lattice|cx|cervix)"
    r"(?: (?:at|@|from|is|of|the))?[ ,]{1,2}(?:1[0-2]|[1-9]):[0-5]0(?:[ ]?(?:-|to)[ ]?(?:1[0-2]|[1-9]):[0-5]0)?"
    r"(?! ?[ap]\.?m?\b)",
    # The number of a visit beside its day: VISIT 7/24   8/5/24.
    # Not two days of a month: (tx 6/3, 6/5).
    r"(?i:visit|session|treatment|tx) (?P<count>\d{1,2})/\d{1,3}(?=,? {1,4}\d{1,2}/\d)"
    r"(?!, (?P=count)/\d{1,2}(?![\d/]))",
    # Opening hours: open 7-4 Mon to Fri.
    r"(?i:open|hours|hrs)[ :]{1,2}\d{1,2}(?::\d\d)?[ ]?-[ ]?\d{1,2}(?::\d\d)?"
    r"(?:,? (?:Mon|Tues?|Wed|Thu(?:rs)?|Fri|Sat|Sun)[a-z]{0,6}(?: ?(?:-|to) ?"
    r"(?:Mon|Tues?|Wed|Thu(?:rs)?|Fri|Sat|Sun)[a-z]{0,6})?)?(?![/\d-])",
    # Titers: ANA 1:640.
    r"(?:titer|ANA|RPR|VDRL|ASMA|ANCA)[ :]{1,2}(?:of |positive |pos )?1:\d{1,5}|1:(?:1280|2560|5120|10240)",
    # Variants by their older names: 185delAG, APC I1307K.
    r"\d{1,5}(?:del|ins|dup)[ACGT]{1,6}|(?:APC|BRCA[12]|CHEK2|MUTYH|LDLR)[ ]{1,8}[A-Z]\d{2,5}[A-Z]",
    # Alleles by their stars, with what they mean: CYP2D6 *4/*4 PM.
    r"(?:CYP\d[A-Z]\d{1,2}|SLCO1B1|UGT1A1|TPMT|NUDT15|DPYD|NAT2|G6PD|VKORC1)[ :]{0,2}"
    r"\*\d{1,3}[A-Z]?(?:x(?:N|\d))?/\*\d{1,3}[A-Z]?(?:x(?:N|\d))?"
    r"(?: ?\(?(?:[UNIPRE]M|poor|intermediate|normal|rapid)\b\)?)?",
    # Karyotypes: 47,XXY, t(9;22)(q34;q11).
    r"\d{2},X[XYO]{1,2}(?:,(?:t|del|inv|add)\([\dXY;]+\)(?:\([pq\d.;]+\))?)?"
    r"|(?:t|del|inv)\(\d{1,2}(?:;\d{1,2})?\)(?:\([pq\d.;]+\))?",
)
SYNTAX = re.compile(rf"(?<![\w.])(?:{'|'.join((*(one.whole for one in SCALES), *_PATTERNS))})(?!\w)")
"""Matches one whole notation. Linear on real text: it has no nested repetition."""


def find_notations(text: str, plain: bytes | None = None) -> list[tuple[int, int]]:
    """Return start and end of each match of ``SYNTAX``, sorted and disjoint. Linear in the length of ``text``.

    RE2 finds where a notation may begin, and the whole expression is tried there only. Trying it at every character
    takes fifty times as long.

    Args:
        text: the note.
        plain: the note in ASCII, one byte for each code point; computed where ``None``.
    """
    candidates, encoded = _candidates(), fold_to_ascii(text).encode("ascii") if plain is None else plain
    found: list[tuple[int, int]] = []
    position = 0
    while candidate := candidates.search(encoded, position):
        start = candidate.start()
        match = SYNTAX.match(text, start)
        if match is None or match.end() == start:
            position = start + 1
        else:
            found.append(match.span())
            position = match.end()
    return found


@lru_cache(maxsize=1)
def _candidates() -> Any:
    """Return the RE2 expression that matches wherever ``SYNTAX`` does, and elsewhere."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    options.log_errors = False
    starts = (*map(without_conditions, _PATTERNS), *(one.start for one in SCALES))
    return re2.compile(rf"\b(?:{'|'.join(starts)})".encode("ascii"), options)


def without_conditions(expression: str) -> str:
    """Return ``expression`` without its look-ahead and look-behind groups, which RE2 does not have."""
    kept: list[str] = []
    position = depth = 0
    in_class = False
    while position < len(expression):
        mark = expression[position]
        step = 2 if mark == "\\" else 1
        if not in_class and depth == 0 and _CONDITION.match(expression, position):
            depth = 1
        elif depth and not in_class and mark in "()":
            depth += 1 if mark == "(" else -1
        elif depth == 0:
            kept.append(expression[position : position + step])
        if step == 1 and mark in "[]":
            in_class = mark == "["
        position += step
    return "".join(kept)


_CONDITION = re.compile(r"\(\?<?[=!]")
