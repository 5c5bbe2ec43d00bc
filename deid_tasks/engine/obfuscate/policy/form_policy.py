"""What a policy makes of the spans of a note."""

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from deid_tasks.core.entities import Entity
from deid_tasks.core.forms import IdentifierForm
from deid_tasks.core.policies import FormAction
from deid_tasks.core.span import Span
from deid_tasks.engine.obfuscate.policy.place_forms import divide_address, is_also_town
from deid_tasks.engine.obfuscate.policy.span_extent import with_extent
from deid_tasks.engine.obfuscate.policy.span_forms import form_of_span
from deid_tasks.settings import PolicySettings

_MAX_ADDRESS_GAP = 4
_BEFORE_STATE = frozenset({Entity.CITY, Entity.STREET})


@dataclass(frozen=True, slots=True)
class PolicyPiece:
    """A span, or a part of one, with its form and what becomes of it."""

    span: Span
    form: IdentifierForm
    action: FormAction


class FormPolicy:
    """The policy of the settings, asked about spans.

    Args:
        settings: the section ``policy``.
    """

    def __init__(self, settings: PolicySettings) -> None:
        self.settings = settings
        self.has_forms = settings.has_forms
        self._actions = {form: settings.form_action(form) for form in IdentifierForm}

    def form(self, value: str, entity: Entity, written_at: datetime.datetime | None = None) -> IdentifierForm:
        """Return the form of a text; a note that was written after ``policy.as_of_year`` is judged by its own year."""
        year = self.settings.as_of_year
        if written_at is not None and written_at.year > year:
            year = written_at.year
        return form_of_span(value, entity, year, self.settings.max_kept_age_years)

    def action(self, value: str, entity: Entity, written_at: datetime.datetime | None = None) -> FormAction:
        """Return what becomes of a text."""
        return self._actions[self.form(value, entity, written_at)]

    def divide(self, text: str, spans: Sequence[Span]) -> list[Span]:
        """Return spans with addresses in one span divided into their parts, and towns that are no state marked so.

        Args:
            text: the note.
            spans: spans of it, sorted.
        """
        parts = [part for span in spans for part in divide_address(text, span)]
        return [
            replace(part, entity=Entity.CITY)
            if part.entity is Entity.STATE
            and is_also_town(text[part.start : part.end])
            and not _is_in_address(parts, index)
            else part
            for index, part in enumerate(parts)
        ]

    def pieces(
        self, text: str, spans: Iterable[Span], written_at: datetime.datetime | None = None
    ) -> list[PolicyPiece]:
        """Return the pieces of the spans of a note, in order, each with its form and what becomes of it.

        Under a policy without forms each span is one piece.
        """
        ordered = sorted(spans)
        divided = self.divide(text, ordered) if self.has_forms else ordered
        found = []
        for span in divided:
            form = self.form(text[span.start : span.end], span.entity, written_at)
            found.append(PolicyPiece(span, form, self._actions[form]))
        return found

    def identifiers(
        self, text: str, spans: Iterable[Span], written_at: datetime.datetime | None = None
    ) -> list[PolicyPiece]:
        """Return the pieces that are identifiers under the policy, in the extent that the settings ask for.

        Under a policy without forms all are, whether or not they stay in the text.
        """
        pieces = [
            piece for piece in self.pieces(text, spans, written_at) if not self.has_forms or piece.action != "keep"
        ]
        return self._with_extents(text, pieces)

    def kept(self, text: str, spans: Iterable[Span], written_at: datetime.datetime | None = None) -> list[Span]:
        """Return the pieces that are no identifiers under the policy."""
        if not self.has_forms:
            return []
        return [piece.span for piece in self.pieces(text, spans, written_at) if piece.action == "keep"]

    def _with_extents(self, text: str, pieces: list[PolicyPiece]) -> list[PolicyPiece]:
        titles, units = self.settings.titles, self.settings.age_units
        if titles == "found" and units == "found":
            return pieces
        spans = with_extent(text, [piece.span for piece in pieces], titles, units)
        return [replace(piece, span=span) for piece, span in zip(pieces, spans, strict=True)]


def _is_in_address(parts: Sequence[Span], index: int) -> bool:
    """Whether a town stands right before a state, or a ZIP right behind it."""
    part = parts[index]
    before = parts[index - 1] if index else None
    after = parts[index + 1] if index + 1 < len(parts) else None
    return bool(
        (before and before.entity in _BEFORE_STATE and part.start - before.end <= _MAX_ADDRESS_GAP)
        or (after and after.entity is Entity.ZIP and after.start - part.end <= _MAX_ADDRESS_GAP)
    )
