"""Names as they are written: which word is the surname, which a title, and what stays between them."""

import re
from collections.abc import Callable, Sequence

from deid_tasks.core.entities import Entity
from deid_tasks.core.patient import TermKind
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.names.initials import replace_initials
from deid_tasks.engine.obfuscate.note_context import NameCue, NoteContext
from deid_tasks.engine.obfuscate.people.marked_names import PARTICLE_LANGUAGE
from deid_tasks.engine.obfuscate.people.name_pools import given_names, surname_bearers, surname_groups
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.people.name_text import fold_name, name_parts, without_marks

_FAMILY = frozenset(
    ["aunt", "auntie", "uncle", "grandma", "grandpa", "nana", "cousin", "sister", "brother", "baby", "infant", "twin"]
)
"""Before a given name."""
_TITLES = _FAMILY | frozenset(["dr", "drs", "mr", "mrs", "ms", "miss", "mister", "prof", "boy", "girl"])
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
        "mbbs",
        "cma",
        "rd",
        "ldn",
        "rrt",
        "pac",
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
    ]
)
"""They say no more than the surrogate beside them."""
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
    ]
)
"""Suffixes, titles and particles that are also names of people, or words of names."""
_NO_PLAIN_NAMES = _TITLES | _SUFFIXES | _PARTICLES
_MOST_INITIALS = 3
_LEAST_GLUED = 6
_HYPHENS = frozenset("-‐‑")
_SEVERAL = re.compile(r"(\s*[/;&]\s*|\s+and\s+)", re.IGNORECASE)
"""Between the names of several people."""
_COMMON_PER_100K = 100.0
"""A given name this common is one even where it is a surname too."""
NO_CUE: Callable[[str], NameCue] = lambda _: NameCue()  # noqa: E731 - a constant, not a function of this module


def replace_name(value: str, entity: Entity, context: NoteContext, cue: Callable[[str], NameCue] = NO_CUE) -> str:
    """``value`` with every part replaced; order, punctuation, case, titles, suffixes and initials stay as they are.

    ``cue`` says of a given name what the note says around it; it is asked only where the record and the name say nothing.
    """
    if value.isalpha() and len(value) > _MOST_INITIALS and (folded := fold_name(value)) not in _NO_PLAIN_NAMES:
        # One word, as most names in notes are.
        title = cue("").title
        scope = _name_scope(entity, (folded,), title, context)
        return _replace_part(value, folded, scope, cue, is_last=bool(title) or _is_surname_alone(folded, entity))
    if _SEVERAL.search(value):
        pieces = _SEVERAL.split(value)
        return "".join(
            piece if i % 2 else replace_name(piece, entity, context, cue) if piece.strip() else piece
            for i, piece in enumerate(pieces)
        )
    parts = name_parts(value)
    if not parts:
        return context.keyed.like(value, "name", context.patient_id)
    if len(parts) == 1 and _are_own_initials(parts[0][2], context.patient):
        return replace_initials(value, context)
    words = [word for _, _, word in parts]
    folds = [fold_name(word) for word in words]
    kept = [_is_kept(value, parts, folds, i, context) for i in range(len(parts))]
    named = [i for i in range(len(parts)) if not kept[i]]
    if not named:
        kept, named = [False] * len(parts), list(range(len(parts)))
    title = cue("").title
    scope = _name_scope(entity, [folds[i] for i in named], title, context)
    lasts = _lasts(value, parts, folds, named, kept, entity, title)
    made: list[str] = []
    position = 0
    for i, (start, end, word) in enumerate(parts):
        made.append(value[position:start])
        position = end
        if kept[i]:
            made.append(word)
        else:
            language = _language(folds, kept, i) if i in lasts else ""
            made.append(_replace_part(word, folds[i], scope, cue, is_last=i in lasts, language=language))
    return "".join(made) + value[position:]


def _name_scope(entity: Entity, named: Sequence[str], title: str, context: NoteContext) -> NameScope:
    """Whose name it is. A clinician with the patient's surname is staff; one who has nothing but the patient's names is the patient."""
    own = context.patient.own_names
    if entity is not Entity.PROVIDER:
        return context.patient
    whole = [name for name in named if len(name) > 1]
    is_own = bool(whole) and all(name in own for name in whole) and not (title == "dr" and len(whole) == 1)
    return context.patient if is_own else context.staff


def _lasts(
    value: str,
    parts: Sequence[tuple[int, int, str]],
    folded: Sequence[str],
    named: list[int],
    kept: Sequence[bool],
    entity: Entity,
    title: str,
) -> set[int]:
    """Which parts are surnames. What a hyphen joins is one name: both halves of "Reed-Keen" are surnames, of "Jean-Luc" given names."""
    comma = value.find(",")
    if 0 < comma < parts[named[-1]][0]:
        # The surname stands in front; behind a comma may stand no more than a suffix.
        return {i for i in named if parts[i][0] < comma}
    last = max((i for i in named if len(folded[i]) > 1), default=named[-1])
    lasts = {last}
    while last > 0 and last - 1 in named and value[parts[last - 1][1] : parts[last][0]] in _HYPHENS:
        last -= 1
        lasts.add(last)
    if len(lasts) < len(named):
        return lasts
    before = [folded[i] for i in range(last) if kept[i]]
    if any(word in _FAMILY for word in before) and "girl" not in before and "boy" not in before:
        is_surname = False
    else:
        is_surname = bool(title or before) or any(_is_surname_alone(folded[i], entity) for i in named)
    return lasts if is_surname else set()


