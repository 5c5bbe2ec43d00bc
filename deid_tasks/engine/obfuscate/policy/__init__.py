"""The policy at work: the forms of spans, and what the settings make of each.

``form_of_span`` reads the form of one text, ``FormPolicy`` reads the spans of a note, divides addresses that are one
span into their parts, and decides what becomes of each piece. ``span_extent`` takes titles and units of age in or out.
"""

from deid_tasks.engine.obfuscate.policy.form_policy import FormPolicy, PolicyPiece
from deid_tasks.engine.obfuscate.policy.policy_delta import touched_entities
from deid_tasks.engine.obfuscate.policy.span_forms import form_of_span

__all__ = ["FormPolicy", "PolicyPiece", "form_of_span", "touched_entities"]
