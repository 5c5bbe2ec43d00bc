"""Notes as no author would write them, and as interfaces, scanners and converters do: each from one seed."""

import base64
import html
import json
import random
import string
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.records import HospitalSpec, World

CANARY = "Quorvexla"
"""A word of every note, which must stand in no log and in no error."""
_LONG, _LONGEST = 200_000, 10_000_000
_BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
_ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u034f"
_BLANKS = " \t\u00a0\u2002\u2003\u2009\u202f\u3000\u1680\x0b\x0c\x85\u2028\u2029"
_LINE_ENDS = ("\n", "\r\n", "\r", "\n\r", "\x85", "\u2028", "\x0b", "\x0c", "\x1e")

Change = Callable[[random.Random, str], str]


class BadNote(NamedTuple):
    """One note and how it was made."""

    seed: int
    kinds: tuple[str, ...]
    text: str


@cache
def base_notes() -> tuple[str, ...]:
    """Return simulated notes of the training world, which the changes begin with."""
    spec = HospitalSpec("fuzz", World.TRAIN, seed=5, patients=40, providers=20, notes=120)
    return tuple(note.text for note in write_notes(build_hospital(spec)))


def bad_note(seed: int) -> BadNote:
    """Return the note of a seed: a part of a note, or several, under one to three changes."""
    rng = random.Random(seed)
    text = _excerpt(rng)
    kinds = rng.sample(sorted(CHANGES), rng.choice((1, 1, 1, 2, 2, 3)))
    for kind in kinds:
        text = CHANGES[kind](rng, text)
    return BadNote(seed, tuple(kinds), _with_canary(rng, text))


