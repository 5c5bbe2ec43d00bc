"""Attacks on hiding in plain sight: can a reader of published notes tell leaked identifiers from surrogates?

``corpus`` publishes notes with known leaks, ``attackers`` rank what a reader sees, and ``judgement`` measures them.
"""

from deid_tasks.evidence.attack.attackers import guess, parrot, source_attack
from deid_tasks.evidence.attack.corpus import (
    ATTACKED,
    Attack,
    AttackedNote,
    Corpus,
    Leak,
    Mention,
    plant_leaks,
    publish,
)
from deid_tasks.evidence.attack.judgement import AttackResult, judge

__all__ = [
    "ATTACKED",
    "Attack",
    "AttackResult",
    "AttackedNote",
    "Corpus",
    "Leak",
    "Mention",
    "guess",
    "judge",
    "parrot",
    "plant_leaks",
    "publish",
    "source_attack",
]
