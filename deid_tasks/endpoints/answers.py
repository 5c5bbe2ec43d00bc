"""What a model answered, read from the text of its answer. No error quotes that text."""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from deid_tasks.core.errors import DeidError

_FENCE = re.compile(r"^\s*```[\w-]*\s*\n(.*?)\n?\s*```\s*$", re.DOTALL)
_REASONING = re.compile(r"^\s*<think>.*?</think>", re.DOTALL)


class AnswerError(DeidError):
    """A model's answer is not what was asked for; the text says in what way, and quotes nothing."""


@dataclass(frozen=True, slots=True)
class QuotedEntities:
    """Quotes with their labels, and what was left out."""

    quotes: tuple[tuple[str, str], ...]
    unknown_labels: int
    """Keys that were not asked for; their quotes are left out."""
    malformed: int
    """Values that are no text."""


def read_entities(answer: str, labels: Collection[str]) -> QuotedEntities:
    """Read a JSON object of quotes by label.

    A value may be one quote in the place of a list, a number, or null for no quote, as models without a constraint
    answer.

    Raises:
        AnswerError: The answer holds no JSON object.
    """
    quotes: list[tuple[str, str]] = []
    unknown = malformed = 0
    for label, value in _json_object(answer).items():
        known = label.strip().upper()
        if known not in labels:
            unknown += 1
            continue
        for quote in value if isinstance(value, list) else [value]:
            if isinstance(quote, str | int | float) and not isinstance(quote, bool):
                if str(quote).strip():
                    quotes.append((known, str(quote).strip()))
            elif quote is not None:
                malformed += 1
    return QuotedEntities(tuple(quotes), unknown, malformed)


def read_decision(answer: str) -> bool:
    """Return whether to redact; raises ``AnswerError`` if the answer decides nothing."""
    decision = _json_object(answer).get("decision")
    if decision == "redact":
        return True
    if decision == "keep":
        return False
    raise AnswerError("the answer is neither redact nor keep")


def read_rewritten(answer: str) -> str:
    """Return the text that a model wrote, without what some put around it; raises ``AnswerError`` if it is empty."""
    text = _bare(answer)
    if not text.strip():
        raise AnswerError("the answer is empty")
    return text


def _json_object(answer: str) -> dict[str, Any]:
    """Return the first JSON object of an answer, which may have words or a code fence around it."""
    text = _bare(answer)
    start = text.find("{")
    if start < 0:
        raise AnswerError("the answer holds no JSON object")
    try:
        found, _ = json.JSONDecoder().raw_decode(text, start)
    except (json.JSONDecodeError, RecursionError):
        found = None
    if not isinstance(found, dict):
        # Outside the handler: the parser's error holds the whole text.
        raise AnswerError("the answer is not valid JSON")
    return found


def _bare(answer: str) -> str:
    answer = _REASONING.sub("", answer)
    fenced = _FENCE.match(answer)
    return fenced[1] if fenced else answer