def longest_note(seed: int) -> BadNote:
    """Return a note of one line of about ten million characters, at the limit of the public settings."""
    rng = random.Random(seed)
    piece = _excerpt(rng).replace("\n", " ")
    return BadNote(seed, ("one line of 10 MB",), (piece * (_LONGEST // max(1, len(piece)) + 1))[: _LONGEST - seed % 3])


def _excerpt(rng: random.Random) -> str:
    notes = base_notes()
    if rng.random() < 0.05:
        return "\n\n".join(rng.choices(notes, k=rng.randint(2, 5)))
    note = rng.choice(notes)
    if rng.random() < 0.15:
        return note
    start = rng.randrange(max(1, len(note) - 50))
    return note[start : start + int(2 ** rng.uniform(4, 10))]


def _with_canary(rng: random.Random, text: str) -> str:
    position = rng.randint(0, len(text))
    return f"{text[:position]} {CANARY} {text[position:]}"


def _sprinkled(characters: str, most: float = 0.2) -> Change:
    """Return a change that puts characters between others."""

    def change(rng: random.Random, text: str) -> str:
        share = rng.uniform(0.005, most)
        return "".join(c + rng.choice(characters) if rng.random() < share else c for c in text)

    return change


def _per_character(alter: Callable[[random.Random, str], str], share: float) -> Change:
    def change(rng: random.Random, text: str) -> str:
        return "".join(alter(rng, c) if rng.random() < share else c for c in text)

    return change


def _mojibake(rng: random.Random, text: str) -> str:
    for _ in range(rng.choice((1, 1, 2, 3))):
        text = text.encode("utf-8", "replace").decode(rng.choice(("latin-1", "cp1252", "cp437")), "replace")
    return text


def _half_utf8(rng: random.Random, text: str) -> str:
    data = (text + "é𝔘漢👩‍⚕️").encode("utf-8", "surrogatepass")
    cut = rng.randint(1, len(data))
    return data[rng.randint(0, min(3, cut - 1)) : cut].decode("utf-8", rng.choice(("replace", "surrogateescape")))


def _lone_surrogate(rng: random.Random, text: str) -> str:
    position = rng.randint(0, len(text))
    return text[:position] + chr(rng.randint(0xD800, 0xDFFF)) + text[position:]


def _combining(rng: random.Random, text: str) -> str:
    marks = [chr(code) for code in range(0x300, 0x36F)]
    many = rng.choice((1, 3, 40))
    return "".join(c + "".join(rng.choices(marks, k=many)) if rng.random() < 0.1 else c for c in text)


def _nested(rng: random.Random, text: str) -> str:
    names = ("section", "text", "paragraph", "content", "td", "b", "a:b")
    opened = [rng.choice(names) for _ in range(rng.choice((2, 20, 400)))]
    closed = reversed(opened) if rng.random() < 0.7 else opened
    return "".join(f'<{n} id="{i}">' for i, n in enumerate(opened)) + text + "".join(f"</{n}>" for n in closed)


def _html(rng: random.Random, text: str) -> str:
    lines = [f"<p style='x'>{html.escape(line)}</p>" for line in text.split("\n")]
    entity = rng.choice(("&nbsp;", "&#x20;", "&#0;", "&amp;nbsp;", "&#xD800;", "&unknown;"))
    return "<html><body>" + entity.join(lines) + rng.choice(("</body></html>", "", "<script>", "<!-- "))


def _rtf(rng: random.Random, text: str) -> str:
    escaped = "".join(c if c.isascii() else f"\\u{ord(c) % 65536}?" for c in text)
    depth = rng.choice((1, 5, 200))
    return "{\\rtf1\\ansi " + "{\\b " * depth + escaped.replace("\n", "\\par\n") + "}" * rng.randint(0, depth + 1)


def _table(rng: random.Random, text: str) -> str:
    separator = rng.choice(("|", "\t", " | ", ",", ";", "^", "~", "  "))
    words = text.split()
    width = rng.randint(1, 40)
    return "\n".join(separator.join(words[i : i + width]) for i in range(0, len(words), width))


def _json(rng: random.Random, text: str) -> str:
    depth = rng.choice((1, 3, 60))
    made: object = {"note": text, "id": rng.randint(0, 10**12), "at": "2024-02-30T25:61:00Z"}
    for _ in range(depth):
        made = {"resource": [made]}
    return json.dumps(made, ensure_ascii=rng.random() < 0.5)


def _escaped(rng: random.Random, text: str) -> str:
    names = {"\n": "\\n", " ": rng.choice(("%20", "+", "=20", "\\ ")), "/": "%2F", "@": "&#64;"}
    return "".join(names.get(c, c) for c in text)


def _long_token(rng: random.Random, text: str) -> str:
    alphabet = rng.choice((string.ascii_letters, string.digits, string.ascii_uppercase + "-", "Aa1", "ÄÖé", "-", "漢"))
    length = int(2 ** rng.uniform(6, 15))
    return f"{text[:100]} {''.join(rng.choices(alphabet, k=length))} {text[100:200]}"


def _digits(rng: random.Random, text: str) -> str:
    signs = rng.choice(
        ("0123456789", "0123456789 ", "0123456789-", "0123456789/", "0123456789.,:", "٠١٢٣٤٥٦٧٨٩", "０１２３")
    )
    return "".join(rng.choices(signs, k=len(text)))


def _random_unicode(rng: random.Random, text: str) -> str:
    codes = (rng.randint(1, rng.choice((0x7F, 0x2FF, 0xD7FF, 0x10FFFF))) for _ in range(min(len(text), 3_000)))
    return "".join(chr(code) for code in codes if not 0xD800 <= code <= 0xDFFF)


def _dates(rng: random.Random, text: str) -> str:
    def number() -> str:
        return str(rng.randint(0, 10 ** rng.randint(1, 5)))

    separator = rng.choice("/-. ,")
    strange = (separator.join(number() for _ in range(rng.randint(2, 5))) for _ in range(40))
    months = ("Feb 30, ", "the 31st of ", "0/0/", "week 54 ", "2024-W99-9 ", "12:60 ", "Sept. 00 ")
    return text[:200] + " ".join(rng.choice(months) + one for one in strange)


def _repeated(rng: random.Random, text: str) -> str:
    piece = text[: rng.randint(1, 60)] or "x"
    return piece * (int(2 ** rng.uniform(8, 14)) // len(piece) + 1)


def _long(rng: random.Random, text: str) -> str:
    wanted = int(2 ** rng.uniform(12, 17.6)) if rng.random() < 0.2 else 4_000
    return (text * (wanted // max(1, len(text)) + 1))[: min(wanted, _LONG)]


def _spelled(_rng: random.Random, text: str) -> str:
    return " ".join(text)


def _full_width(_rng: random.Random, text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def _normalised(rng: random.Random, text: str) -> str:
    return unicodedata.normalize(rng.choice(("NFD", "NFKD", "NFKC")), text + " José Łukaszewska ﬁ ½ ① ㎏")


def _lines(rng: random.Random, text: str) -> str:
    width = rng.randint(1, 12)
    broken = (text[i : i + width] for i in range(0, len(text), width))
    return "".join(piece + rng.choice(_LINE_ENDS) for piece in broken)


def _blob(rng: random.Random, text: str) -> str:
    data = base64.b64encode(rng.randbytes(rng.randint(10, 3_000))).decode()
    return f"{text[:300]}\n-----BEGIN ATTACHMENT-----\n{data}\n-----END\n{text[300:600]}"


def _template_syntax(rng: random.Random, text: str) -> str:
    marks = (
        "{{ note }}",
        "{%",
        "${HOME}",
        "%(name)s",
        "%s",
        "{0}",
        "[**Name**]",
        "***",
        "___",
        "@NAME@",
        "<<PHI>>",
        "\\1",
    )
    return " ".join(f"{word} {rng.choice(marks)}" if rng.random() < 0.2 else word for word in text.split(" "))


def _swapped(rng: random.Random, text: str) -> str:
    return rng.choice((str.upper, str.lower, str.swapcase, str.title))(text)


CHANGES: Mapping[str, Change] = {
    "base64 blob": _blob,
    "bidi": _sprinkled(_BIDI),
    "blanks": _per_character(lambda rng, c: rng.choice(_BLANKS) if c.isspace() else c, 0.7),
    "case": _swapped,
    "combining marks": _combining,
    "control characters": _sprinkled("".join(map(chr, [*range(1, 32), *range(127, 160)]))),
    "dates": _dates,
    "digits": _digits,
    "empty": lambda rng, _: rng.choice(("", " ", "\n", "\x00", "\ufeff", ".", "\u200b")),
    "escapes": _escaped,
    "full width": _full_width,
    "half UTF-8": _half_utf8,
    "HTML": _html,
    "JSON": _json,
    "line ends": _lines,
    "lone surrogate": _lone_surrogate,
    "long": _long,
    "long token": _long_token,
    "mojibake": _mojibake,
    "normal forms": _normalised,
    "NUL": _sprinkled("\x00"),
    "one line": lambda _, text: text.replace("\n", " "),
    "random Unicode": _random_unicode,
    "repeated": _repeated,
    "RTF": _rtf,
    "spelled": _spelled,
    "table": _table,
    "template syntax": _template_syntax,
    "XML": _nested,
    "zero width": _sprinkled(_ZERO_WIDTH),
}
"""Every change by name."""
