"""The report on one release of text, for the expert who decides whether the risk is very small.

``residual`` estimates what remains, ``equivalence``, ``diagnoses`` and ``linkage`` measure what a perfect engine
would leave,
``signed`` signs and verifies, and ``page`` shows it. It decides nothing.
"""

from deid_tasks.evidence.release.diagnoses import named_diagnoses
from deid_tasks.evidence.release.equivalence import BINS, ClassSizes, class_sizes, rarest_sizes
from deid_tasks.evidence.release.linkage import LinkageResult, linkage_attack
from deid_tasks.evidence.release.page import render_release
from deid_tasks.evidence.release.residual import (
    Estimate,
    Residual,
    TypeResidual,
    estimate_residual,
    patients_affected,
    scale_errors,
)
from deid_tasks.evidence.release.signed import (
    Attestation,
    SignedReport,
    attest,
    issue_report,
    verify_report,
)

__all__ = [
    "BINS",
    "Attestation",
    "ClassSizes",
    "Estimate",
    "LinkageResult",
    "Residual",
    "SignedReport",
    "TypeResidual",
    "attest",
    "class_sizes",
    "estimate_residual",
    "issue_report",
    "linkage_attack",
    "named_diagnoses",
    "patients_affected",
    "rarest_sizes",
    "render_release",
    "scale_errors",
    "verify_report",
]
