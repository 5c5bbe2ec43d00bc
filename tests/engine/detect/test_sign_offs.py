"""Initials at the end of a note, a message or a dictation, and letters there that are not."""

import re

import pytest

from tests.engine.detect.test_patterns import mark

FOUND = [
    "Come back if it bleeds.\n-[INITIALS:W]\n",
    "Told to rest. -[INITIALS:W]\n\nAddendum to follow",
    "Form is at the desk. thx, [INITIALS:W]",
    "Please call her. Thanks! [INITIALS:wq]\nBlood was drawn",
    "Kind regards,\n[INITIALS:WQ]",
    "END OF DICTATION. [INITIALS:WQ]:[INITIALS:kz]  JOB 12",
    "Feels well.  Dict [INITIALS:WQ] [DATE:3/14/2021]",
    "Plan as above. [INITIALS:WQP]/[INITIALS:kz]  D: [DATE:3/4/21]",
    "do you have it. thx, [PATIENT:Yesi]\n",
    "Thanks! [PATIENT:Marisol]",
    "Guard told. -[INITIALS:W.Q.] RN",
    "Transcribed by: [INITIALS:kzw]",
    "Typed by: [INITIALS:kzw]",
    "/s/ [INITIALS:WQP]",
    "end of dictation [INITIALS:tq] slash [INITIALS:mlo] d 6",
    "She agreed.\n[INITIALS:be] [DATE:1.3.24]",
]
LEFT_ALONE = [
    "he and slash or she will go",
    "hepatitis -C\n\n",
    "blood type A -B",
    "Thanks for the visit to A\n",
    "love you all xx",
    "Thanks xx",
    "we will see her\non [DATE:1.3.24]",
    "take care of A",
    "Trans to 3/4 floor. Dict on [DATE:3/4/21].",
    "PT/ot  ordered. HR:wnl  BP:ok",
    "Give vitamin\n- K\n- Na\n",
    "Best A",
    "typed by the nurse",
    "thanks, Doctor",
    "Thanks, Tylenol",
]


@pytest.mark.parametrize("expected", FOUND + LEFT_ALONE)
def test_letters_at_an_end(expected):
    assert mark(re.sub(r"\[[A-Z]+:([^\[\]]*)\]", r"\1", expected)) == expected
