"""File names give up the names and days that they hold; the rest stays marked unless it is an everyday word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_tasks.core.detectors import SHORT_NAMES
from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span, check_spans
from deid_tasks.engine.merge.file_names import divide_file_names
from tests.support.markup import read_markup, write_markup


@pytest.mark.parametrize(
    ("found", "divided"),
    [
        ("[OTHER_ID:okafor_heel_20240514.jpg]", "[PATIENT:okafor]_heel_[DATE:20240514].jpg"),
        ("[OTHER_ID:OKAFOR_M_chart_Sept24.pdf]", "[PATIENT:OKAFOR]_[PATIENT:M]_chart_[DATE:Sept24].pdf"),
        ("[OTHER_ID:EOkafor_xq7_14may24.docx]", "[USERNAME:EOkafor]_[OTHER_ID:xq7]_[DATE:14may24].docx"),
        ("[OTHER_ID:okafor]_[OTHER_ID:gait].[OTHER_ID:mp4]", "[PATIENT:okafor]_gait.mp4"),
        ("[OTHER_ID:IMG_2936.heic]", "[OTHER_ID:IMG_2936.heic]"),
        ("[OTHER_ID:scan_0514.pdf]", "scan_[DATE:0514].pdf"),
        ("[OTHER_ID:A-20240514]", "[OTHER_ID:A-20240514]"),
        ("[PATIENT:OKAFOR]_[OTHER_ID:ppm.pdf]", "[PATIENT:OKAFOR]_ppm.pdf"),
        ("[OTHER_ID:okafor_CAG_OD_0514.dcm]", "[PATIENT:okafor]_CAG_OD_[DATE:0514].dcm"),
        # initials, clipped names and initials behind a name, also where nothing is marked
        ("LRG_Lheel_[DATE:0702].heic", "[INITIALS:LRG]_Lheel_[DATE:0702].heic"),
        ("[OTHER_ID:LRG_sicknote_zz9.pdf]", "[INITIALS:LRG]_sicknote_[OTHER_ID:zz9].pdf"),
        ("[PATIENT:Okafor]_L_front.jpg", "[PATIENT:Okafor]_[PATIENT:L]_front.jpg"),
        ("RuaGol_K_form.pdf", "[USERNAME:RuaGol]_[INITIALS:K]_form.pdf"),
        ("[OTHER_ID:OKAF_WP_form.pdf]", "[USERNAME:OKAF]_[OTHER_ID:WP]_form.pdf"),
        ("[OTHER_ID:okafor_SeizurePlan_v2.pdf]", "[PATIENT:okafor]_SeizurePlan_v2.pdf"),
        ("[OTHER_ID:okafor_zio_scan2_bplog.pdf]", "[PATIENT:okafor]_zio_scan2_bplog.pdf"),
        ("[OTHER_ID:okafor_bplog_june.xlsx]", "[PATIENT:okafor]_bplog_[DATE:june].xlsx"),
        ("[OTHER_ID:okafor_RHip_fmla.dcm]", "[PATIENT:okafor]_RHip_fmla.dcm"),
        ("[OTHER_ID:okafor_DerbyQuill.pdf]", "[PATIENT:okafor]_[OTHER_ID:DerbyQuill].pdf"),
        ("heel_front.jpg", "heel_front.jpg"),
        ("RuaGol front of the LRG", "RuaGol front of the LRG"),
    ],
)
def test_names_and_days_of_a_file_name(found, divided):
    people = "Mrs. [PATIENT:Okafor] and Miss [PATIENT:Ruanui-Golding, Leta], see"
    text, spans = read_markup(f"{people} {found} today")
    assert write_markup(text, divide_file_names(text, spans)) == f"{people} {divided} today"


def test_an_initial_in_a_file_name_is_certain_whoever_found_it():
    text, spans = read_markup("Mrs. [PATIENT:Okafor], see [OTHER_ID:Okafor_L_front.jpg]")
    assert [span.detector for span in divide_file_names(text, spans) if len(span) == 1] == [SHORT_NAMES]


PIECES = st.tuples(
    st.sampled_from(["okafor", "_", "-", ".", "20240514", "jpg", ".pdf", " ", "x", "Sept24", "/", "M"]),
    st.sampled_from([Entity.OTHER_ID, Entity.PATIENT, Entity.DATE, None]),
)


@given(st.lists(PIECES, max_size=12))
def test_the_result_is_sorted_disjoint_and_marks_nothing_new_but_names(pieces):
    text, spans = "", []
    for word, entity in pieces:
        if entity is not None:
            spans.append(Span(len(text), len(text) + len(word), entity, "patterns"))
        text += word
    divided = divide_file_names(text, spans)
    check_spans(divided, len(text))
    before = {i for span in spans for i in range(span.start, span.end)}
    assert before.issuperset(i for span in divided if span.detector != SHORT_NAMES for i in range(span.start, span.end))
    kept = [span for span in spans if span.entity is not Entity.OTHER_ID]
    assert [span for span in divided if span in kept] == kept
