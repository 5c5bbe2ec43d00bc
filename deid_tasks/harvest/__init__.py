"""What an institution's own notes teach: sentences that are everybody's, and templates that are nobody's."""

from deid_tasks.harvest.files import Candidates, Decided, SentenceCandidate, TemplateCandidate
from deid_tasks.harvest.patients import PatientCounter
from deid_tasks.harvest.rules import Read, harvest_templates

__all__ = [
    "Candidates",
    "Decided",
    "PatientCounter",
    "Read",
    "SentenceCandidate",
    "TemplateCandidate",
    "harvest_templates",
]
