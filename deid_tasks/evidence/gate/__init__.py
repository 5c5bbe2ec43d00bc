"""The gate between a run and the published table: checks, the signed certificate, and drift.

``check_lists`` says what an evaluation, a run and the ledger must reach, ``checking`` runs such checks with Great
Expectations,
``certificate`` and ``signature`` issue and verify certificates, and ``drift`` compares a run with the certified gold
notes.
"""

from deid_tasks.evidence.gate.certificate import Certificate, issue_certificate, named_thresholds, verify_certificate
from deid_tasks.evidence.gate.check_lists import evaluation_checks, ledger_checks, run_checks
from deid_tasks.evidence.gate.checking import Check, Verdict, check_tables
from deid_tasks.evidence.gate.drift import RunFigure, amounts_of, baseline, drift_reasons, judge_run, judge_window
from deid_tasks.evidence.gate.signature import (
    Signer,
    check_signature,
    digest_statement,
    new_key_pair,
    public_key_of,
    sign,
)

__all__ = [
    "Certificate",
    "Check",
    "RunFigure",
    "Signer",
    "Verdict",
    "amounts_of",
    "baseline",
    "check_signature",
    "check_tables",
    "digest_statement",
    "drift_reasons",
    "evaluation_checks",
    "issue_certificate",
    "judge_run",
    "judge_window",
    "ledger_checks",
    "named_thresholds",
    "new_key_pair",
    "public_key_of",
    "run_checks",
    "sign",
    "verify_certificate",
]
