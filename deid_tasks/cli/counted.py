"""What an evaluation counts: the entities of a group, the forms of a policy, and what ``--without`` leaves out."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Annotated

import typer

from deid_tasks.cli.gold_files import Pair
from deid_tasks.core.entities import GROUP_ENTITIES, Entity, Group
from deid_tasks.core.errors import DeidError
from deid_tasks.core.forms import forms_of
from deid_tasks.core.policies import EXPERT
from deid_tasks.settings import PolicySettings

WithoutOption = Annotated[
    str,
    typer.Option(
        "--without",
        help="Entities that the gold notes do not annotate, separated by commas, for example TIME,AGE: they count on"
        " neither side.",
    ),
]


def counted_group(group: str, policy: PolicySettings) -> Group:
    """Return the group of entities that counts.

    Args:
        group: what ``--group`` gives; empty for that of the policy.
        policy: the policy that the scores count by.

    Raises:
        DeidError: there is no such group, or the policy decides by form and not by group.
    """
    if not group:
        return policy.group
    if group not in Group.__members__:
        raise DeidError(f"--group is A, B or C, not {group!r}")
    if policy.preset != EXPERT and Group(group) is not Group.C:
        raise DeidError(
            f"--group {group} is for policy {EXPERT}: {policy.preset} says by form what counts; leave out one of both"
        )
    return Group(group)


def entities_of(names: str) -> frozenset[Entity]:
    """Return the entities that ``--without`` names.

    Raises:
        DeidError: a name is not an entity.
    """
    given = {name.strip() for name in names.split(",") if name.strip()}
    if unknown := sorted(given - set(Entity.__members__)):
        raise DeidError(f"--without: {unknown[0]!r} is not an entity; there are {', '.join(Entity)}")
    return frozenset(map(Entity, given))


def without_entities(pairs: Iterable[Pair], without: frozenset[Entity]) -> Iterator[Pair]:
    """Yield the pairs without some entities: neither missed where the gold has them, nor wrong where they are found.

    What was marked on such text as another entity counts on neither side too, as in ``deid compare``.
    """
    from deid_tasks.comparison.gold import ComparedNote, cut_out, narrowed
    from deid_tasks.core.entities import Category

    for note, found in pairs:
        compared = ComparedNote(note.note_id, note.text, tuple(note.spans), note.patient_id)
        compared = narrowed(compared, frozenset(Category), without)
        spans = [span for span in found if span.entity not in without]
        yield replace(note, spans=compared.spans), cut_out(spans, compared.ignored)


def counted_sentence(policy: PolicySettings, group: Group, without: frozenset[Entity] = frozenset()) -> str:
    """Return in one sentence what scores count, and what they leave out."""
    left_out = f"; left out on both sides: {', '.join(sorted(without))}" if without else ""
    if not policy.has_forms:
        stays = [str(entity) for entity in policy.keep if entity in GROUP_ENTITIES[group]]
        stays += [] if policy.age_groups else [f"ages up to {policy.max_kept_age_years}"]
        also = f", and so do {' and '.join(stays)}, which policy {policy.name} leaves in the text" if stays else ""
        return f"all entities of group {group} count{also}{left_out}"
    stays = [name for entity in Entity for name in _kept_of(policy, entity)]
    if not stays:
        return f"all forms count: policy {policy.name} leaves none in the text{left_out}"
    return f"not counted, since policy {policy.name} leaves them in the text: {', '.join(stays)}{left_out}"


def _kept_of(policy: PolicySettings, entity: Entity) -> list[str]:
    """Return the entity if the policy leaves all of its forms, else those forms that it leaves."""
    if policy.keeps(entity):
        return [str(entity)]
    return [str(form) for form in forms_of(entity) if policy.form_action(form) == "keep"]
