"""Organizations of one note: their surrogates, and the domains, letters and short names that follow them."""

import re
from collections.abc import Callable, Sequence

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.generators import Replacements
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.note_context import NoteContext
from deid_tasks.engine.obfuscate.organizations.abbreviations import (
    align,
    letters_like,
    organization_words_of,
)
from deid_tasks.engine.obfuscate.organizations.chains import has_branches, replace_chain, split_branch
from deid_tasks.engine.obfuscate.organizations.organization_names import has_only_kind_words
from deid_tasks.engine.obfuscate.organizations.organization_words import (
    KINDS,
    SPECIALTIES,
    is_kind,
    is_legal_form,
)
from deid_tasks.engine.obfuscate.organizations.saints import replace_two_saints
from deid_tasks.engine.obfuscate.people.name_scope import remember
from deid_tasks.engine.obfuscate.span_kinds import is_town
from deid_tasks.engine.obfuscate.surroundings import Surroundings
from deid_tasks.engine.obfuscate.word_rewriting import rewrite_words
from deid_tasks.settings import Mode

_MIN_CLIPPED, _MAX_CLIPPED = 3, 5
_MAX_ABBREVIATION_LENGTH = 8
"""A longer value is not the abbreviation of another name in the note."""
_CAPITALIZED = re.compile(r"(?<![^\W_])[A-Z][a-z]{3,}(?![^\W_])")
_WORD_BEFORE = re.compile(r"([^\W\d_]+) $")
_REACH = 24
_SAINTS_BEFORE = re.compile(r"\b(?:Sts|SS|Saints)\b\.?\s$", re.IGNORECASE)
_words = re.compile(r"[^\W\d_]+").findall


