"""The names of a patient's record, read once: every word of them, by what it is; and names as columns of tables hold them."""

from collections.abc import Callable
from typing import NamedTuple

from deid_tasks.core.patient import PatientRecord, TermKind
from deid_tasks.engine.obfuscate.people.marked_names import PARTICLE_LANGUAGE
from deid_tasks.engine.obfuscate.people.name_text import fold_name, name_parts

_OWN_GIVEN = frozenset({TermKind.FIRST, TermKind.MIDDLE, TermKind.PREFERRED})
_GIVEN = _OWN_GIVEN | {TermKind.RELATIVE_FIRST}
_SURNAMES = frozenset({TermKind.LAST, TermKind.RELATIVE_LAST})
_PARTICLES = frozenset(word for particles in PARTICLE_LANGUAGE for word in particles.split())
_GENERATIONS = frozenset({"jr", "sr", "ii", "iii", "iv"})


class RecordNames(NamedTuple):
    """Names of one record, folded."""

    firsts: frozenset[str]
    """Every word of the given names of the patient and the relatives."""
    own_firsts: frozenset[str]
    """Those of the patient alone."""
    lasts: frozenset[str]
    """Every word of their surnames."""
    own_names: frozenset[str]
    """All of them: what no surrogate may be."""
    whole_names: frozenset[str]
    """Whole terms: no title or particle, whatever they look like."""
    marked: frozenset[str]
    """Those that are spelled with marks."""
    languages: dict[str, str]
    """What follows a particle in a surname, and the language of the particle."""


def read_names(record: PatientRecord | None) -> RecordNames:
    """The names of ``record``; empty sets where there is none."""
    firsts: set[str] = set()
    own_firsts: set[str] = set()
    lasts: set[str] = set()
    whole: set[str] = set()
    marked: set[str] = set()
    languages: dict[str, str] = {}
    for term in record.terms if record else ():
        kind, name = term.kind, term.term
        is_last = kind in _SURNAMES
        if not is_last and kind not in _GIVEN:
            continue
        folded = fold_name(name)
        whole.add(folded)
        if name.isalpha():
            words = [folded]
            if not name.isascii():
                marked.add(folded)
        else:
            parts = [part for _, _, part in name_parts(name)]
            words = [fold_name(part) for part in parts]
            marked.update(word for part, word in zip(parts, words, strict=True) if not part.isascii())
            if is_last and words and (language := PARTICLE_LANGUAGE.get(" ".join(words[:-1]))):
                languages[words[-1]] = language
        if is_last:
            lasts.update(words)
        else:
            firsts.update(words)
            if kind in _OWN_GIVEN:
                own_firsts.update(words)
    return RecordNames(
        frozenset(firsts),
        frozenset(own_firsts),
        frozenset(lasts),
        frozenset(firsts | lasts),
        frozenset(whole),
        frozenset(marked),
        languages,
    )


def rewrite_column(value: str, rewrite: Callable[[str, str], str], *, is_last: bool) -> str:
    """A column of given names or of surnames with each word as ``rewrite(word, language of the particles before it)`` gives it.

    Particles, and Jr. and III behind a surname, stay as they do in notes.
    """
    parts = name_parts(value)
    folds = [fold_name(word) for _, _, word in parts]
    made: list[str] = []
    position = first = 0
    for i, (start, end, word) in enumerate(parts):
        made.append(value[position:start])
        position = end
        is_particle = is_last and folds[i] in _PARTICLES and i + 1 < len(parts)
        if is_particle or (is_last and i and folds[i] in _GENERATIONS):
            made.append(word)
            continue
        made.append(rewrite(word, PARTICLE_LANGUAGE.get(" ".join(folds[first:i]), "") if first < i else ""))
        first = i + 1
    return "".join((*made, value[position:]))
