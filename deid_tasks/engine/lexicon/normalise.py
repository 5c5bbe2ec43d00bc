"""The normal form in which terms are compared; the dbt macro ``normalise_term`` computes the same."""

import re
import unicodedata

_SEPARATORS = re.compile(r"[\W_]+")


def normalise(term: str) -> str:
    """Return ``term`` in lower case, without accents, and with one space for each run of other characters."""
    if not term.isascii():
        decomposed = unicodedata.normalize("NFKD", term)
        term = "".join(character for character in decomposed if not unicodedata.combining(character))
        # Letter by letter, as SQL does it: a sigma at the end of a word is no other letter.
        term = "".join(map(str.lower, term))
    return _SEPARATORS.sub(" ", term.lower()).strip()
