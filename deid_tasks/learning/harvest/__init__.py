"""Candidates that an institution's own notes give: frequent sentences free of PHI, and sentence templates.

``PatientCounter`` counts in how many patients a sentence occurs, ``harvest_templates`` finds templates, ``Candidates``
writes both as files for a person to verify."""

from deid_tasks.learning.harvest.files import Candidates, Decided, SentenceCandidate, TemplateCandidate
from deid_tasks.learning.harvest.patients import PatientCounter
from deid_tasks.learning.harvest.rules import Read, harvest_templates

__all__ = [
    "Candidates",
    "Decided",
    "PatientCounter",
    "Read",
    "SentenceCandidate",
    "TemplateCandidate",
    "harvest_templates",
]
