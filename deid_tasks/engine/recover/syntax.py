"""Notations of medicine that look like names, dates or numbers and have a grammar of their own."""

import re
from functools import lru_cache
from typing import Any

import re2

from deid_tasks.engine.recover.variants import VARIANTS
from deid_tasks.engine.text.ascii import fold_to_ascii

_PATTERNS = (
    *VARIANTS,
    r"[cgmnrp]\.[(\[]?(?:[*-]?\d+[+-]?\d*(?:_[*-]?\d+[+-]?\d*)?(?:del|dup|ins|inv|[ACGTU]>[ACGTU])[ACGTU]*"
    r"|(?:[A-Z][a-z]{2}|[A-Z])\d+(?:[A-Z][a-z]{2}|[A-Z*=]|fs)[\w*]*)[)\]]?",  # HGVS: c.35delG, p.Val600Glu
    r"(?:BRAF|KRAS|NRAS|EGFR|JAK2|IDH[12]|PIK3CA|MPL|KIT|HFE)[ -]?[A-Z]\d{2,4}[A-Z]",  # short protein changes
    r"HLA[- ]?(?:A|B|C|DR|DQ|DP|DRB1|DQA1|DQB1|DPB1)?[- ]?\*?\d{0,3}(?::\d{2,3}){0,3}",
    r"[cpyra]{0,2}T(?:[0-4][a-d]?|is|x)[ ,]?[cp]?N(?:[0-3][a-c]?|x)(?:[ ,]?[cp]?M(?:[01][a-c]?|x))?",  # TNM
    r"(?:[CTLS]\d{1,2})(?:[-/](?:[CTLS]?\d{1,2}))+|[CTLS](?:1[0-2]|[1-9])(?= (?:level|vertebra\w*|radiculopathy|dermatome|fracture))",
    r"(?:BP|B/P|blood pressure)[ :]{1,3}(?:of |is |was )?\d{2,3}/\d{2,3}",
    r"(?:HR|RR|pulse|SpO2|O2 sat|sats?|temp|T|wt|weight|BMI)[ :]{1,3}(?:of |is |was )?\d{2,3}(?:\.\d+)?(?: ?(?:%|bpm|kg|lbs?|[FC]))?",
    r"(?:strength|motor|power|reflexes|murmur|pulses?)[ :]{1,2}(?:is |are |of )?[0-6][+-]?/[0-6]",
    r"[0-6][+-]?/[456](?= (?:strength|motor|power|throughout|bilaterally|systolic|diastolic|murmur|in (?:all|both|upper|lower)))",
    r"G\d{1,2} ?P\d{1,2}(?:-?\d{1,2}){0,3}",  # gravida, para
    r"(?:CD|IL-|TNF-|HER-?|PD-L|SSA|SSB|CA ?)\d{1,3}(?:[-.]\d)?",
    r"V[1-6]-V?[1-9]|(?i:leads?) V[1-9]R?(?:[-, ]{1,2}V?[1-9])?",  # electrocardiogram
    r"(?:D5W?|D10W?|NS|LR)[ ,]?1/[24](?: ?NS)?",  # infusions
    r"(?i:grade) [1-6](?:-[1-6])?/6|(?i:monofilament|pinprick|slums|mmse|moca|naming|lawton|katz|bishop|apgars?|tjc/sjc|sjc/tjc)[\s:|]{1,6}(?:of |was )?\d{1,2}/\d{1,2}",
    r"\d{1,2}(?:\.5)?(?: ?cm)?/\d{2,3}%?/(?:[-+] ?\d|0)",  # dilation, effacement, station
    r"(?:IS (?:to|TO|goal)|(?i:voldyne|spiromet(?:er|ry))(?: (?i:to|at|of|goal))?)[ :]{1,2}\d{3,4}",
    r"(?i:lipase|amylase|cpk|ck|(?:nt-?)?(?:pro-?)?bnp|ferritin|ldh|ast|alt|d-dimer|cd4|trig|triglycerides)"
    r"(?: (?i:level|is|was|of|at)){0,2}[ :]{1,2}(?!(?:199|20[0-3])\d(?!\d))\d{2,5}(?:\.\d+)?(?![/\-]\d)",
    r"(?i:odo(?:meter)?)[ :]{1,2}\d{3,7}",
    r"(?:(?:19|20)\d\d )?(?:NCCN|USPSTF|ASCCP|ACOG|KDIGO|AASLD|IDSA|JNC|(?:ACC|AHA|ESC|ACR|EULAR|ATS|ERS|ADA|EASD|ASCO|CAP)(?:/(?:ACC|AHA|HRS|ESC|ACR|EULAR|ATS|ERS|ADA|EASD|ASCO|CAP)){1,2})",
    r"(?:19|20)\d\d (?:ACC|AHA|ACR|EULAR|GOLD|GINA|WHO|FIGO|McDonald|Beers|Bethesda)(?= )",  # whose guideline, of which year
    r"(?i:morse|ciwa(?:-ar)?|cows|lace|ranson|waterlow)(?: (?i:score|scale|of|is|was)){0,2}[ :]{1,2}\d{1,2}(?![\d/:-])",  # scores
    r"(?:CPT|HCPCS|CDT)(?: (?i:codes?))?[ :]{0,2}(?:\d{5}|[A-VDGJ]\d{4})(?:-\d{2})?|D[0-9]\d{3}(?= (?:n/a|deferred|completed|done)| ?[;,])",  # billing
    r"(?:titer|ANA|RPR|VDRL|ASMA|ANCA)[ :]{1,2}(?:of |positive |pos )?1:\d{1,5}|1:(?:1280|2560|5120|10240)",
    r"\d{1,5}(?:del|ins|dup)[ACGT]{1,6}|(?:APC|BRCA[12]|CHEK2|MUTYH|LDLR)[ ]{1,8}[A-Z]\d{2,5}[A-Z]",  # as they were called before HGVS
    r"\d{2},X[XYO]{1,2}(?:,(?:t|del|inv|add)\([\dXY;]+\)(?:\([pq\d.;]+\))?)?|(?:t|del|inv)\(\d{1,2}(?:;\d{1,2})?\)(?:\([pq\d.;]+\))?",
)
SYNTAX = re.compile(rf"(?<![\w.])(?:{'|'.join(_PATTERNS)})(?!\w)")
"""Linear on real text: no nested repetition. The whole match is medical."""


def find_notations(text: str, plain: bytes | None = None) -> list[tuple[int, int]]:
    """Where ``SYNTAX`` matches, in order, disjoint; linear in the length of ``text``. ``plain`` is the folded text where the caller has it.

    An automaton without the conditions on what stands around finds where one may begin; trying twenty expressions at every character takes fifty times as long.
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
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = True
    options.log_errors = False
    return re2.compile(rf"\b(?:{'|'.join(map(without_conditions, _PATTERNS))})".encode("ascii"), options)


def without_conditions(expression: str) -> str:
    """``expression`` without its look-ahead and look-behind groups: it matches wherever ``expression`` does, and elsewhere."""
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
