"""Names: each part gets a surrogate part, so that every way of writing a person's name stays one person.

A part's surrogate depends on the key, on whose name it is and on the part itself: a name in the patient's record, and any other
name in the patient's notes but a clinician's, belongs to that patient; a clinician's name belongs to the institution. A nickname
counts as the formal name, and so does a name with one letter mistyped where the record knows the right one.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from rapidfuzz.distance import OSA

from deid_tasks.entities import Entity
from deid_tasks.obfuscate.cases import match_case
from deid_tasks.obfuscate.scope import NAME_PART, Scope, fold_name
from deid_tasks.patient import TermKind
from deid_tasks.reference import read_tsv

_TITLES = frozenset(
    [
        "aunt",
        "auntie",
        "uncle",
        "grandma",
        "grandpa",
        "dr",
        "drs",
        "mr",
        "mrs",
        "ms",
        "miss",
        "mister",
        "prof",
        "sister",
        "st",
        "ste",
        "baby",
        "boy",
        "girl",
        "infant",
        "twin",
    ]
)
"""Before a name; a saint is part of the name, and says nothing without what follows."""
_SUFFIXES = frozenset(
    [
        "jr",
        "sr",
        "ii",
        "iii",
        "iv",
        "esq",
        "md",
        "do",
        "rn",
        "np",
        "pa",
        "phd",
        "dnp",
        "aprn",
        "arnp",
        "crnp",
        "cnp",
        "fnp",
        "lpn",
        "lvn",
        "cna",
        "crna",
        "cnm",
        "dpm",
        "dds",
        "dmd",
        "od",
        "pharmd",
        "rph",
        "psyd",
        "lcsw",
        "licsw",
        "msw",
        "mph",
        "bsn",
        "msn",
        "facp",
        "facs",
        "faap",
        "facc",
        "facep",
        "faan",
        "ccc",
        "slp",
        "ccrn",
        "cde",
        "dpt",
        "otr",
    ]
)
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
        "da",
        "di",
        "do",
        "dos",
        "du",
        "le",
        "st",
    ]
)
"""They say no more than the surrogate beside them."""
_ALSO_NAMES = frozenset(
    ["do", "pa", "al", "del", "van", "la", "le", "di", "da", "den", "du", "bin", "st", "ste", "baby", "sister"]
)
"""Suffixes, titles and particles that are also names of people."""
_GROUPS = ("white", "black", "api", "native", "multiple", "hispanic")
_POOL_LEAST = 60
_LEAST_GLUED = 6
_HYPHENS = frozenset("-‐‑")
_SEVERAL = re.compile(r"(\s*[/;&]\s*|\s+and\s+)", re.IGNORECASE)
"""Between the names of several people."""
_COMMON_PER_100K = 100.0
"""A given name this common is one even where it is a surname too."""


def replace_name(value: str, entity: Entity, scope: Scope) -> str:
    """``value`` with every part replaced; order, punctuation, case, titles, suffixes and initials stay as they are."""
    if _SEVERAL.search(value):
        return "".join(
            piece if i % 2 else replace_name(piece, entity, scope) if piece.strip() else piece
            for i, piece in enumerate(_SEVERAL.split(value))
        )
    parts = _parts(value)
    if not parts:
        return scope.keyed.like(value, "name", scope.patient_id)
    if len(parts) == 1 and _are_own_initials(parts[0][2], scope):
        return replace_initials(value, scope)
    comma = value.find(",")
    words = [word for _, _, word in parts]
    kept = [_is_kept(value, parts, i, scope) for i in range(len(parts))]
    named = [i for i in range(len(parts)) if not kept[i]]
    if not named:
        kept, named = [False] * len(parts), list(range(len(parts)))
    last = _last_of(words, named)
    # What a hyphen joins is one name: both halves of "Reed-Keen" are surnames, both of "Jean-Luc" given names.
    lasts = {last}
    while last > 0 and last - 1 in named and value[parts[last - 1][1] : parts[last][0]] in _HYPHENS:
        last -= 1
        lasts.add(last)
    is_surname = len(lasts) == len(named) and any(_is_surname_alone(words[i], entity) for i in named)
    inverted = 0 < comma < parts[named[-1]][0]
    """Whether the surname stands in front; behind a comma may stand no more than a suffix."""
    made: list[str] = []
    position = 0
    for i, (start, end, word) in enumerate(parts):
        made.append(value[position:start])
        position = end
        if kept[i]:
            made.append(word)
            continue
        is_last = start < comma if inverted else i in lasts
        if len(lasts) == len(named):
            is_last = is_surname or any(kept[:i])
        made.append(_replace_part(word, words, entity, scope, is_last=is_last))
    return "".join(made) + value[position:]


def _parts(value: str) -> list[tuple[int, int, str]]:
    """``(start, end, word)`` of each part; the ending of a possessive belongs to none."""
    found = []
    for match in NAME_PART.finditer(value):
        word = match.group()
        if len(word) > 3 and word[-2] in "'’" and word[-1] in "sS":
            word = word[:-2]
        found.append((match.start(), match.start() + len(word), word))
    return found


def _is_kept(value: str, parts: Sequence[tuple[int, int, str]], i: int, scope: Scope) -> bool:
    """Whether part ``i`` is a title, a suffix or a particle, and stays; one that is a name too stays only where it is none."""
    start, end, word = parts[i]
    folded = fold_name(word)
    if folded in scope.whole_names:
        return False
    is_first, is_final = i == 0, i == len(parts) - 1
    after_comma = value[max(0, start - 4) : start].rstrip().endswith(",")
    if folded in _SUFFIXES and not is_first:
        return folded not in _ALSO_NAMES or after_comma or (i > 1 and word.isupper())
    if folded in {"boy", "girl"} and i > 0 and fold_name(parts[i - 1][2]) == "baby":
        return True
    if folded in _TITLES and not is_final:
        return folded not in _ALSO_NAMES or value[end : end + 1] == "." or len(parts) > 2 or not after_comma
    if folded in _PARTICLES and not is_final and value[end : end + 1] != ",":
        # "Al Smith" and "Van Nguyen" begin with a given name, "van Dyke", "El-Amin" and "Van der Berg" with a particle.
        is_given = is_first and folded in _ALSO_NAMES and len(parts) == 2 and word[0].isupper()
        return not (is_given and value[end:].startswith(" "))
    return False


def _are_own_initials(word: str, scope: Scope) -> bool:
    """Whether a word in capitals is short for the patient's name."""
    if not (2 <= len(word) <= 3 and word.isupper()) or fold_name(word) in scope.own_names:
        return False
    firsts, lasts = scope.of_record(TermKind.FIRST), scope.of_record(TermKind.LAST)
    return any(
        fold_name(first)[:1] == fold_name(word[0]) and fold_name(last)[:1] == fold_name(word[-1])
        for first, last in zip(firsts, lasts, strict=False)
    )


