"""Written names of people: every part is replaced; order, punctuation, letter case, titles and suffixes stay."""

import re
from collections.abc import Callable, Sequence, Set

from deid_tasks.core.entities import Entity
from deid_tasks.core.patient import TermKind
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.names.initials import replace_initials
from deid_tasks.engine.obfuscate.names.name_roles import (
    UNUSUAL_NAMES,
    NameParts,
    is_affix,
    is_lone_surname,
    particle_language,
    surname_positions,
)
from deid_tasks.engine.obfuscate.note_context import NO_CUE, NO_NAMES, NameCue, NoteContext, NoteNames
from deid_tasks.engine.obfuscate.people.name_scope import NameScope
from deid_tasks.engine.obfuscate.people.name_text import fold_name, folded_parts, name_parts, without_marks
from deid_tasks.engine.obfuscate.people.public_names import (
    UNKNOWN_NAME,
    formal_names,
    given_name_table,
    surname_bearers,
)
from deid_tasks.engine.obfuscate.people.record_names import rewrite_column

_MAX_INITIALS = 3
_MIN_JOINED_LENGTH = 6
_MIN_BEARERS = 1.0
"""In 100,000 people: a rarer word behind a title may be a name in short."""
BETWEEN_PEOPLE = re.compile(r"(\s*(?<![\s(][abdsw])[/;&]\s*|\s+(?:and|-)\s+)", re.IGNORECASE)
"""What separates the names of several people; not the slash of d/o and s/o."""
_DOUBLED = re.compile(r"(?P<name>[^\W\d_]{2,})-(?P<again>(?P=name))", re.IGNORECASE)
_BETWEEN_LETTERS = frozenset("-. ")
_SPELLED = re.compile(r"[^\W\d_](?:(?P<gap>[-. ])[^\W\d_]){3,}")


def replace_name(
    value: str,
    entity: Entity,
    context: NoteContext,
    cue: Callable[[str], NameCue] = NO_CUE,
    names: NoteNames = NO_NAMES,
) -> str:
    """Return ``value`` with every part of the name replaced.

    Args:
        value: one or several names.
        entity: patient, relative or provider.
        context: of the note.
        cue: returns what the note says around a given name; called only where the record and the name say nothing.
        names: what the full names of the note say of its words.
    """
    if value.isalpha() and (folded := fold_name(value)) not in UNUSUAL_NAMES and _is_one_name(value, folded, names):
        return _replace_one_word(value, folded, entity, context, cue, names)
    if (repeated := _in_pieces(value, lambda piece: replace_name(piece, entity, context, cue, names))) is not None:
        return repeated
    parts = name_parts(value)
    if not parts:
        return context.keyed.like(value, "name", context.patient_id)
    if len(parts) == 1 and _are_own_initials(parts[0][2], context.patient):
        return replace_initials(value, context, names)
    folded_words = folded_parts(value)
    whole_names = context.patient.whole_names
    is_kept = tuple([is_affix(value, parts, folded_words, i, whole_names) for i in range(len(parts))])
    if all(is_kept):
        is_kept = (False,) * len(parts)
    title = cue("").title
    named = [word for word, stays in zip(folded_words, is_kept, strict=True) if not stays]
    scope = _scope_of(entity, named, title, context)
    lasts = surname_positions(value, parts, folded_words, is_kept, entity, title)
    lasts = frozenset([i for i, word in enumerate(folded_words) if names.surnames.get(word, i in lasts)])
    initial = _initial_of_person(parts, lasts, names)
    made: list[str] = []
    position = 0
    for i, (start, end, word) in enumerate(parts):
        if i not in lasts and _is_syllable(value, position, start, word):
            # A second given name, as no surrogate has syllables.
            word = word.capitalize()
        made.append(value[position:start])
        position = end
        if is_kept[i]:
            made.append(word)
        elif short := _replace_short(i, word, value, initial, lasts, scope, names):
            made.append(short)
        else:
            language = particle_language(folded_words, is_kept, i) if i in lasts else ""
            made.append(_replace_part(word, folded_words[i], scope, cue, is_last=i in lasts, language=language))
    return "".join(made) + value[position:]


