"""The judge: a large language model decides about the spans that the models are uncertain of.

Off unless the settings have a section ``judge``. ``uncertain`` finds the spans to ask about, ``masking`` makes the
sentence that goes out, ``span_judge`` asks, and ``decisions`` says what came of it. Asking needs the extra ``llm``.
"""

from deid_tasks.engine.judge.decisions import Judge, JudgeDecision, JudgedSpan, UncertainNote
from deid_tasks.engine.judge.load import load_judge
from deid_tasks.engine.judge.uncertain import uncertain_note

__all__ = [
    "Judge",
    "JudgeDecision",
    "JudgedSpan",
    "UncertainNote",
    "load_judge",
    "uncertain_note",
]
