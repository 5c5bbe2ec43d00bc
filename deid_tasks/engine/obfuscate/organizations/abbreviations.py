"""Letters that stand for an organization, and what they become: those of its surrogate, word by word."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.organizations.organization_words import SMALL_WORDS, is_kind

_WORDS = re.compile(r"[^\W\d_]+(?:['’]\w+)?")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CONTRACTED = {
    "peds": "pediatric",
    "paeds": "paediatric",
    "txp": "transplant",
    "ctr": "center",
    "hosp": "hospital",
    "med": "medic",
    "fam": "family",
    "univ": "university",
    "ortho": "orthop",
    "surg": "surg",
    "rehab": "rehabilitat",
    "assoc": "associat",
    "phys": "physician",
    "derm": "dermatolog",
    "hlth": "health",
    "ft": "fort",
    "mt": "mount",
    "st": "saint",
}
"""What words are written as in domains where their first letters would not do."""
_ABBREVIATED = frozenset(["va", "mc", "hc", "gh", "ed", "er", "nhs"])
"""Words of kind that are abbreviations themselves, and stand whole in that of the name: PNVAMC of Puget Narrows VA
Medical Center."""
_MIN_STEM = 3
_MAX_CACHED = 512
_LEADING = frozenset(("greater", "new", "north", "south", "east", "west", "upper", "lower"))
"""Words in front of names that domains leave out."""

Alignment = Sequence[tuple[str, str]]
"""The words of a name, folded, each with the word of the surrogate; empty where the surrogate has none."""


@lru_cache(maxsize=_MAX_CACHED)
def organization_words_of(name: str) -> tuple[str, ...]:
    """Return the folded words of a name; "MediRide" and "Vo-Tech" are two each, and "the" before a name is none."""
    words = tuple(map(fold, _WORDS.findall(_CAMEL.sub(" ", name))))
    return words[1:] if len(words) > 1 and words[0] == "the" else words


def align(name: str, surrogate: str) -> list[tuple[str, str]]:
    """Return the words of ``name``, each with the word of ``surrogate`` that replaced it."""
    old, new = organization_words_of(name), organization_words_of(surrogate)
    if len(old) == len(new):
        return list(zip(old, new, strict=True))
    pairs: list[tuple[str, str]] = []
    for _, first, last, start, stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        made = [*new[start:stop], *[""] * (last - first)]
        pairs += zip(old[first:last], made, strict=False)
    return pairs


def letters_like(letters: str, aligned: Alignment, *, is_loose: bool = False) -> str | None:
    """Return the letters of the surrogate that ``letters`` are of the name; ``None`` where they are not.

    They are the first letters of all its words, of all but the small ones, or of its first words: ``HHR`` of
    Harborlight Heart Rhythm Center.

    Args:
        letters: the original, folded; signs alone fold to nothing.
        aligned: the words of the name.
        is_loose: whether words may be left out between the first one and the last one.
    """
    if not letters:
        return None
    plain = [pair for pair in aligned if pair[0] not in SMALL_WORDS]
    for pairs in (plain, aligned):
        if len(letters) > 1 and letters == "".join(old[0] for old, _ in pairs)[: len(letters)]:
            return _first_letters(pairs[: len(letters)])
    if len(letters) > _MIN_STEM and letters.endswith("t") and letters[:-1] == "".join(old[0] for old, _ in plain):
        # "RCHT" of the Royal Cornwall Hospital: an NHS trust.
        made = _first_letters(plain)
        return None if made is None else made + "t"
    if len(letters) >= _MIN_STEM and letters[-1] == "h" and letters[:-1] == "".join(old[0] for old, _ in plain):
        # "NMH" of Narragansett Mercy: a hospital.
        made = _first_letters(plain)
        return None if made is None else made + "h"
    whole = [pair for pair in plain if pair[0] in _ABBREVIATED]
    if whole and letters == "".join(old if old in _ABBREVIATED else old[0] for old, _ in plain):
        return "".join(old if old in _ABBREVIATED else (new or old)[0] for old, new in plain)
    if not is_loose or not plain or plain[0][0][0] != letters[0]:
        return None
    chosen = [plain[0]]
    rest = iter(plain[1:])
    for letter in letters[1:]:
        pair = next((pair for pair in rest if pair[0][0] == letter), None)
        if pair is None:
            return None
        chosen.append(pair)
    return _first_letters(chosen) if len(chosen) > 1 else None


def _first_letters(pairs: Alignment) -> str | None:
    letters = "".join(new[:1] or old[0] for old, new in pairs)
    return letters if letters.isalpha() and any(new for _, new in pairs) else None


def label_like(label: str, aligned: Alignment) -> str | None:
    """Return the label of a domain that is made of the surrogate as ``label`` is of the name; ``None`` for others.

    Each word is written in full, with its first letters, or with its first letter, and words at the end may be left
    out: ``pierstreetim`` of Pier Street Internal Medicine.
    """
    plain = [pair for pair in aligned if pair[0] not in SMALL_WORDS]
    for pairs in (plain, aligned):
        if (made := _label(label, pairs, 0)) is not None:
            return made
    return None


def _label(label: str, pairs: Alignment, index: int) -> str | None:
    if not label:
        return ""
    if index == len(pairs):
        return None
    old, new = pairs[index]
    for written in _written(re.sub(r"['’]", "", old), label):
        rest = _label(label[len(written) :], pairs, index + 1)
        if rest is not None:
            return _written_like(written, old, new) + rest
    # A word in the middle or at the end may be left out, the first one only where it says what the organization is.
    return _label(label, pairs, index + 1) if index or is_kind(old) or old in _LEADING else None


def _written(word: str, label: str) -> list[str]:
    """Return the ways in which a word may stand at the start of a label, the longest first."""
    found = [word[:length] for length in range(len(word), 0, -1) if label.startswith(word[:length])]
    found = [one for one in found if len(one) in {1, len(word)} or len(one) >= _MIN_STEM]
    return [
        *(short for short, long in _CONTRACTED.items() if word.startswith(long) and label.startswith(short)),
        *found,
    ]


def _written_like(written: str, old: str, new: str) -> str:
    if new == old or not new:
        return written if new == old else ""
    if written == re.sub(r"['’]", "", old) or written in _CONTRACTED:
        return re.sub(r"\W", "", new)
    return new[: len(written)]