def _is_syllable(value: str, last_end: int, start: int, word: str) -> bool:
    """Whether a word is the second syllable of a given name: "Hyun-woo"."""
    return word.islower() and value[last_end:start] == "-" and value[0].isupper()


def _in_pieces(value: str, replace: Callable[[str], str]) -> str | None:
    """Return names of several people, and a name that is spelled or said twice, as written; ``None`` for other names.

    Args:
        value: the original.
        replace: returns the surrogate of one name, written once.
    """
    if BETWEEN_PEOPLE.search(value):
        pieces = BETWEEN_PEOPLE.split(value)
        return "".join(piece if i % 2 or not piece.strip() else replace(piece) for i, piece in enumerate(pieces))
    if "-" in value and (doubled := _DOUBLED.fullmatch(value)) is not None:
        # "Ray-Ray", of Raymond.
        once = replace(doubled["name"])
        return f"{once}-{match_case(once, doubled['again'])}"
    if value[1:2] in _BETWEEN_LETTERS and _SPELLED.fullmatch(value):
        # A name that is spelled letter by letter: its surrogate is spelled as it is.
        return _spell_like(value, replace(re.sub(r"[\W_]", "", value)))
    return None


def replace_name_column(value: str, part: str, scope: NameScope) -> str:
    """Return one column of a name, whose words are all given names or all surnames, with every word replaced.

    Args:
        value: the column's value.
        part: ``given`` or ``surname``.
        scope: whose name it is.
    """
    is_last = part == "surname"

    def replace(word: str, language: str) -> str:
        return _replace_word(word, scope, is_last=is_last, language=language)

    return rewrite_column(value, replace, is_last=is_last)


def _is_one_name(value: str, folded: str, names: NoteNames) -> bool:
    """Whether a word is a name, as "Ren" of Søren is; other words of three letters may be initials."""
    return len(value) > _MAX_INITIALS or (len(value) > 1 and names.called(folded) is not None)


def _replace_one_word(
    value: str, folded: str, entity: Entity, context: NoteContext, cue: Callable[[str], NameCue], names: NoteNames
) -> str:
    """Return the surrogate of a name of one word, as most names in notes are."""
    title = cue("").title
    scope = _scope_of(entity, (folded,), title, context)
    # "Dr. Frank", of a Feng "Frank" Wu.
    is_called = not title or names.surnames.get(folded) is False or (title != "dr" and folded in formal_names())
    # "Dr Venkat", of a Venkatesan.
    is_called = (
        is_called
        or max(surname_bearers().get(folded, 0.0), given_name_table().get(folded, UNKNOWN_NAME).bearers) < _MIN_BEARERS
    )
    if is_called and (short := names.called(folded)):
        return match_case(short, value)
    if clipped := names.clipped(folded):
        return match_case(clipped, value)
    is_last = names.surnames.get(folded, bool(title) or is_lone_surname(folded, entity))
    return _replace_part(value, folded, scope, cue, is_last=is_last)


def _replace_short(
    i: int,
    word: str,
    value: str,
    initial: tuple[int, str] | None,
    lasts: Set[int],
    scope: NameScope,
    names: NoteNames,
) -> str:
    """Return the surrogate of a short name, or of the initials of given names, which may be two capitals (JP Duvall,
    but not JO DUVALL); empty where part ``i`` is a name."""
    if i and i not in lasts and len(word) == 1 and not lasts and i == len(name_parts(value)) - 1:
        # "Renee T": the initial of a surname.
        of_person = names.initials((value[0], word))
        return match_case(of_person[-1] if of_person else scope.letter(word, is_last=True), word + word)
    if i not in lasts and (short := names.called(fold_name(word))):
        return match_case(short, word)
    if initial is not None and i == initial[0]:
        return match_case(initial[1], word + word)
    if i in lasts or not lasts or len(word) != 2 or not word.isupper() or value.isupper():
        return ""
    return "".join(match_case(scope.own_letter(letter, is_last=False), "AA") for letter in word)