class NoteOrganizations:
    """The organizations of one note; equal names are asked for once.

    Args:
        replacements: of the institution.
        context: of the note.
        surroundings: its text and spans.
        surname: returns the surrogate of a folded surname of a person of the note; ``None`` for other words. A name
            that holds one is this note's own.
        town: returns the surrogate of a town of the note. An office that bears its name alone is that town's.
    """

    def __init__(
        self,
        replacements: Replacements,
        context: NoteContext,
        surroundings: Surroundings,
        surname: Callable[[str], str | None],
        town: Callable[[str], str | None],
    ) -> None:
        self._replacements = replacements
        self._context = context
        self._surroundings = surroundings
        self._surname = surname
        self._town = town
        self._known: dict[tuple[Entity, str], str] = {}
        self._aligned: dict[str, list[tuple[str, str]]] = {}
        self._in_work: set[str] = set()
        """Names whose surrogates are being made, which therefore tell nothing of their own letters: "BRC Rehab
        Center", whose letters begin with BRC."""

    def surrogate(self, original: str, entity: Entity, index: int, mode: Mode) -> str:
        """Return the surrogate of an organization that is the ``index``-th span of the note."""
        if has_only_kind_words(original) and self._is_part_of_name(index):
            return original
        if is_legal_form(fold(original), is_behind_name=self._surroundings.is_behind_organization(index)):
            return original
        start = self._surroundings.start(index)
        if _SAINTS_BEFORE.search(self._surroundings.text, max(0, start - 8), start):
            saints = replace_two_saints(original, self._context)
            if saints is not None:
                return saints
        return self._made(original, entity, mode)

    def _is_part_of_name(self, index: int) -> bool:
        """Whether a name of words of kind alone belongs to what stands beside it: a name, or a speciality."""
        if self._surroundings.is_beside_name(index):
            return True
        start = self._surroundings.start(index)
        before = _WORD_BEFORE.search(self._surroundings.text, max(0, start - _REACH), start)
        if self._surroundings.text[max(0, start - 2) : start] == "& ":
            # "Dr Leila Okafor & Partners".
            return True
        return before is not None and fold(before[1]) in SPECIALTIES

    def _made(self, original: str, entity: Entity, mode: Mode = "surrogate") -> str:
        question = (entity, original)
        surrogate = self._known.get(question)
        if surrogate is None:
            self._in_work.add(original)
            surrogate = self._known[question] = self._make(original, entity, mode)
            self._in_work.discard(original)
        return surrogate

    def _make(self, original: str, entity: Entity, mode: Mode) -> str:
        staff = self._context.staff
        long_names = self._surroundings.long_names if len(original) <= _MAX_ABBREVIATION_LENGTH else ()
        is_of_note = not self._context.is_of_patient
        if is_of_note and mode == "surrogate" and (made := self._of_note(original, entity)):
            return made
        surname = self._surname
        is_owned = False
        if is_of_note:
            named = _named_words(original)
            if len(named) == 1 and len(original) > len(named[0]) and self._town(named[0]):
                surname = self._town
            is_owned = any(surname(word) for word in named)
        if long_names or is_owned:
            return self._replacements.surrogate(
                original,
                entity,
                self._context,
                staff,
                mode,
                long_names=long_names,
                surname=surname if is_of_note else None,
            )
        question = (entity, original)
        surrogate = staff.memo.get(question)
        if surrogate is None:
            surrogate = self._replacements.surrogate(original, entity, self._context, staff, mode)
            remember(staff.memo, question, surrogate)
        return surrogate

    def _of_note(self, original: str, entity: Entity) -> str | None:
        """Return the surrogate of a name that another name of the note tells; ``None`` for others."""
        is_short = _is_short_for_name(original)
        letters = self.letters(original, allows_gaps=False) if is_short else None
        if letters is None:
            if short := self._short_name(original, entity):
                return short
        elif letters:
            return letters.upper()
        if (made := self._of_abbreviation(original)) or (made := self._of_saint(original)):
            return made
        if is_short and (of_office := self._of_towns_office(original)):
            return of_office
        return self._of_town(original) or self._of_branch(original)

    def short_name(self, original: str) -> str | None:
        """Return what a place becomes that has the first words of an organization of the note: a Juniper Hollow."""
        words = organization_words_of(original)
        is_short = len(words) > 1 and not any(map(str.isdigit, original))
        return self._short_name(original, Entity.FACILITY) if is_short else None

    def _short_name(self, original: str, entity: Entity) -> str | None:
        """Return what a name becomes that the note also has with further words: "Rio Puerco" of a "Rio Puerco Clinic".

        The key reads every proper word of a name, and the short name may have fewer of them. What the short name leaves
        out may stand in front of it, too: "the Margaret" of a Queen Margaret Hospital.
        """
        words = organization_words_of(original)
        if not words or all(is_kind(word) for word in words):
            return None
        if len(words) == 1 and (made := self._clipped(words[0], original, entity)) is not None:
            return made
        longer_names = [(name, organization_words_of(name)) for name in self._surroundings.organizations]
        for is_behind in (False, True):
            for name, longer in longer_names:
                if not is_behind and _differ_in_kind(longer, words):
                    # "Rosebud Co" of a Rosebud County.
                    pairs = zip(words, self.aligned(name, entity), strict=False)
                    return _rewritten(original, [(old, old if is_kind(old) else new) for old, (_, new) in pairs])
                if len(longer) <= len(words) or fold(name) == fold(original):
                    continue
                last = len(longer) - len(words)
                for first in range(1, last + 1) if is_behind else (0,):
                    if longer[first : first + len(words)] == words:
                        return _rewritten(original, self.aligned(name, entity)[first : first + len(words)])
        return None

    def _clipped(self, word: str, original: str, entity: Entity) -> str | None:
        """Return what the beginning of an organization's first word becomes: "the Jac" of Jacaranda Range Hospital."""
        if not _MIN_CLIPPED <= len(word) <= _MAX_CLIPPED or not original.istitle():
            return None
        found = {
            name: self.aligned(name, entity)[0]
            for name in self._surroundings.organizations
            if (first := organization_words_of(name)[:1])
            and first[0].startswith(word)
            and len(first[0]) > len(word) + 2
        }
        made = {new for _, new in found.values() if new}
        return made.pop().capitalize() if len(made) == 1 else None

    def _of_abbreviation(self, original: str) -> str | None:
        """Return a name that is the abbreviation of another with words of kind beside it: "TGH A&E"."""
        words = _CAPITALS_OR_WORD.findall(original)
        short = [word for word in words if (_is_short_for_name(word) or word is words[0]) and not is_kind(fold(word))]
        if short and not (short[0].isupper() and len(short[0]) > 1):
            return None
        if len(short) != 1 or len(words) == 1 or (made := self.letters(short[0], allows_gaps=False)) is None:
            return None
        before, _, behind = original.partition(short[0])
        if all(is_kind(fold(one)) for one in words if one != short[0]):
            return before + made.upper() + behind
        if before or not behind.startswith(" "):
            return None
        # "CFMG Oro Valley": a branch.
        branch = behind.strip()
        place = self._town(fold(branch)) or self._replacements.surrogate(
            branch, Entity.ORGANIZATION, self._context, self._context.staff, "surrogate"
        )
        return f"{made.upper()} {place}"

    def _of_branch(self, original: str) -> str | None:
        """Return a branch of a chain with the name of its town: "Boots Otley"."""
        branch = split_branch(original)
        if branch is None or not (is_town(branch[1]) or has_branches(branch[0])):
            return None
        entity = Entity.CITY if is_town(branch[1]) else Entity.FACILITY
        place = self._town(fold(branch[1])) or self._replacements.surrogate(
            branch[1], entity, self._context, self._context.staff, "surrogate"
        )
        chain = replace_chain(branch[0], self._context.staff)
        return None if chain is None else f"{chain} {match_case(place, branch[1])}"

    def _of_towns_office(self, original: str) -> str | None:
        """Return the letters of an office that has the name of a town of the note: "TCH" of Tennant Creek Hosp."""
        for name in self._surroundings.long_names:
            pairs = [(word, word) for word in organization_words_of(name)]
            if letters_like(fold(original), pairs) is not None and self._of_town(name) is not None:
                made = letters_like(fold(original), self.aligned(name))
                return None if made is None else made.upper()
        return None

    def _of_saint(self, original: str) -> str | None:
        """Return a saint of whom one letter is left, as the note has the name in full: "St. B's" of St. Brendan."""
        short = _SAINT_IN_SHORT.fullmatch(original)
        if short is None:
            return None
        for name in self._surroundings.long_names:
            words = organization_words_of(name)
            if len(words) > 1 and words[0] in _SAINT_WORDS and words[1][0] == short["letter"].lower():
                made = self.aligned(name)[1][1]
                return short["head"] + made[:1].upper() + short["tail"] if made else None
        return None

    def _of_town(self, original: str) -> str | None:
        """Return an office that has the name of a town of the note in several words: "Fall River FD"."""
        words = list(_WORD.finditer(original))
        for count in range(len(words) - 1, 1, -1):
            if not all(is_kind(fold(word.group())) for word in words[count:]):
                return None
            end = words[count - 1].end()
            if not words[0].start() and (made := self._town(fold(original[:end]))) is not None:
                return match_case(made, original[:end]) + original[end:]
        return None

    def aligned(self, name: str, entity: Entity = Entity.ORGANIZATION) -> list[tuple[str, str]]:
        """Return the words of an organization of the note, folded, each with the word that replaces it."""
        found = self._aligned.get(name)
        if found is None:
            found = self._aligned[name] = align(name, self._made(name, entity))
        return found

    def letters(self, letters: str, *, allows_gaps: bool = True) -> str | None:
        """Return what letters become that stand for an organization of the note; ``None`` for others.

        Args:
            letters: the original.
            allows_gaps: whether they may leave out words of the name.
        """
        folded = fold(letters)
        long_names = [name for name in self._surroundings.long_names if name not in self._in_work]
        for is_loose in (False, True) if allows_gaps else (False,):
            for name in long_names:
                pairs = [(word, word) for word in organization_words_of(name)]
                if letters_like(folded, pairs, is_loose=is_loose) is not None:
                    return letters_like(folded, self.aligned(name), is_loose=is_loose)
        for name in long_names:
            # "TPKC" of Teche Prairie Kidney Ctr, of which Ctr was not detected.
            behind = folded[len(initials := "".join(word[0] for word in organization_words_of(name))) :]
            if len(initials) >= _MIN_CAPITALS and folded.startswith(initials) and behind in _LETTERS_OF_KIND:
                made = letters_like(initials, self.aligned(name))
                return None if made is None else made + behind
        return None

    def with_names(self, surrogate: str, original: str) -> str:
        """Return the surrogate of a room with the names of the note's towns and organizations: "Cedar 3rd floor"."""
        words, made = _CAPITALIZED.findall(original), _CAPITALIZED.findall(surrogate)
        if len(words) != len(made):
            return surrogate
        own = iter([self._word_of_room(word) or other for word, other in zip(words, made, strict=True)])
        return _CAPITALIZED.sub(lambda _: next(own), surrogate)

    def _word_of_room(self, word: str) -> str | None:
        """Return what a word becomes that is a town of the note, or the first word of an organization in it."""
        folded = fold(word)
        if (town := self._town(folded)) is not None:
            return town
        for name in self._surroundings.organizations:
            if organization_words_of(name)[:1] == (folded,) and folded not in KINDS:
                new = self.aligned(name)[0][1]
                return new.capitalize() if new and new != folded else None
        return None


