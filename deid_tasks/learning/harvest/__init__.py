"""What an institution's own notes teach: sentences that are everybody's, and templates that are nobody's."""

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
