"""How genes, their variants, tissue types, stages and grades are written: each expression matches one whole notation.

Sources: the recommendations of the Human Genome Variation Society, of WHO's HLA nomenclature committee, of the TNM, and
the grading scales of radiologists, pathologists and oncologists. No repetition contains another one that matches the
same text, so that matching is linear.
"""

_POSITION = r"[*-]?\d+(?:[+-]\d+)?"
_RANGE = rf"{_POSITION}(?:_{_POSITION})?"
_BASES = r"[ACGTUacgtu]+"
_AMINO = r"(?:[A-Z][a-z]{2}|[A-Z*])"
_REFERENCE = r"(?:N[CGMPRTW]_\d{4,9}(?:\.\d{1,2})?(?:\([A-Z0-9-]{2,12}\))?:|[A-Z][A-Z0-9]{1,9}:)?"

VARIANTS = (
    # Changes of DNA and RNA: c.35delG, NM_000546.5:c.215C>G, m.8993T>G, g.117_119delinsAA, c.20_23dup,
    # c.1521_1523delCTT.
    rf"{_REFERENCE}[cgmnrCGMNR]\.[(\[]{{0,2}}{_RANGE}"
    rf"(?:{_BASES}>{_BASES}|(?i:delins){_BASES}|(?i:del)(?:{_BASES}|\d+)?(?:(?i:ins){_BASES})?"
    rf"|(?i:dup)(?:{_BASES}|\d+)?|(?i:ins)(?:{_BASES}|\d+|\(\d+\))|(?i:inv)|=|\[\d{{1,4}}\])[)\]]{{0,2}}",
    # Genomic changes with or without the arrow, in either case: g.7578395G>C (Murugadoss et al. 2024).
    r"(?i:[gcnm]\.[0-9_+-]{5,}[TGCA]+>?[TGCA]+)",
    # Changes of proteins: p.Val600Glu, p.(Arg175His), p.Glu746_Ala750del, p.Gln1756Profs*74, p.R175*, p.Met1?.
    rf"{_REFERENCE}[pP]\.[(\[]?(?:Ter|{_AMINO})\d{{1,5}}(?:_{_AMINO}\d{{1,5}})?"
    rf"(?:delins{_AMINO}+|del|dup|ins{_AMINO}+|(?:Ter|{_AMINO}|[=?])?(?:fs(?:(?:Ter|X|\*)\d{{1,4}})?)?)[)\]]?",
    # Entries of dbSNP: rs1799945.
    r"rs\d{3,12}",
    # Positions on chromosomes: chr17:7577121, chr7:140453136A>T.
    rf"chr(?:\d{{1,2}}|[XYM]|MT)(?::(?:g\.)?\d{{3,10}}(?:[-_]\d{{3,10}})?(?: ?{_BASES}>{_BASES})?)?",
    # Bands of chromosomes: 17p13.1, 22q11.2, Xq28, 5q-.
    r"(?:\d{1,2}|[XY])[pq](?:\d{2}(?:\.\d{1,3})?(?:-?[pq]?\d{2}(?:\.\d{1,3})?)?|ter)",
    # Tissue types by allele: HLA-DRB1*15:01:01:02N, DRB1*04:01, B*57:01.
    r"(?:HLA[- ])?(?:A|B|Cw?|DR(?:A|B[1-9])|D[QP][AB]1)\*\d{2,3}(?::\d{2,3}){0,3}[NLSCAQ]?",
    # Tissue types by antigen: HLA-B27, HLA-DQ2.5, HLA-Cw6.
    r"HLA[- ]?(?:A|B|Cw?|DR|DQ|DP)w?\d{1,2}(?:\.\d)?",
    # Stages of tumours alone: pT2a, ypT0.
    r"(?:yp|yc|[cpyra])T(?:[0-4][a-d]?|is|x)",
    # Gleason 3+4=7, Gleason score 4 + 5.
    r"(?i:gleason)(?: (?i:score|grade|sum|pattern))?[ :]{1,2}(?:of )?[1-5] ?\+ ?[1-5](?: ?= ?\d{1,2})?",
    # Imaging: BI-RADS 4A, PI-RADS 3, LI-RADS LR-5.
    r"(?:BI|PI|LI|TI|O|Lung|NI)-?RADS[ :]{1,2}(?i:category |score )?(?:LR-)?[0-6M][A-CXa-cx]?",
    # Performance: ECOG PS 1, KPS 80.
    r"(?:ECOG|Karnofsky|KPS|Zubrod)(?i: PS| performance status| score)?"
    r"[ :]{1,2}(?:of |is )?(?:[0-5]|\d0|100)(?:-[0-5]|%)?",
)