def _language(folded: Sequence[str], kept: Sequence[bool], i: int) -> str:
    """The language of the particles before part ``i``; empty where there are none."""
    first = i
    while first > 0 and kept[first - 1] and folded[first - 1] in _PARTICLES:
        first -= 1
    return PARTICLE_LANGUAGE.get(" ".join(folded[first:i]), "") if first < i else ""


def _is_kept(
    value: str, parts: Sequence[tuple[int, int, str]], folds: Sequence[str], i: int, context: NoteContext
) -> bool:
    """Whether part ``i`` is a title, a suffix or a particle, and stays; one that is a name too stays only where it is none."""
    start, end, word = parts[i]
    folded = folds[i]
    is_suffix, is_title, is_particle = folded in _SUFFIXES, folded in _TITLES, folded in _PARTICLES
    if not (is_suffix or is_title or is_particle) or folded in context.patient.whole_names:
        return False
    is_first, is_final = i == 0, i == len(parts) - 1
    after_comma = value[max(0, start - 4) : start].rstrip().endswith(",")
    if is_suffix and not is_first:
        return folded not in _ALSO_NAMES or after_comma or (i > 1 and word.isupper())
    if folded in {"boy", "girl"} and i > 0 and folds[i - 1] == "baby":
        return True
    if is_title and not is_final:
        return folded not in _ALSO_NAMES or value[end : end + 1] == "." or len(parts) > 2 or not after_comma
    if is_particle and not is_final and value[end : end + 1] != ",":
        # "Al Smith" and "Van Nguyen" begin with a given name, "van Dyke", "El-Amin" and "Van der Berg" with a particle.
        is_given = is_first and folded in _ALSO_NAMES and len(parts) == 2 and word[0].isupper()
        return not (is_given and value[end:].startswith(" "))
    return False


def _are_own_initials(word: str, scope: NameScope) -> bool:
    """Whether a word in capitals is short for the patient's name."""
    if not (2 <= len(word) <= 3 and word.isupper()) or fold_name(word) in scope.own_names:
        return False
    firsts, lasts = scope.of_record(TermKind.FIRST), scope.of_record(TermKind.LAST)
    return any(
        fold_name(first)[:1] == fold_name(word[0]) and fold_name(last)[:1] == fold_name(word[-1])
        for first, last in zip(firsts, lasts, strict=False)
    )


def replace_word(word: str, scope: NameScope, *, is_last: bool, language: str = "") -> str:
    """The surrogate of one part of a name, written as ``word`` is; ``language`` is that of particles before it."""
    return _replace_part(word, fold_name(word), scope, NO_CUE, is_last=is_last, language=language)


def _replace_part(
    word: str, folded: str, scope: NameScope, cue: Callable[[str], NameCue], *, is_last: bool, language: str = ""
) -> str:
    if len(word) == 1:
        return match_case(scope.own_letter(word, is_last=is_last), word + word)
    if glued := _glued(word, folded, scope):
        return glued
    own = scope.own_spelling(folded)
    is_own_first, is_own_last = own in scope.firsts, own in scope.lasts
    if is_own_first != is_own_last:
        is_last = is_own_last
    is_marked = not word.isascii() and folded.isascii() and not word.replace("’", "").isascii()
    if is_last:
        made = (
            scope.after_particle(own, language)
            if language and not is_own_last
            else scope.surname(own, is_marked=is_marked)
        )
    else:
        is_told = is_own_first or given_names().get(scope.formal(own), ("",))[0] in {"F", "M"}
        made = scope.given(own, "" if is_told else cue(own).sex, is_marked=is_marked)
    return match_case(made if is_marked or made.isascii() else without_marks(made), word)


def _is_surname_alone(folded: str, entity: Entity) -> bool:
    known = given_names().get(folded)
    if known and known[2] > 0:
        # Clinicians are called by their surnames; a name that is a given name oftener than a surname is none.
        return entity is Entity.PROVIDER and surname_bearers().get(folded, 0.0) > min(known[2] / 2, _COMMON_PER_100K)
    return entity is not Entity.RELATIVE or folded in surname_groups()


def _glued(word: str, folded: str, scope: NameScope) -> str | None:
    """The surrogate of two of the record's names written as one word ("OKAFORMARIA"); ``None`` where it is none."""
    if len(folded) < _LEAST_GLUED or not scope.record or folded in scope.own_names:
        return None
    for first in sorted(name for name in scope.own_names if len(name) > 2 and folded.startswith(name)):
        rest = folded.removeprefix(first)
        if len(rest) > 2 and rest in scope.own_names:
            both = (replace_word(part, scope, is_last=part in scope.lasts) for part in (first, rest))
            return match_case("".join(both), word)
    return None
