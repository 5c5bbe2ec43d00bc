"""Names and places in other scripts than Latin that stand in an English note: Иванов Сергей, 王小明, 김민준, محمد.

The rules read folded text, which has one letter for all of these. So this pass reads the note itself.
"""

import re
from collections.abc import Iterator

from deid_tasks.core.entities import Entity
from deid_tasks.engine.detect.patterns.rule import Candidate, Strength, text_after, text_before

_GREEK = "\u0370-\u03ff\u1f00-\u1fff\u2206"
_OTHERS = (
    "\u0400-\u052f"  # Cyrillic
    "\u0530-\u058f"  # Armenian
    "\u0590-\u05ff"  # Hebrew
    "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc"  # Arabic
    "\u0900-\u0dff"  # Devanagari, Bengali, Gurmukhi, Gujarati, Tamil, Telugu, Kannada, Malayalam, Sinhala
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f"  # Thai, Lao, Tibetan, Burmese
    "\u10a0-\u10ff"  # Georgian
    "\u1100-\u11ff\uac00-\ud7af"  # Hangul
    "\u1200-\u137f\u1780-\u17ff"  # Ethiopic, Khmer
    "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # kana and Han
)
_JOINT = r"[ \u00a0\u00b7\u30fb\u2019'.\-]{1,2}"
_WORD = rf"(?:[{_OTHERS}]{{2,}}|[{_GREEK}]{{3,}})"
_NAME = re.compile(rf"(?<![^\W_]){_WORD}(?:{_JOINT}[{_OTHERS}{_GREEK}]+)*(?![^\W_])")
"""Two letters of a word at least, three of a Greek one, with no Latin letter or figure beside them: not \u03bcg."""
_TRAILING = re.compile(r"[\s.,;:!?'\-\u060c\u061b\u061f\u3001\u3002\u00b7\u30fb]+$")
_LETTER = re.compile(r"[^\W\d_]")
_PLACE_BEFORE = re.compile(r"(?:^|[^a-z])(?:in|from|near|to|city|town|village|born|lives|hometown):?\s$")
_IN_ADDRESS_BEFORE = re.compile(r"[0-9][a-z]?,? $|[0-9][^\n]{0,30}, $")
_IN_ADDRESS_BEHIND = re.compile(r" [0-9]|, [a-z]+ ?[(0-9]")
"""Figures around a word: that of a street, or a country and its code."""
_MOST_IN_AN_ENGLISH_NOTE = 0.5


def names_in_other_scripts(text: str, plain: str) -> Iterator[Candidate]:
    """Yield the runs of letters of other scripts, as names, or as towns behind in, from and the like.

    A note where such letters are the most is written in another language: nothing in it is taken for a name.

    Args:
        text: the note.
        plain: the same in ASCII, of the same length.
    """
    if text.isascii():
        return
    runs = [match.span() for match in _NAME.finditer(text)]
    if not runs or sum(end - start for start, end in runs) > _MOST_IN_AN_ENGLISH_NOTE * len(_LETTER.findall(text)):
        return
    for start, end in runs:
        trailing = _TRAILING.search(text, start, end)
        end = trailing.start() if trailing else end
        ahead = text_before(plain, start)
        is_place = _PLACE_BEFORE.search(ahead) or _IN_ADDRESS_BEFORE.search(ahead)
        is_place = is_place or _IN_ADDRESS_BEHIND.match(text_after(plain, end))
        entity = Entity.CITY if is_place else Entity.PATIENT
        yield Candidate(start, end, entity, Strength.WEAK)
