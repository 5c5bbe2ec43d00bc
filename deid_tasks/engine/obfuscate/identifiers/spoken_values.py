"""Values that a dictation spells out: "four four oh nine one seven", "eight hundred five five five", "gmail dot com".

The words become what would be written, that gets its surrogate as in any other note, and the surrogate is spelled out
again. So a number has one surrogate, spoken or written.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

_UNITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ZEROS = ("oh", "o", "nought", "naught")
_SIGNS = {"dash": "-", "hyphen": "-", "slash": "/", "dot": ".", "point": ".", "period": ".", "space": " "}
_REPEATS = {"double": 2, "triple": 3, "treble": 3}
_LABELS = frozenset(
    [
        *("room", "rm", "bed", "suite", "unit", "apartment", "apt", "floor", "ward", "box", "highway", "route", "zip"),
        *("extension", "ext", "number", "area", "code", "case", "claim", "ending", "ends", "in", "is", "and", "the"),
        "last",
    ]
)
"""Words that say what a number is, and stay. With any other word a value is no number: "Five Points, Two Rivers"."""
_FIGURES = {
    **{word: str(value) for value, word in enumerate(_UNITS)},
    **{word: str(value) for value, word in enumerate(_TEENS, start=10)},
    **{word: str(value) for value, word in zip(range(20, 100, 10), _TENS, strict=True)},
    **dict.fromkeys(_ZEROS, "0"),
}
_SPOKEN_DOT = re.compile(r" dot ", re.IGNORECASE)
_SPOKEN_AT = re.compile(r" at ", re.IGNORECASE)
_ADDRESS_SIGNS = re.compile(r"[@./]")
_LETTERS_APART = re.compile(r"(?:[A-Za-z] )+")
_TOKEN = re.compile(r"[^\W\d_]+")
_ONE_GAP = re.compile(r"[ \t-]")
_MIN_FIGURES = 2


class _Piece(NamedTuple):
    """Words that stand for one or more characters of the number."""

    start: int
    end: int
    characters: str
    """Empty for a sign."""
    sign: str = ""


def replace_spoken_number(value: str, replace: Callable[[str], str]) -> str | None:
    """Return the surrogate of a number that is spelled out, spelled out; ``None`` for other values.

    Args:
        value: the original.
        replace: returns the surrogate of a number in figures.
    """
    if any(map(str.isdecimal, value)):
        return None
    pieces = _pieces(value)
    if pieces is None or sum(char.isdecimal() for piece in pieces for char in piece.characters) < _MIN_FIGURES:
        return None
    made = replace("".join(piece.characters + piece.sign for piece in pieces))
    stream = iter([char for char in made if char.isalnum()])
    zero = next((word for word in value.lower().split() if word in {*_ZEROS, "zero"}), "zero")
    spelled, at = "", 0
    for piece in pieces:
        if piece.characters:
            own = "".join(next(stream, "0") for _ in piece.characters)
            words = value[piece.start : piece.end]
            is_repeat = words.lower().startswith(tuple(_REPEATS))
            made_words = " ".join(_spelled(one, zero) for one in own) if is_repeat else _spelled(own, zero)
            spelled += value[at : piece.start] + _like(made_words, words)
            at = piece.end
    return spelled + value[at:]


def replace_spoken_address(value: str, replace: Callable[[str], str]) -> str | None:
    """Return the surrogate of a mail or web address that is spelled out, spelled out; ``None`` for other values.

    Args:
        value: the original: "j smith at gmail dot com", "w w w dot hope clinic dot org".
        replace: returns the surrogate of an address as it is written.
    """
    if _SPOKEN_DOT.search(value) is None or _ADDRESS_SIGNS.search(value):
        return None
    made = replace(_SPOKEN_AT.sub("@", _SPOKEN_DOT.sub(".", value)).replace(" ", ""))
    lead = _LETTERS_APART.match(value)
    if lead is not None:
        count = sum(map(str.isalpha, lead.group()))
        made = " ".join((*made[:count], made[count:]))
    return " ".join(made.replace(".", " dot ").replace("@", " at ").split())


def has_figures(value: str) -> bool:
    """Whether a value has two words or more that are figures."""
    return sum(word in _FIGURES for word in map(str.lower, _TOKEN.findall(value))) >= _MIN_FIGURES


def is_figure(word: str) -> bool:
    """Whether a word in small letters is a figure, or two: "four", "forty"."""
    return word in _FIGURES


def _pieces(value: str) -> list[_Piece] | None:
    """Return the words of a value with what they stand for, in order; ``None`` where one has no part in a number."""
    pieces: list[_Piece] = []
    times = 1
    for found in _TOKEN.finditer(value):
        word = found.group().lower()
        last = pieces[-1] if pieces else None
        figures = _FIGURES.get(word, "")
        if word in _REPEATS:
            times, begun = _REPEATS[word], found.start()
        elif figures and times > 1:
            pieces.append(_Piece(begun, found.end(), figures * times))
            times = 1
        elif word == "hundred" and last and len(last.characters) == 1:
            pieces[-1] = _Piece(last.start, found.end(), last.characters + "00")
        elif last and _ends_tens(last, figures, value[last.end : found.start()]):
            pieces[-1] = _Piece(last.start, found.end(), last.characters[0] + figures)
        elif figures or len(word) == 1:
            pieces.append(_Piece(found.start(), found.end(), figures or word.upper()))
        elif word in _SIGNS:
            pieces.append(_Piece(found.start(), found.end(), "", _SIGNS[word]))
        elif word not in _LABELS:
            return None
    return pieces


def _ends_tens(last: _Piece, figures: str, gap: str) -> bool:
    """Whether a word goes on a number of two figures: "forty" and "four"."""
    is_tens = len(last.characters) == 2 and last.characters[0] > "1" and last.characters[1] == "0"
    return is_tens and len(figures) == 1 and figures != "0" and _ONE_GAP.fullmatch(gap) is not None


def _spelled(characters: str, zero: str) -> str:
    """Return figures and letters as words, two figures as one number."""
    if len(characters) == 3 and characters[0] != "0" and characters.endswith("00"):
        return f"{_UNITS[int(characters[0])]} hundred"
    if len(characters) == 2 and characters[0] in "123456789" and characters[0] != characters[1]:
        tens, units = int(characters[0]), int(characters[1])
        if tens == 1:
            return _TEENS[units]
        return f"{_TENS[tens - 2]} {_UNITS[units]}" if units else _TENS[tens - 2]
    return " ".join(zero if char == "0" else _UNITS[int(char)] if char.isdecimal() else char for char in characters)


def _like(words: str, original: str) -> str:
    """Return words in the letter case of the original: letters alone are small in a dictation that has no capitals."""
    return words.capitalize() if original.istitle() else words.upper() if original.isupper() else words.lower()
