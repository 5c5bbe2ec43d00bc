"""Recovery: spans that are medical language, and not identifiers, are removed again.

Medical terms come from the lexicon, notations such as ``T2N1M0`` have a grammar of their own, and ``noise`` and
``eponyms`` recognise what models take for names.
"""

from deid_tasks.engine.recover.recover import RecoveryResult, recover, recover_all, recovery_reasons

__all__ = ["RecoveryResult", "recover", "recover_all", "recovery_reasons"]
