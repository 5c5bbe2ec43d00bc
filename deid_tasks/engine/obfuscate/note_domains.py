"""Parts of domains that follow the organizations of a note: ``harborlight`` of Harborlight Heart Rhythm Center."""

import re
from collections.abc import Callable, Sequence

from deid_tasks.core.entities import Entity
from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.generators import Replacements
from deid_tasks.engine.obfuscate.note_context import NoteContext
from deid_tasks.engine.obfuscate.note_organizations import NoteOrganizations
from deid_tasks.engine.obfuscate.organizations.abbreviations import label_like, letters_like, organization_words_of
from deid_tasks.engine.obfuscate.organizations.organization_words import KINDS, SMALL_WORDS, is_kind
from deid_tasks.engine.obfuscate.plain_words import is_path_word
from deid_tasks.engine.obfuscate.surroundings import Surroundings

_MIN_LABEL_LENGTH = 5
"""A shorter label of a domain may be made of any name."""
_CLIPPED_LABEL = 4
_MAX_ABBREVIATION_LENGTH = 8
"""A longer part is not the abbreviation of a name in the note."""
_words = re.compile(r"[^\W\d_]+").findall


class NoteDomains:
    """The parts of domains in one note.

    Args:
        replacements: of the institution.
        context: of the note.
        surroundings: its text and spans.
        organizations: its organizations.
        town: returns the surrogate of a town of the note; ``None`` for other words.
    """

    def __init__(
        self,
        replacements: Replacements,
        context: NoteContext,
        surroundings: Surroundings,
        organizations: NoteOrganizations,
        town: Callable[[str], str | None],
    ) -> None:
        self._replacements = replacements
        self._context = context
        self._surroundings = surroundings
        self._aligned = organizations.aligned
        self._town = town

    def domain(self, part: str) -> str | None:
        """Return a part of a domain, folded, made of the surrogate of the organization whose name it is."""
        for name in self._surroundings.organizations:
            if (made := self._label(part, name)) is not None:
                return made
        if len(part) >= _MIN_LABEL_LENGTH and (town := self._town(part)) is not None:
            return fold(town).replace(" ", "")
        if part.startswith("my") and len(part) > _MIN_LABEL_LENGTH - 1 and (made := self.domain(part[2:])) is not None:
            return f"my{made}"
        if 2 <= len(part) <= _MAX_ABBREVIATION_LENGTH and self._abbreviates(part):
            return fold(
                self._replacements.surrogate(
                    part.upper(),
                    Entity.ORGANIZATION,
                    self._context,
                    self._context.staff,
                    "surrogate",
                    long_names=self._surroundings.long_names,
                )
            )
        return None

    def _label(self, part: str, name: str) -> str | None:
        words = organization_words_of(name)
        pairs = [(word, word) for word in words]
        if len(part) >= _MIN_LABEL_LENGTH:
            if label_like(part, pairs) is not None:
                return label_like(part, self._aligned(name)) or None
            if part in words and not is_kind(part):
                # "smiddy" of the Auld Smiddy Surgery.
                return next((new or None for old, new in self._aligned(name) if old == part), None)
            count, rest = _words_in(part, words)
            return "".join(new for _, new in self._aligned(name)[:count]) + rest or None if count else None
        if len(part) > 1 and letters_like(part, pairs) is not None:
            return letters_like(part, self._aligned(name))
        if len(part) == _CLIPPED_LABEL and words and words[0] != part and words[0].startswith(part):
            # "lanc-courts" of a Lancaster County Courthouse.
            return None if is_kind(words[0]) else self._aligned(name)[0][1][: len(part)] or None
        # The words of kind behind a name: ``uh`` of a University Hospital.
        behind = "".join(word[0] for word in words[1:] if word not in SMALL_WORDS)
        return part if len(part) > 1 and part in behind and all(map(is_kind, words[-len(part) :])) else None

    def _abbreviates(self, part: str) -> bool:
        """Whether letters are an organization of the note, or the first letters of one."""
        names = [fold(name) for name in self._surroundings.organizations]
        return part in names or any(
            part == "".join(word[0] for word in _words(name) if word not in SMALL_WORDS)
            for name in names
            if " " in name
        )


def _words_in(label: str, words: Sequence[str]) -> tuple[int, str]:
    """Return how many words, from the first on, a label of a domain is written with, and the kind behind them.

    ``(0, "")`` where it is not written so.
    """
    joined = ""
    found = (0, "")
    for count, word in enumerate(words, 1):
        joined += word
        if len(joined) < _MIN_LABEL_LENGTH:
            continue
        if joined == label:
            return count, ""
        if word not in KINDS and label.startswith(joined) and is_path_word(label[len(joined) :]):
            found = (count, label[len(joined) :])
    return found
