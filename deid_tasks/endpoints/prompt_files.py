"""The versioned prompts: files of this package, whose hash is part of a detector's version.

A prompt is a folder of ``system.txt``, ``instruction.txt`` and ``prompt.json``; a change of its words is a new folder.
Its examples come from ``examples.json``, whose notes are invented. What does not change from note to note comes first
in every request, so that servers that cache prefixes of prompts compute it once.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

from deid_tasks.core.errors import SettingsError

Message = Mapping[str, str]
REDACTED = "REDACTED"
_FOLDER = Path(__file__).parent / "prompts"
_FILES = ("system.txt", "instruction.txt", "prompt.json")


@dataclass(frozen=True)
class PromptFile:
    """One version of a prompt."""

    name: str
    form: Literal["entities", "rewrite", "decision"]
    """What is answered: a JSON object of quotes by label, the text again, or one decision."""
    is_inline: bool
    """Whether examples stand in one message with the note, as published, or are turns of a conversation."""
    system: str
    instruction: str
    labels: Mapping[str, Sequence[str]]
    """The keys of the examples that each label covers."""
    digest: str
    """Hash of the files and of the examples."""

    def messages(self, text: str, shots: int = 0) -> list[Message]:
        """Return the conversation that asks about ``text``, with the first ``shots`` examples.

        The order of the examples is fixed, and more shots begin with the same examples as fewer.
        """
        examples = [(example["text"], self._answer_of(example)) for example in _examples()[:shots]]
        opening = {"role": "system", "content": self.system}
        if self.is_inline:
            asked = [f"Input text:\n{given}\nOutput JSON:\n{answer}" for given, answer in examples]
            parts = [self.instruction, *asked, f"Input text:\n{text}\nOutput JSON:"]
            return [opening, {"role": "user", "content": "\n\n".join(parts)}]
        opening["content"] += f"\n\n{self.instruction}"
        turns = [turn for given, answer in examples for turn in _turn(given, answer)]
        return [opening, *turns, {"role": "user", "content": text}]

    def schema(self) -> Mapping[str, Any] | None:
        """Return the JSON Schema of an answer; ``None`` if the answer is no JSON."""
        if self.form == "rewrite":
            return None
        if self.form == "decision":
            properties: dict[str, Any] = {"decision": {"type": "string", "enum": ["redact", "keep"]}}
        else:
            properties = {label: {"type": "array", "items": {"type": "string"}} for label in self.labels}
        # Servers that enforce a schema strictly accept no optional keys: a label without a quote is an empty list.
        required = list(properties)
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}

    def _answer_of(self, example: Mapping[str, Any]) -> str:
        identifiers: Mapping[str, list[str]] = example["identifiers"]
        if self.form == "rewrite":
            return _redact(example["text"], [quote for quotes in identifiers.values() for quote in quotes])
        quotes = {label: [q for key in keys for q in identifiers.get(key, ())] for label, keys in self.labels.items()}
        return json.dumps({label: found for label, found in quotes.items() if found}, ensure_ascii=False)


@cache
def load_prompt(name: str) -> PromptFile:
    """Return a prompt by name; raises ``SettingsError`` if there is none of it."""
    folder = _FOLDER / name
    known = sorted(path.parent.name for path in _FOLDER.glob("*/prompt.json"))
    if name not in known:
        raise SettingsError(f"prompt: {name!r} is not one of {', '.join(known)}")
    contents = [(folder / file).read_bytes() for file in _FILES]
    digest = blake2b(b"\0".join([*contents, _examples_file().read_bytes()]), digest_size=16).hexdigest()
    system, instruction, about = (content.decode("utf-8").strip() for content in contents)
    settings = json.loads(about)
    is_inline = settings["examples"] == "inline"
    return PromptFile(name, settings["form"], is_inline, system, instruction, settings["labels"], digest)


def _turn(given: str, answer: str) -> tuple[Message, Message]:
    return {"role": "user", "content": given}, {"role": "assistant", "content": answer}


@cache
def _examples() -> list[Mapping[str, Any]]:
    examples: list[Mapping[str, Any]] = json.loads(_examples_file().read_text(encoding="utf-8"))
    return examples


def _examples_file() -> Path:
    return _FOLDER / "examples.json"


def _redact(text: str, quotes: Sequence[str]) -> str:
    for quote in sorted(quotes, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(quote)}(?!\w)", f"[{REDACTED}]", text)
    return text