def replace_initials(value: str, scope: Scope) -> str:
    """The initials of the surrogate where they are the patient's own; else other letters in the same shape."""
    letters = [char for char in value if char.isalpha()]
    for first, last in zip(scope.of_record(TermKind.FIRST), scope.of_record(TermKind.LAST), strict=False):
        if (
            len(letters) >= 2
            and fold_name(letters[0]) == fold_name(first)[:1]
            and fold_name(letters[-1]) == fold_name(last)[:1]
        ):
            names = (replace_word(first, scope, is_last=False), replace_word(last, scope, is_last=True))
            new = [names[0][0], *(_initial(c, letters, Entity.PATIENT, scope) for c in letters[1:-1]), names[1][0]]
            stream = iter(new)
            return "".join(match_case(next(stream), char + char) if char.isalpha() else char for char in value)
    return scope.keyed.like(value, "initials")


def replace_word(word: str, scope: Scope, *, is_last: bool | None) -> str:
    """The surrogate of one part of a name in the patient's own circle."""
    return _replace_part(word, [word], Entity.PATIENT, scope, is_last=is_last)


def _replace_part(word: str, words: Sequence[str], entity: Entity, scope: Scope, *, is_last: bool | None) -> str:
    folded = fold_name(word)
    if len(word) == 1:
        return match_case(_initial(word, words, entity, scope), word + word)
    if glued := _glued(word, folded, scope):
        return glued
    own = folded if entity is Entity.PROVIDER else _own_spelling(folded, scope)
    if own in scope.lasts or own in scope.firsts:
        is_last = own in scope.lasts if own not in scope.firsts or own not in scope.lasts else bool(is_last)
        belongs = scope.patient_id
    else:
        belongs = "" if entity is Entity.PROVIDER else scope.patient_id
    formal = own if is_last else _formal(own, scope.firsts)
    made = _surname(formal, belongs, scope) if is_last else _given_name(formal, belongs, scope)
    return match_case(made, word)


def _initial(letter: str, words: Sequence[str], entity: Entity, scope: Scope) -> str:
    """The first letter of the surrogate of the name that it abbreviates, where that is known."""
    if entity is not Entity.PROVIDER:
        for kind, is_last in ((TermKind.FIRST, False), (TermKind.MIDDLE, False), (TermKind.LAST, True)):
            for name in scope.of_record(kind):
                part = (NAME_PART.findall(name) or [name])[0]
                if fold_name(part)[:1] == fold_name(letter):
                    # The record itself may know no more than an initial.
                    known = replace_word(part, scope, is_last=is_last) if len(part) > 1 else ""
                    return known[:1] or scope.keyed.like(letter.upper(), "initial", scope.patient_id, str(kind))
    others = sorted(fold_name(word) for word in words if len(word) > 1)
    return scope.keyed.like(letter.upper(), "initial", *others)


def _own_spelling(folded: str, scope: Scope) -> str:
    """The record's spelling of a name with one typing error; ``folded`` itself where there is none."""
    if folded in scope.own_names or len(folded) < 5:
        return folded
    near = sorted(
        name for name in scope.own_names if len(name) >= 5 and OSA.distance(folded, name, score_cutoff=1) <= 1
    )
    return near[0] if near else folded


