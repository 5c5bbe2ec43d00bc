"""The names of a patient's record: every word of them by its kind; and names as columns of tables hold them."""

from collections.abc import Callable
from typing import NamedTuple

from deid_tasks.core.patient import PatientRecord, TermKind
from deid_tasks.engine.obfuscate.people.marked_names import PARTICLE_LANGUAGE
from deid_tasks.engine.obfuscate.people.name_text import fold_name, folded_parts, name_parts

_OWN_GIVEN = frozenset({TermKind.FIRST, TermKind.MIDDLE, TermKind.PREFERRED})
_GIVEN = _OWN_GIVEN | {TermKind.RELATIVE_FIRST}
_SURNAMES = frozenset({TermKind.LAST, TermKind.RELATIVE_LAST})
_PARTICLES = frozenset(word for particles in PARTICLE_LANGUAGE for word in particles.split())
_GENERATIONS = frozenset({"jr", "sr", "ii", "iii", "iv"})


class RecordNames(NamedTuple):
    """The names of one record, folded."""

    firsts: frozenset[str]
    """Every word of the given names of the patient and the relatives."""
    own_firsts: frozenset[str]
    """Every word of the given names of the patient."""
    lasts: frozenset[str]
    """Every word of the surnames of the patient and the relatives."""
    own_names: frozenset[str]
    """Every word of all these names. No surrogate may be one of them."""
    whole_names: frozenset[str]
    """Whole terms. A word among them is a name even where it looks like a title or a particle."""
    marked: frozenset[str]
    """Words that are written with diacritical marks."""
    languages: dict[str, str]
    """The last word of a surname with a particle → the language of the particle."""


def read_names(record: PatientRecord | None) -> RecordNames:
    """Return the names of ``record``; empty sets without a record."""
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
        parts = [name] if name.isalpha() else [part for _, _, part in name_parts(name)]
        words = [folded] if name.isalpha() else [fold_name(part) for part in parts]
        if not name.isascii():
            marked.update(word for part, word in zip(parts, words, strict=True) if not part.isascii())
        if is_last:
            if len(words) > 1 and (language := PARTICLE_LANGUAGE.get(" ".join(words[:-1]))):
                languages[words[-1]] = language
            lasts.update(words)
            continue
        firsts.update(words)
        if kind in _OWN_GIVEN:
            own_firsts.update(words)
    return RecordNames(
        firsts=frozenset(firsts),
        own_firsts=frozenset(own_firsts),
        lasts=frozenset(lasts),
        own_names=frozenset(firsts | lasts),
        whole_names=frozenset(whole),
        marked=frozenset(marked),
        languages=languages,
    )


def rewrite_column(value: str, rewrite: Callable[[str, str], str], *, is_last: bool) -> str:
    """Return a column of given names, or of surnames, with each word as ``rewrite`` returns it.

    Particles and generation suffixes (Jr., III) of a surname stay, as they do in notes.

    Args:
        value: the column's value.
        rewrite: takes a word and the language of the particles before it; the language is empty without particles.
        is_last: whether the column holds surnames.
    """
    parts = name_parts(value)
    folded = folded_parts(value)
    made: list[str] = []
    position = first = 0
    for i, (start, end, word) in enumerate(parts):
        made.append(value[position:start])
        position = end
        is_particle = is_last and folded[i] in _PARTICLES and i + 1 < len(parts)
        if is_particle or (is_last and i and folded[i] in _GENERATIONS):
            made.append(word)
            continue
        made.append(rewrite(word, PARTICLE_LANGUAGE.get(" ".join(folded[first:i]), "") if first < i else ""))
        first = i + 1
    return "".join((*made, value[position:]))
