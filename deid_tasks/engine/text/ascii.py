"""One ASCII character for each code point, so that rules see plain letters and every offset stays that of the note."""

import re
import unicodedata

_PLAIN = {
    **dict.fromkeys("‘’‚‛′ʼ´`", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
    **dict.fromkeys("⁄∕／", "/"),
    **dict.fromkeys("：", ":"),
    **dict.fromkeys("ßẞ", "s"),
    **dict.fromkeys("øØ", "o"),
    **dict.fromkeys("łŁ", "l"),
    **dict.fromkeys("đĐð", "d"),
    "æ": "a",
    "Æ": "A",
    "œ": "o",
    "Œ": "O",
    "ı": "i",
    "·": ".",
    "＠": "@",
    "\u2028": "\n",
    "\u2029": "\n",
    "\x85": "\n",
}


class _Table(dict[int, str]):
    """A translation table that computes each code point's character on first use."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = plain = character if code < 128 else _plain(character)
        return plain


def _plain(character: str) -> str:
    if character in _PLAIN:
        plain = _PLAIN[character]
        return plain.upper() if character.isupper() else plain
    if character.isspace():
        return " "
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    if character.isalpha():
        base = unicodedata.normalize("NFKD", character)[0]
        if base.isascii() and base.isalpha():
            return base
        return "X" if character.isupper() else "x"
    return "?"


_TABLE = _Table()
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")


def fold_to_ascii(text: str) -> str:
    """Return ``text`` in ASCII, of the same length.

    Accents are removed, typographic quotes and dashes become plain, other scripts' letters become ``x``, other symbols
    ``?``.
    """
    return text if text.isascii() else _BEYOND_ASCII.sub(_fold_run, text)


def _fold_run(match: re.Match[str]) -> str:
    return match.group().translate(_TABLE)
