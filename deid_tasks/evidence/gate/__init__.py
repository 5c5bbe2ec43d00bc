"""What stands between a run and the published table: checks, the signed certificate, drift."""

from deid_tasks.evidence.gate.certificate import Certificate, issue_certificate, verify_certificate
from deid_tasks.evidence.gate.checks import evaluation_checks, run_checks
from deid_tasks.evidence.gate.drift import RunFigure, baseline, drift_reasons, judge_run
from deid_tasks.evidence.gate.signature import new_key_pair
from deid_tasks.evidence.gate.suites import Check, Verdict, check_frame, check_tables

__all__ = [
    "Certificate",
    "Check",
    "RunFigure",
    "Verdict",
    "baseline",
    "check_frame",
    "check_tables",
    "drift_reasons",
    "evaluation_checks",
    "issue_certificate",
    "judge_run",
    "new_key_pair",
    "run_checks",
    "verify_certificate",
]
