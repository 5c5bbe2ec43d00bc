"""One form of a term for comparing; the dbt macro ``normalise_term`` computes the same."""

import re
import unicodedata

_SEPARATORS = re.compile(r"[\W_]+")


def normalise(term: str) -> str:
    """``term`` in lower case, accents removed, every run that is neither letter nor digit one space, trimmed."""
    if not term.isascii():
        decomposed = unicodedata.normalize("NFKD", term)
        term = "".join(character for character in decomposed if not unicodedata.combining(character))
    return _SEPARATORS.sub(" ", term.lower()).strip()