def _formal(folded: str, firsts: frozenset[str]) -> str:
    """The formal name of a nickname: the record's own where it fits, else the first that the table knows."""
    formals = nicknames().get(folded, ())
    if folded in firsts and not any(name in firsts for name in formals):
        return folded
    return next((name for name in formals if name in firsts), formals[0] if formals else folded)


def _is_surname_alone(word: str, entity: Entity) -> bool:
    folded = fold_name(word)
    if folded in given_names():
        return folded in surname_groups() and entity is Entity.PROVIDER and given_names()[folded][1] < _COMMON_PER_100K
    return entity is not Entity.RELATIVE or folded in surname_groups()


def _last_of(words: Sequence[str], named: Sequence[int]) -> int:
    """Which part is the surname: the last of those ``named`` that is no initial."""
    return max((i for i in named if len(words[i]) > 1), default=named[-1])


def _glued(word: str, folded: str, scope: Scope) -> str | None:
    """The surrogate of two of the record's names written as one word ("OKAFORMARIA"); ``None`` where it is none."""
    if len(folded) < _LEAST_GLUED or folded in scope.own_names:
        return None
    for first in sorted(name for name in scope.own_names if len(name) > 2 and folded.startswith(name)):
        rest = folded.removeprefix(first)
        if len(rest) > 2 and rest in scope.own_names:
            return match_case("".join(replace_word(part, scope, is_last=None) for part in (first, rest)), word)
    return None


def _surname(folded: str, belongs: str, scope: Scope) -> str:
    group = surname_groups().get(folded) or (scope.record.ethnicity_hint if scope.record and belongs else "white")
    return _pick(surname_pool(group if group in _GROUPS else "white"), ("surname", belongs, folded), scope)


def _given_name(folded: str, belongs: str, scope: Scope) -> str:
    sex = given_names().get(folded, ("U", 0.0))[0]
    group = "white"
    if scope.record and belongs:
        if folded in scope.own_firsts and scope.record.sex in {"F", "M"}:
            sex = scope.record.sex
        if scope.record.ethnicity_hint in _GROUPS:
            group = scope.record.ethnicity_hint
    return _pick(given_pool(sex, group), ("given", belongs, folded), scope)


def _pick(pool: Sequence[str], parts: tuple[str, str, str], scope: Scope) -> str:
    for name in _candidates(pool, parts, scope):
        folded = fold_name(name)
        # Neither the name itself nor a nickname that may be how it was written.
        if folded != parts[2] and folded not in scope.own_names and parts[2] not in nicknames().get(folded, ()):
            return name
    raise AssertionError("unreachable")


def _candidates(pool: Sequence[str], parts: tuple[str, ...], scope: Scope) -> Iterator[str]:
    attempt = 0
    while True:
        yield scope.keyed.choice(pool, *parts, str(attempt))
        attempt += 1


@cache
def nicknames() -> dict[str, tuple[str, ...]]:
    """Nickname → formal names, folded."""
    table: dict[str, list[str]] = {}
    for row in read_tsv("nicknames.tsv"):
        table.setdefault(fold_name(row["nickname"]), []).append(fold_name(row["name"]))
    return {nickname: tuple(names) for nickname, names in table.items()}


@cache
def given_names() -> dict[str, tuple[str, float]]:
    """Given name, folded → (usual sex, bearers in 100,000)."""
    return {
        fold_name(row["given_name"]): (row["sex"], float(row["women_per_100k"]) + float(row["men_per_100k"]))
        for row in read_tsv("given_names.tsv")
    }


@cache
def surname_groups() -> dict[str, str]:
    """Surname, folded → the Census group that most of its bearers belong to."""
    return {
        fold_name(row["surname"]): max(_GROUPS, key=lambda group: float(row[group] or 0))
        for row in read_tsv("surnames.tsv")
    }


@cache
def surname_pool(group: str) -> tuple[str, ...]:
    """Surnames of one Census group, the commonest 1,500 where there are so many."""
    single = [row for row in read_tsv("surnames.tsv") if row["surname"].isalpha() and len(row["surname"]) > 2]
    rows = [row for row in single if float(row[group] or 0) >= 0.4]
    if len(rows) < _POOL_LEAST:
        rows = sorted(single, key=lambda row: -float(row[group] or 0))
    return tuple(row["surname"] for row in rows[:1_500])


@cache
def given_pool(sex: str, group: str) -> tuple[str, ...]:
    """Given names of one sex and Census group, the commonest 400 where there are so many."""
    rows = [row for row in read_tsv("given_names.tsv") if row["given_name"].isalpha() and sex in {"U", row["sex"]}]
    rows.sort(key=lambda row: -(float(row["women_per_100k"]) + float(row["men_per_100k"])))
    of_group = [row for row in rows if float(row[group] or 0) >= 0.4]
    return tuple(row["given_name"] for row in (of_group if len(of_group) >= _POOL_LEAST else rows)[:400])
