"""Notations of genes, tissue types, stages and grades, each whole and nothing beside it."""

import pytest

from deid_tasks.engine.recover.syntax import find_notations

NOTATIONS = """
g.7578395G>C   G.7578395g>c   NM_000546.5:c.215C>G   NC_000017.11:g.7674220C>T   c.35delG   c.1521_1523delCTT   c.20_23dup   c.5266dupC
c.76_77delinsTT   g.117_119delinsAA   c.35_36insT   m.8993T>G   n.76G>A   r.76a>u   c.88+2T>G   c.-32-13T>G   c.*24G>A   BRCA1:c.68_69delAG
TP53:p.Arg175His   p.Val600Glu   p.V600E   p.(Arg175His)   p.Glu746_Ala750del   p.Gln1756Profs*74   p.R175*   p.Met1?   p.Trp24Ter
rs1799945   chr17:7577121   chr7:140453136A>T   17p13.1   22q11.2   Xq28   47,XXY   t(9;22)
HLA-DRB1*15:01:01:02N   DRB1*04:01   B*57:01   HLA-B27   HLA-DQ2   HLA-Cw6
pT2a   ypT0   T2N1M0   pT3N1aM0   Gleason 3+4=7   Gleason score 4 + 5   BI-RADS 4A   PI-RADS 3   LI-RADS LR-5   ECOG PS 1   KPS 80
"""
NONE = """seen 3/14/2021 | Dr. P. Smith | c. difficile | Room 4B | T. Jones | C. Brown | A*1 | MRN 123456 | R. 3 days | J. Lee | bed 12p | chr | rs 12"""


@pytest.mark.parametrize(
    "notation", [one.strip() for line in NOTATIONS.splitlines() for one in line.split("   ") if one.strip()]
)
def test_a_notation_is_found_whole(notation: str) -> None:
    assert find_notations(f"variant {notation} found") == [(8, 8 + len(notation))]


@pytest.mark.parametrize("text", NONE.split(" | "))
def test_what_only_looks_alike_is_none(text: str) -> None:
    assert find_notations(text) == []
