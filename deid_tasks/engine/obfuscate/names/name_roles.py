"""Which words of a written name are replaced, and which of those are surnames.

Titles, suffixes and particles stay; a word that looks like one of them and is a name is replaced.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from deid_tasks.core.entities import Entity
from deid_tasks.engine.obfuscate.people.marked_names import PARTICLE_LANGUAGE
from deid_tasks.engine.obfuscate.people.name_text import fold_name
from deid_tasks.engine.obfuscate.people.public_names import (
    formal_names,
    given_name_table,
    surname_bearers,
    surname_groups,
)
from deid_tasks.engine.obfuscate.word_lists import read_word_list

_FAMILY_TITLES = frozenset(
    [
        *("aunt", "auntie", "aunty", "uncle", "grandma", "grandpa", "granny", "nana", "cousin", "sister", "brother"),
        *(
            "big",
            "baby",
            "infant",
            "twin",
            "abuela",
            "abuelo",
            "tia",
            "tio",
            "oma",
            "opa",
            "nonna",
            "nonno",
            "titi",
            "tita",
        ),
    ]
)
"""Titles before a given name."""
_TITLES = _FAMILY_TITLES | frozenset(
    [
        *("dr", "drs", "mr", "mrs", "ms", "miss", "mister", "prof", "boy", "girl", "mdm", "madam", "mme", "mlle"),
        *(
            "sra",
            "srta",
            "herr",
            "frau",
            "rev",
            "pastor",
            "sgt",
            "ssg",
            "cpt",
            "sfc",
            "spc",
            "ltc",
            "nurse",
            "practitioner",
            "sw",
            "officer",
            "supt",
            "cst",
            "smt",
            "shri",
            "shree",
            "kum",
            "kumari",
            "thiru",
            "selvi",
            "tmt",
        ),
    ]
)
_NEWBORNS = frozenset(["girl", "boy", "baby", "twin", "infant"])
_HONORIFICS = frozenset(["ji", "amma", "garu", "akka", "saheb"])
"""Words of respect behind a name in India."""
_SUFFIXES = frozenset(read_word_list("names/name_suffixes.txt"))
_PARTICLES = frozenset(
    [
        "de",
        "la",
        "las",
        "los",
        "del",
        "van",
        "der",
        "den",
        "von",
        "zu",
        "al",
        "el",
        "bin",
        "ibn",
        "bint",
        "abu",
        "da",
        "di",
        "do",
        "dos",
        "das",
        "du",
        "le",
        "ter",
        "ten",
        "und",
        "vd",
        "ni",
        "nic",
        "ui",
        "mhic",
        "binte",
        "binti",
        "mac",
        "giolla",
        "te",
        "ap",
        "ferch",
    ]
)
"""They identify nobody beside the surrogate."""
_OF_DAUGHTERS = frozenset(["binte", "binti", "bte"])
_MARKED_PARTICLES = frozenset(["Ní", "NÍ", "Ó", "Uí", "UÍ"])
"""With their marks, they are no names."""
_ALSO_NAMES = frozenset(
    [
        "do",
        "pa",
        "al",
        "del",
        "van",
        "la",
        "le",
        "di",
        "da",
        "den",
        "du",
        "bin",
        "baby",
        "sister",
        "brother",
        "cousin",
        "ten",
        "rd",
        "ni",
        "mac",
        "te",
        "giolla",
    ]
)
"""Suffixes, titles and particles that are names of people, or words of names, too."""
_KIN = frozenset(read_word_list("names/kin_words.txt"))
_KIN_STARTS = frozenset(word[:2] for word in _KIN)
_GENERATIONS = frozenset(["Jr", "Sr", "II", "III", "IV"])
UNUSUAL_NAMES = _TITLES | _SUFFIXES | _PARTICLES
"""Words that are a name only in some positions."""
_GIVEN_IN_SHORT = frozenset(["ma", "md", "mohd", "muhd", "sk", "wm", "chas", "geo", "jas", "thos", "jos"])
"""Given names that everybody writes in short, with a full stop behind: Wm. Stroud. They identify nobody."""
_MAX_CREDENTIAL = 8
_MAX_CACHED = 512
_SURNAME_END = re.compile(r"[,^]")
"""What separates a surname from the given names behind it; the circumflex does in HL7."""
_QUOTES = frozenset('"“(')
_HYPHENS = frozenset("-‐‑")
_FREQUENT_PER_100K = 100.0
"""A given name with this many bearers is a given name even where it is a surname too."""

NameParts = tuple[tuple[int, int, str], ...]
"""``(start, end, word)`` of each part of a written name."""


def is_form_of_address(value: str) -> bool:
    """Whether a word by itself is what everybody calls a relative, or the suffix of a name: "Amma", "Jr"."""
    start = value[:2]
    if start.isascii() and start.isalpha() and start.lower() not in _KIN_STARTS:
        # So are most names.
        return value in _GENERATIONS
    return fold_name(value) in _KIN or value in _GENERATIONS


def is_affix(value: str, parts: NameParts, folded: Sequence[str], i: int, whole_names: frozenset[str]) -> bool:
    """Whether part ``i`` is a title, a suffix or a particle, and stays.

    Args:
        value: the written name.
        parts: its parts.
        folded: the folded words of the parts.
        i: the index of the part.
        whole_names: the record's terms, folded; a word among them is a name.
    """
    word = folded[i]
    is_in_short = word in _GIVEN_IN_SHORT and value[parts[i][1] : parts[i][1] + 2] == ". "
    is_before_name = i + 1 < len(parts) and (is_in_short or parts[i][2] in _MARKED_PARTICLES)
    if is_before_name or (i > 0 and len(word) > 3 and _is_credential(value, parts[i], word)):
        return True
    if len(word) == 1 and i > 0 and folded[i - 1] in _NEWBORNS and (i + 1 < len(parts) or "," in value):
        # "Baby Girl A Szymczak" and "Szymczak, Baby Girl A": the letter tells twins apart.
        return True
    if word not in UNUSUAL_NAMES or word in whole_names:
        return False
    if word == "sr" and i == 0 and len(parts) > 1:
        # A nurse or a nun.
        return True
    if word in _SUFFIXES and i > 0:
        # "Sharma ji", and not the Ji of Eun Ji Castellanos.
        return i == len(parts) - 1 if word in _HONORIFICS else _is_suffix(value, parts, word, i)
    if word in {"boy", "girl"} and i > 0 and folded[i - 1] == "baby":
        return True
    is_final = i == len(parts) - 1
    if word in _TITLES and not is_final:
        return _is_title(value, parts, word, i)
    if word in _OF_DAUGHTERS and is_final:
        # "ZUBAIDAH BINTE", whose father's name is left out.
        return i > 0
    is_in_quotes = parts[i][0] > 0 and value[parts[i][0] - 1] in _QUOTES
    if word in _PARTICLES and not (is_final or is_in_quotes) and value[parts[i][1] : parts[i][1] + 1] != ",":
        return not _is_given_particle(value, parts, word, i)
    return False


def _is_credential(value: str, part: tuple[int, int, str], word: str) -> bool:
    """Whether a word in capitals behind a comma is a credential that no list has: "H. Moss, FAFOEM".

    Behind one word alone, or a name in capitals, it is a given name that no list has: "PALACODE, DHARMAPURI Dt".
    """
    start, _, written = part
    if not written.isupper() or len(written) > _MAX_CREDENTIAL or not _is_after_comma(value, start):
        return False
    name = value[:start].rstrip(", ")
    if name.isupper() or " " not in name:
        return False
    return word not in given_name_table() and word not in surname_groups()


def _is_suffix(value: str, parts: NameParts, word: str, i: int) -> bool:
    if word not in _ALSO_NAMES or (i > 1 and parts[i][2].isupper()):
        return True
    # "Xiong, Pa Houa": what a name follows is no suffix.
    is_last = all(fold_name(other) in _SUFFIXES for _, _, other in parts[i + 1 :])
    return is_last and _is_after_comma(value, parts[i][0])


def _is_title(value: str, parts: NameParts, word: str, i: int) -> bool:
    start, end, _ = parts[i]
    return word not in _ALSO_NAMES or value[end : end + 1] == "." or len(parts) > 2 or not _is_after_comma(value, start)


def _is_given_particle(value: str, parts: NameParts, word: str, i: int) -> bool:
    """Whether a particle is a given name.

    It is one in "Al Smith" and "Van Nguyen", and is not in "van Dyke", "El-Amin" and "Van der Berg".
    """
    _, end, written = parts[i]
    return i == 0 and word in _ALSO_NAMES and len(parts) == 2 and written[0].isupper() and value[end:].startswith(" ")


def _is_after_comma(value: str, start: int) -> bool:
    return value[max(0, start - 4) : start].rstrip().endswith(",")


@lru_cache(maxsize=_MAX_CACHED)
def surname_positions(
    value: str,
    parts: NameParts,
    folded: tuple[str, ...],
    is_kept: tuple[bool, ...],
    entity: Entity,
    title: str,
) -> frozenset[int]:
    """Return the indices of the parts that are surnames.

    Words that a hyphen joins are one name: both halves of "Reed-Keen" are surnames, both halves of "Jean-Luc" given
    names.

    Args:
        value: the written name.
        parts: its parts.
        folded: their folded words.
        is_kept: of each part, whether it is a title, a suffix or a particle.
        entity: whose name it is.
        title: the title before the name in the note; empty without one.
    """
    named = [i for i in range(len(parts)) if not is_kept[i]]
    comma = _SURNAME_END.search(value) if "," in value or "^" in value else None
    if comma and 0 < comma.start() < parts[named[-1]][0]:
        # The surname stands in front, unless a mere suffix follows the comma.
        return frozenset(i for i in named if parts[i][0] < comma.start())
    if in_front := _surname_in_front(parts, folded, named):
        return frozenset(in_front)
    if is_with_last_initial(folded, named):
        return frozenset()
    if letters := _last_initials(folded, named):
        return frozenset(letters)
    # "Tuivasa Lemalu "Tui": what stands in quotes at the end is no surname.
    written = named
    if not _QUOTES.isdisjoint(value):
        written = [i for i in named if value[parts[i][0] - 1 : parts[i][0]] not in _QUOTES or parts[i][0] == 0]
    if len(written) == 1 < len(named):
        # "Mateo (Teo)": a short name stands behind a given name.
        return frozenset(written if title else ())
    last = max((i for i in written or named if len(folded[i]) > 1), default=named[-1])
    lasts = {last}
    while last > 0 and last - 1 in named and value[parts[last - 1][1] : parts[last][0]] in _HYPHENS:
        last -= 1
        lasts.add(last)
    if len(lasts) < len(named):
        return frozenset(lasts)
    before = [folded[i] for i in range(last) if is_kept[i]]
    if any(word in _FAMILY_TITLES for word in before) and "girl" not in before and "boy" not in before:
        return frozenset()
    of_all = all if len(named) > 1 and entity is not Entity.PROVIDER else any
    is_joined = len(named) > 1 and any(
        folded[i] in surname_groups() and folded[i] not in given_name_table() for i in named
    )
    is_surname = bool(title or before) or is_joined or of_all(is_lone_surname(folded[i], entity) for i in named)
    return frozenset(lasts if is_surname else ())


def _surname_in_front(parts: NameParts, folded: Sequence[str], named: Sequence[int]) -> set[int]:
    """Return the indices of a surname in front, of which "Thị" of a Vietnamese woman tells, or capitals that it alone
    has: "DE LA CRUZ Milagros"; empty for other names."""
    if len(named) > 2 and "thi" in folded[1:-1]:
        return {named[0]}
    capitals = {i for i in named if parts[i][2].isupper()}
    others = [i for i in named if i not in capitals]
    if not capitals or not others or max(capitals) > others[0] or any(len(folded[i]) < 3 for i in named):
        return set()
    is_surname = all(folded[i] in surname_groups() or folded[i] not in given_name_table() for i in capitals)
    return capitals if is_surname else set()


def _last_initials(folded: Sequence[str], named: Sequence[int]) -> set[int]:
    """Return the indices of two initials of a surname behind given names: "Ana-Lucia T-R"; empty for other names."""
    if len(named) < 3 or len(folded[named[-1]]) > 1 or len(folded[named[-2]]) > 1:
        return set()
    known = given_name_table().get(folded[named[0]])
    return set(named[-2:]) if known and known.bearers > surname_bearers().get(folded[named[0]], 0.0) else set()


def is_with_last_initial(folded: Sequence[str], named: Sequence[int]) -> bool:
    """Whether a name is a given name and the initial of a surname: "Renee T"."""
    if len(named) != 2 or len(folded[named[1]]) > 1:
        return False
    known = given_name_table().get(folded[named[0]])
    if known is None or not known.bearers:
        # "Jaylen O": a name that the Census has neither as a given name nor as a surname.
        return folded[named[0]] not in surname_bearers()
    return known.bearers > surname_bearers().get(folded[named[0]], 0.0)


def particle_language(folded: Sequence[str], is_kept: Sequence[bool], i: int) -> str:
    """Return the language of the particles before part ``i``; empty where there are none."""
    first = i
    while first > 0 and is_kept[first - 1] and (folded[first - 1] in _PARTICLES or folded[first - 1] == "o"):
        first -= 1
    return PARTICLE_LANGUAGE.get(" ".join(folded[first:i]), "") if first < i else ""


def is_lone_surname(folded: str, entity: Entity) -> bool:
    """Whether a name that stands alone is a surname.

    Clinicians are often called by their surnames, relatives by their given names.
    """
    known = given_name_table().get(folded)
    if known and known.bearers > 0:
        limit = min(known.bearers / 2, _FREQUENT_PER_100K)
        return entity is Entity.PROVIDER and surname_bearers().get(folded, 0.0) > limit
    if entity is not Entity.PROVIDER and (known or folded in formal_names()):
        # A short name (Gill), or a given name that became usual after the census: Mateo, Liam.
        return False
    return entity is Entity.PROVIDER or folded in surname_groups()
