"""What changed from the engine that notes were published with to the one in use, and which notes that can touch.

Promoted engines are compared by what is stored of them. Engines of one base fingerprint differ in dictionaries and
known people alone. Known people touch nothing: a surrogate avoids the people who were known before its patient was, so
a later generation changes no surrogate.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import LexiconError
from deid_tasks.engine.lexicon import LexiconDelta
from deid_tasks.engine.obfuscate.policy import touched_entities
from deid_tasks.platform.runs.institution_engine import lexicon_delta
from deid_tasks.platform.runs.promotion import pin_of
from deid_tasks.platform.runs.reports import EnginePin
from deid_tasks.platform.warehouse.promoted_engines import PromotedEngine, promoted_engines
from deid_tasks.platform.warehouse.stale_notes import StaleNote
from deid_tasks.settings import InstitutionSettings, PolicySettings, Secrets


class StaleCause(StrEnum):
    """Why a published note may come out differently under the engine in use."""

    TERMS = "dictionary_terms"
    """Its text holds a term that came, left or changed its kind in the dictionaries."""
    POLICY = "policy"
    """It has an entity that the changed policy treats differently, or the policy now lets dates stay."""
    CODE_OR_MODEL = "code_or_model"
    """Code, models, harvest or other settings changed: any note may differ."""
    PRUNED = "pruned"
    """The dictionaries of its engine were deleted, so that nothing says what changed."""
    REQUESTED = "requested"
    """A person asked for it."""


@dataclass(frozen=True)
class EngineChange:
    """What changed from one engine to the one in use."""

    whole: StaleCause | None = None
    """Why every note may differ; ``None`` where only those may that ``entities`` or ``terms`` touch."""
    entities: frozenset[str] = frozenset()
    terms: LexiconDelta | None = field(default=None, repr=False)

    def causes(self, notes: Sequence[StaleNote]) -> list[StaleCause | None]:
        """Return, for each note, why it may come out differently; ``None`` where it cannot."""
        if self.whole:
            return [self.whole] * len(notes)
        has_term = self.terms.touched([note.text or "" for note in notes]) if self.terms else [False] * len(notes)
        return [
            StaleCause.POLICY if self._is_touched_by_policy(note) else StaleCause.TERMS if one else None
            for note, one in zip(notes, has_term, strict=True)
        ]

    def _is_touched_by_policy(self, note: StaleNote) -> bool:
        # A step may have failed on a quarantined note before its entities were known.
        return bool(note.entities & self.entities) or (note.is_quarantined and bool(self.entities))


def engine_changes(
    connection: Connection, settings: InstitutionSettings, secrets: Secrets, former: Sequence[str], pin: EnginePin
) -> dict[str, EngineChange]:
    """Return what changed from each former engine, named by its fingerprint, to the pinned one."""
    promoted = {engine.fingerprint: engine for engine in promoted_engines(connection, settings)}
    present = promoted.get(pin["fingerprint"])
    return {one: _change(settings, secrets, promoted.get(one), present) for one in former}


def _change(
    settings: InstitutionSettings, secrets: Secrets, former: PromotedEngine | None, present: PromotedEngine | None
) -> EngineChange:
    if former is None or present is None:
        return EngineChange(StaleCause.PRUNED)
    entities: frozenset[str] = frozenset()
    if former.base_fingerprint != present.base_fingerprint:
        if not present.policy_free_fingerprint or former.policy_free_fingerprint != present.policy_free_fingerprint:
            return EngineChange(StaleCause.CODE_OR_MODEL)
        before, after = (PolicySettings.model_validate_json(one.policy) for one in (former, present))
        if before.keeps_dates != after.keeps_dates:
            # The published time of every note moves with the dates, or stays with them.
            return EngineChange(StaleCause.POLICY)
        entities = frozenset(touched_entities(before, after))
    if former.lexicon == present.lexicon:
        return EngineChange(entities=entities)
    try:
        terms = lexicon_delta(settings, secrets, pin_of(former), pin_of(present))
    except LexiconError:
        return EngineChange(StaleCause.PRUNED)
    return EngineChange(entities=entities, terms=terms if len(terms) else None)
