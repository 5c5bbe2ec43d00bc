"""Where the terms of one note stand in an institution's dictionaries.

The compiled lexicon holds hashes and kinds alone. What a term came from is looked up in the dictionary tables, for the
few words that an explanation shows.
"""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from deid_tasks.engine.lexicon import normalise
from deid_tasks.engine.lexicon.terms import MAX_TOKENS

_VERSION_CHARACTERS = 12


@dataclass(frozen=True, slots=True)
class TermSource:
    """One row of a dictionary; the ``repr`` shows no term."""

    kind: str
    """Dictionary and kind, as ``patient_name.last``; ``patient.last`` is of the note's own patient."""
    normalised: str = field(repr=False)
    source: str
    """Model or list that the term comes from, as ``stg_patient_name``, ``former names`` or ``mesh``."""
    version: str = ""
    """Of the dictionary. Empty for a patient's own terms, which are read live."""
    first_seen: datetime.date | None = None
    """When the first refresh found it in the EHR; ``None`` for terms of public lists, and harvested ones."""

    def __str__(self) -> str:
        """Return it for people, without the term: ``patient_name.last: stg_patient_name since 2026-03-01``."""
        since = f" since {self.first_seen}" if self.first_seen else ""
        version = f", version {self.version[:_VERSION_CHARACTERS]}" if self.version else ""
        return f"{self.kind}: {self.source}{since}{version}"


def phrases_of(texts: Iterable[str]) -> list[str]:
    """Return every stretch of up to ``MAX_TOKENS`` words of some texts in normal form, each once."""
    found: dict[str, None] = {}
    for text in texts:
        words = normalise(text).split()
        for first in range(len(words)):
            for after in range(first + 1, min(len(words), first + MAX_TOKENS) + 1):
                found[" ".join(words[first:after])] = None
    return list(found)


def sources_in(text: str, sources: Sequence[TermSource]) -> tuple[TermSource, ...]:
    """Return the sources of the terms that ``text`` holds as whole words."""
    if not sources:
        return ()
    phrases = set(phrases_of([text]))
    return tuple(one for one in sources if one.normalised in phrases)