_WORD = re.compile(r"[^\W\d_]+(?:['’]\w+)?")
_CAPITALS_OR_WORD = re.compile(r"[A-Z]&[A-Z]|[^\W_]+(?:['’]\w+)?")
_MIN_CAPITALS, _MAX_CAPITALS = 3, 6
_LETTERS_OF_KIND = frozenset({"c", "h", "mc", "hc"})
"""Letters of a center, a hospital, a medical center and a health center."""
_SAINT_IN_SHORT = re.compile(r"(?P<head>(?:St|Ste)\.?\s)(?P<letter>[A-Z])(?P<tail>['’]?s|\.)?", re.IGNORECASE)
_SAINT_WORDS = frozenset({"st", "ste", "saint"})


def _named_words(name: str) -> list[str]:
    """Return the folded words that say which organization it is: "Grandview DHC ED" has one name, and letters."""
    in_short = set() if name.isupper() else {fold(word) for word in _words(name) if _is_short_for_name(word)}
    return [word for word in organization_words_of(name) if not is_kind(word) and word not in in_short]


def _rewritten(original: str, pairs: Sequence[tuple[str, str]]) -> str | None:
    """Return a name with each word as ``pairs`` replace it; ``None`` where they replace none of it."""
    lead = re.match(r"the\s+", original, re.IGNORECASE) if len(pairs) > 1 else None
    start = lead.end() if lead else 0
    if len(_WORD.findall(original, start)) != len(pairs) or all(not new or new == old for old, new in pairs):
        return None
    stream = iter(new for _, new in pairs)
    return original[:start] + rewrite_words(original[start:], lambda word: _cased(next(stream), word) or None, _WORD)


def _differ_in_kind(longer: Sequence[str], words: Sequence[str]) -> bool:
    """Whether two names differ in words of kind alone, and the first one has the longer ones: County and Co."""
    return (
        len(longer) == len(words) > 1
        and all(
            one == other or (is_kind(one) and is_kind(other) and one.startswith(other))
            for one, other in zip(longer, words, strict=True)
        )
        and longer != words
    )


def _is_short_for_name(word: str) -> bool:
    """Whether a word is written as the abbreviation of a name is."""
    return word.isalpha() and word.isupper() and _MIN_CAPITALS <= len(word) <= _MAX_CAPITALS


def _cased(made: str, like: str) -> str:
    if like.isupper() and len(like) > 1:
        return made.upper()
    return made.capitalize() if like[:1].isupper() else made
