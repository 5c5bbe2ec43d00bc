"""How genes, their variants, tissue types and stages are written: each expression a whole notation.

The recommendations of the Human Genome Variation Society, of WHO's HLA nomenclature committee, of the TNM, and of the scales that
radiologists, pathologists and oncologists grade with. No repetition holds another one that fits the same text.
"""

_POSITION = r"[*-]?\d+(?:[+-]\d+)?"
_RANGE = rf"{_POSITION}(?:_{_POSITION})?"
_BASES = r"[ACGTUacgtu]+"
_AMINO = r"(?:[A-Z][a-z]{2}|[A-Z*])"
_REFERENCE = r"(?:N[CGMPRTW]_\d{4,9}(?:\.\d{1,2})?(?:\([A-Z0-9-]{2,12}\))?:|[A-Z][A-Z0-9]{1,9}:)?"

VARIANTS = (
    # Changes of DNA and RNA: c.35delG, NM_000546.5:c.215C>G, m.8993T>G, g.117_119delinsAA, c.20_23dup, n.76G>A, c.1521_1523delCTT.
    rf"{_REFERENCE}[cgmnrCGMNR]\.[(\[]{{0,2}}{_RANGE}"
    rf"(?:{_BASES}>{_BASES}|(?i:delins){_BASES}|(?i:del)(?:{_BASES}|\d+)?(?:(?i:ins){_BASES})?"
    rf"|(?i:dup)(?:{_BASES}|\d+)?|(?i:ins)(?:{_BASES}|\d+|\(\d+\))|(?i:inv)|=|\[\d{{1,4}}\])[)\]]{{0,2}}",
    # Genomic changes with or without the arrow, in either case: g.7578395G>C (Murugadoss et al. 2024).
    r"(?i:[gcnm]\.[0-9_+-]{5,}[TGCA]+>?[TGCA]+)",
    # Changes of proteins: p.Val600Glu, p.(Arg175His), p.Glu746_Ala750del, p.Gln1756Profs*74, p.R175*, p.Met1?.
    rf"{_REFERENCE}[pP]\.[(\[]?(?:Ter|{_AMINO})\d{{1,5}}(?:_{_AMINO}\d{{1,5}})?"
    rf"(?:delins{_AMINO}+|del|dup|ins{_AMINO}+|(?:Ter|{_AMINO}|[=?])?(?:fs(?:(?:Ter|X|\*)\d{{1,4}})?)?)[)\]]?",
    r"rs\d{3,12}",
    # Places on chromosomes: chr17:7577121, chr7:140453136A>T, 17p13.1, 22q11.2, Xq28, 5q-.
    rf"chr(?:\d{{1,2}}|[XYM]|MT)(?::(?:g\.)?\d{{3,10}}(?:[-_]\d{{3,10}})?(?: ?{_BASES}>{_BASES})?)?",
    r"(?:\d{1,2}|[XY])[pq](?:\d{2}(?:\.\d{1,3})?(?:-?[pq]?\d{2}(?:\.\d{1,3})?)?|ter)",
    # Tissue types: HLA-DRB1*15:01:01:02N, DRB1*04:01, B*57:01, HLA-B27, HLA-DQ2.5, HLA-Cw6.
    r"(?:HLA[- ])?(?:A|B|Cw?|DR(?:A|B[1-9])|D[QP][AB]1)\*\d{2,3}(?::\d{2,3}){0,3}[NLSCAQ]?",
    r"HLA[- ]?(?:A|B|Cw?|DR|DQ|DP)w?\d{1,2}(?:\.\d)?",
    # Stages and grades.
    r"(?:yp|yc|[cpyra])T(?:[0-4][a-d]?|is|x)",
    r"(?i:gleason)(?: (?i:score|grade|sum|pattern))?[ :]{1,2}(?:of )?[1-5] ?\+ ?[1-5](?: ?= ?\d{1,2})?",
    r"(?:BI|PI|LI|TI|O|Lung|NI)-?RADS[ :]{1,2}(?i:category |score )?(?:LR-)?[0-6M][A-CXa-cx]?",
    r"(?:ECOG|Karnofsky|KPS|Zubrod)(?i: PS| performance status| score)?[ :]{1,2}(?:of |is )?(?:[0-5]|\d0|100)(?:-[0-5]|%)?",
)
