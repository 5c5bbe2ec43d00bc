"""Fitting the confidence model: notes with marked identifiers, the evidence of an engine, and logistic regression.

The notes of ``notes`` were written for this by three authors who had seen no other text of the project. No model was
trained on them: a model is more certain of notes that it knows than it will be of others.
"""

from deid_tasks.learning.confidence.fit import fit_weights, write_weights
from deid_tasks.learning.confidence.observations import NOTES, FittingNote, Observation, fitting_notes, observe

__all__ = ["NOTES", "FittingNote", "Observation", "fit_weights", "fitting_notes", "observe", "write_weights"]
