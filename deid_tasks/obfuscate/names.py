"""Names: each part gets a surrogate part, so that every way of writing a person's name stays one person.

A part's surrogate depends on the key, on whose name it is and on the part itself: a name in the patient's record, and any other
name in the patient's notes but a clinician's, belongs to that patient; a clinician's name belongs to the institution. A nickname
counts as the formal name, and so does a name with one letter mistyped where the record knows the right one.
"""

from collections.abc import Iterator, Sequence
from functools import cache

from rapidfuzz.distance import OSA

from deid_tasks.entities import Entity
from deid_tasks.obfuscate.cases import match_case
from deid_tasks.obfuscate.scope import NAME_PART, Scope
from deid_tasks.patient import TermKind
from deid_tasks.reference import fold, read_tsv

_KEPT = frozenset(
    [
        "jr",
        "sr",
        "ii",
        "iii",
        "iv",
        "md",
        "do",
        "rn",
        "np",
        "pa",
        "phd",
        "dr",
        "mr",
        "mrs",
        "ms",
        "miss",
        "prof",
        "de",
        "la",
        "del",
        "van",
        "der",
        "den",
        "von",
        "al",
        "el",
        "bin",
        "ibn",
        "da",
        "di",
        "dos",
    ]
)
"""Suffixes, titles and particles; a particle says no more than the surrogate beside it."""
_GROUPS = ("white", "black", "api", "native", "multiple", "hispanic")
_POOL_LEAST = 60
_COMMON_PER_100K = 100.0
"""A given name this common is one even where it is a surname too."""


def replace_name(value: str, entity: Entity, scope: Scope) -> str:
    """``value`` with every part replaced; order, punctuation, case and initials stay as they are."""
    parts = list(NAME_PART.finditer(value))
    comma = value.find(",")
    words = [part.group() for part in parts]
    made: list[str] = []
    position = 0
    for i, part in enumerate(parts):
        word = part.group()
        made.append(value[position : part.start()])
        is_last = (part.start() < comma) if comma > 0 else (i == _last_index(words) and len(parts) > 1)
        if len(parts) == 1:
            is_last = _is_surname_alone(word, entity)
        made.append(_replace_part(word, words, entity, scope, is_last=is_last))
        position = part.end()
    return "".join(made) + value[position:] if parts else scope.keyed.like(value, "name", scope.patient_id)


def replace_initials(value: str, scope: Scope) -> str:
    """The initials of the surrogate where they are the patient's own; else other letters in the same shape."""
    letters = [char for char in value if char.isalpha()]
    for first, last in zip(scope.of_record(TermKind.FIRST), scope.of_record(TermKind.LAST), strict=False):
        if len(letters) >= 2 and fold(letters[0]) == fold(first)[:1] and fold(letters[-1]) == fold(last)[:1]:
            names = (replace_word(first, scope, is_last=False), replace_word(last, scope, is_last=True))
            new = [names[0][0], *(scope.keyed.like(c, "initial") for c in letters[1:-1]), names[1][0]]
            stream = iter(new)
            return "".join(match_case(next(stream), char + char) if char.isalpha() else char for char in value)
    return scope.keyed.like(value, "initials")


def replace_word(word: str, scope: Scope, *, is_last: bool | None) -> str:
    """The surrogate of one part of a name in the patient's own circle."""
    return _replace_part(word, [word], Entity.PATIENT, scope, is_last=is_last)


def _replace_part(word: str, words: Sequence[str], entity: Entity, scope: Scope, *, is_last: bool | None) -> str:
    folded = fold(word)
    if folded in _KEPT:
        return word
    if len(word) == 1:
        return match_case(_initial(word, words, entity, scope), word + word)
    own = _own_spelling(folded, scope)
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
                if fold(name)[:1] == fold(letter):
                    return replace_word(
                        NAME_PART.findall(name)[0] if NAME_PART.findall(name) else name, scope, is_last=is_last
                    )[0]
    return scope.keyed.like(letter.upper(), "initial", *(fold(word) for word in words if len(word) > 1))


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
    folded = fold(word)
    if folded in given_names():
        return folded in surname_groups() and entity is Entity.PROVIDER and given_names()[folded][1] < _COMMON_PER_100K
    return entity is not Entity.RELATIVE or folded in surname_groups()


def _last_index(words: Sequence[str]) -> int:
    """Which of several parts is the surname: the last that is no suffix and no initial."""
    return max((i for i, word in enumerate(words) if fold(word) not in _KEPT and len(word) > 1), default=len(words) - 1)


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
        folded = fold(name)
        if folded != parts[2] and folded not in scope.own_names:
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
        table.setdefault(fold(row["nickname"]), []).append(fold(row["name"]))
    return {nickname: tuple(names) for nickname, names in table.items()}


@cache
def given_names() -> dict[str, tuple[str, float]]:
    """Given name, folded → (usual sex, bearers in 100,000)."""
    return {
        fold(row["given_name"]): (row["sex"], float(row["women_per_100k"]) + float(row["men_per_100k"]))
        for row in read_tsv("given_names.tsv")
    }


@cache
def surname_groups() -> dict[str, str]:
    """Surname, folded → the Census group that most of its bearers belong to."""
    return {
        fold(row["surname"]): max(_GROUPS, key=lambda group: float(row[group] or 0)) for row in read_tsv("surnames.tsv")
    }


@cache
def surname_pool(group: str) -> tuple[str, ...]:
    """Surnames of one Census group, the commonest 1,500 where there are so many."""
    rows = [row for row in read_tsv("surnames.tsv") if float(row[group] or 0) >= 0.4]
    if len(rows) < _POOL_LEAST:
        rows = sorted(read_tsv("surnames.tsv"), key=lambda row: -float(row[group] or 0))
    return tuple(row["surname"] for row in rows[:1_500])


@cache
def given_pool(sex: str, group: str) -> tuple[str, ...]:
    """Given names of one sex and Census group, the commonest 400 where there are so many."""
    rows = [row for row in read_tsv("given_names.tsv") if sex == "U" or row["sex"] == sex]
    rows.sort(key=lambda row: -(float(row["women_per_100k"]) + float(row["men_per_100k"])))
    of_group = [row for row in rows if float(row[group] or 0) >= 0.4]
    return tuple(row["given_name"] for row in (of_group if len(of_group) >= _POOL_LEAST else rows)[:400])
