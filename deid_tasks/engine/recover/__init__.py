"""Gives back what detectors took for identifiers and is medical language."""

from deid_tasks.engine.recover.recover import RecoveryResult, recover, recover_all

__all__ = ["RecoveryResult", "recover", "recover_all"]