def _initial_of_person(parts: NameParts, lasts: Set[int], names: NoteNames) -> tuple[int, str] | None:
    """Return the index of the initial that stands for a given name, and its surrogate, where the note has the name."""
    givens = [i for i in range(len(parts)) if i not in lasts]
    if len(givens) != 1 or not lasts or len(parts[givens[0]][2]) > 1:
        return None
    found = names.initials((parts[givens[0]][2], parts[max(lasts)][2]))
    return None if found is None else (givens[0], found[0])


def _spell_like(original: str, surrogate: str) -> str:
    made = original[1].join(surrogate)
    return made.upper() if original.isupper() else made


def _scope_of(entity: Entity, named: Sequence[str], title: str, context: NoteContext) -> NameScope:
    """Return whose name it is.

    A provider with the patient's surname is staff. A provider whose names are all the patient's names is the patient,
    unless a clinician's title stands before a single name.
    """
    if entity is not Entity.PROVIDER:
        return context.patient
    own = context.patient.own_names
    whole = [name for name in named if len(name) > 1]
    is_own = bool(whole) and all(name in own for name in whole) and not (title == "dr" and len(whole) == 1)
    return context.patient if is_own else context.clinicians


def _are_own_initials(word: str, scope: NameScope) -> bool:
    """Whether a word in capitals abbreviates the patient's name."""
    if not (2 <= len(word) <= _MAX_INITIALS and word.isupper()) or fold_name(word) in scope.own_names:
        return False
    firsts, lasts = scope.of_record(TermKind.FIRST), scope.of_record(TermKind.LAST)
    return any(
        fold_name(first)[:1] == fold_name(word[0]) and fold_name(last)[:1] == fold_name(word[-1])
        for first, last in zip(firsts, lasts, strict=False)
    )


def _replace_word(word: str, scope: NameScope, *, is_last: bool, language: str = "") -> str:
    return _replace_part(word, fold_name(word), scope, NO_CUE, is_last=is_last, language=language)


def _replace_part(
    word: str, folded: str, scope: NameScope, cue: Callable[[str], NameCue], *, is_last: bool, language: str = ""
) -> str:
    """Return the surrogate of one part of a name, written as ``word`` is.

    ``language`` is the language of the particles before it.
    """
    if len(word) == 1:
        return match_case(scope.own_letter(word, is_last=is_last), word + word)
    if joined := _replace_joined(word, folded, scope):
        return joined
    own = scope.own_spelling(folded)
    is_own_first, is_own_last = own in scope.firsts, own in scope.lasts
    if is_own_first != is_own_last:
        is_last = is_own_last
    is_marked = not word.isascii() and folded.isascii() and not word.replace("’", "").isascii()
    if not is_last:
        has_sex = is_own_first or given_name_table().get(scope.formal(own), UNKNOWN_NAME).sex in {"F", "M"}
        surrogate = scope.given(own, "" if has_sex else cue(own).sex)
    elif language and not is_own_last:
        surrogate = scope.after_particle(own, language)
    else:
        surrogate = scope.surname(own)
    return match_case(surrogate if is_marked or surrogate.isascii() else without_marks(surrogate), word)


def _replace_joined(word: str, folded: str, scope: NameScope) -> str | None:
    """Return the surrogate of two names of the record that are written as one word ("OKAFORMARIA").

    ``None`` for other words.
    """
    if len(folded) < _MIN_JOINED_LENGTH or not scope.record or folded in scope.own_names:
        return None
    for first in sorted(name for name in scope.own_names if len(name) > 2 and folded.startswith(name)):
        rest = folded.removeprefix(first)
        if len(rest) > 2 and rest in scope.own_names:
            both = (_replace_word(part, scope, is_last=part in scope.lasts) for part in (first, rest))
            return match_case("".join(both), word)
    return None
