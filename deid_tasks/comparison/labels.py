"""A system's labels as our entities."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from deid_tasks.comparison.protocol import SystemAnswer, SystemSpan
from deid_tasks.core.entities import Entity
from deid_tasks.core.errors import InputError
from deid_tasks.core.span import Span

_PREFIX = re.compile(r"[BIELSU]-(?=.)")
"""The position of a word piece in its span, as token classifiers write it."""

_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_.:/-]{0,39}")
NOT_A_LABEL = "(not a plain label)"


@dataclass
class LabelMap:
    """Turns a system's spans into ours, and counts the labels that it does not know."""

    entities: Mapping[str, Entity | None]
    """Our entity by label; ``None`` for what is not an identifier."""
    unknown: Counter[str] = field(default_factory=Counter)
    """Spans by label that the map lacks; they count as identifiers of no particular kind."""

    def __post_init__(self) -> None:
        self._folded = {label.upper(): entity for label, entity in self.entities.items()}

    def spans(self, found: Iterable[SystemSpan], system: str) -> list[Span]:
        """Return the spans whose label is an identifier."""
        spans = []
        for one in found:
            entity = self._entity(one.label)
            if entity is not None:
                spans.append(Span(one.start, one.end, entity, system, 1.0 if one.score is None else one.score))
        return sorted(spans)

    def without_text(self, answer: SystemAnswer, text: str) -> SystemAnswer:
        """Return the answer with labels that may quote the note replaced: a system can write anything there.

        A label stays if the map has it, or if it looks like a label and is no part of the note.
        """
        spans = [
            one if self._is_label(one.label, text) else SystemSpan(one.start, one.end, NOT_A_LABEL, one.score)
            for one in answer.spans
        ]
        return replace(answer, spans=tuple(spans))

    def _is_label(self, label: str, text: str) -> bool:
        if label in self.entities or _PREFIX.sub("", label, count=1).upper() in self._folded:
            return True
        return bool(_LABEL.fullmatch(label)) and label.casefold() not in text.casefold()

    def _entity(self, label: str) -> Entity | None:
        if label in self.entities:
            return self.entities[label]
        bare = _PREFIX.sub("", label, count=1).upper()
        if bare in self._folded:
            return self._folded[bare]
        self.unknown[label] += 1
        return Entity.OTHER_ID


def read_label_map(path: Path) -> LabelMap:
    """Return the map of a ``labels.json``.

    Raises:
        InputError: The file cannot be read, or a value is neither an entity nor null.
    """
    try:
        labels = json.loads(path.read_text(encoding="utf-8"))
        return LabelMap({label: None if name is None else Entity(name) for label, name in labels.items()})
    except (OSError, ValueError, AttributeError) as error:
        raise InputError(f"{path}: is not a map from labels to entities or null: {error}") from None
