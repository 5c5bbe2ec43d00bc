"""Lexicon: dictionaries compiled to one matcher of keyed hashes, which all workers of a host share.

``Lexicon`` finds the terms of an institution and of the public lists; ``patient_terms`` compiles one patient's record
to the same form.
"""

from deid_tasks.engine.lexicon.delta import LexiconDelta
from deid_tasks.engine.lexicon.lexicon import Lexicon, compile_lexicon, default_lexicon
from deid_tasks.engine.lexicon.normalise import normalise
from deid_tasks.engine.lexicon.scan import Scan, text_batches
from deid_tasks.engine.lexicon.table import TermMatches
from deid_tasks.engine.lexicon.terms import LexiconTerm, kinds_of, mask_of

__all__ = [
    "Lexicon",
    "LexiconDelta",
    "LexiconTerm",
    "Scan",
    "TermMatches",
    "compile_lexicon",
    "default_lexicon",
    "kinds_of",
    "mask_of",
    "normalise",
    "text_batches",
]
