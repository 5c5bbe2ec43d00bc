"""Why the words of one note are marked, or not, for somebody who may read that note."""

from deid_tasks.engine.explanation.explain import explain_note
from deid_tasks.engine.explanation.records import NoteExplanation
from deid_tasks.engine.explanation.term_sources import TermSource, phrases_of

__all__ = ["NoteExplanation", "TermSource", "explain_note", "phrases_of"]
