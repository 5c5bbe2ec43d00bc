"""Notes of the warehouse to samples for people to annotate, frozen under versions."""

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import ValidationError

from deid_tasks.errors import SettingsError, WarehouseError
from deid_tasks.sampling import GroupSize, SampleVersion, allot, period_names
from deid_tasks.sampling.periods import UNDATED
from deid_tasks.settings import InstitutionSettings, Secrets
from deid_tasks.settings.model import Design, SamplingSettings
from deid_tasks.warehouse import connect
from deid_tasks.warehouse.sample import DrawnGroup, GroupRow, SampleDraw, open_draw

DESIGNS: tuple[Design, ...] = ("stratified", "random")


def draw_samples(
    settings: InstitutionSettings,
    secrets: Secrets,
    overrides: dict[str, Any] | None = None,
    designs: Iterable[Design] = DESIGNS,
) -> list[dict[str, Any]]:
    """Draw and freeze a sample of each design from one reading of the warehouse.

    A stratified sample is enriched: its notes are long, of every type, and hold identifiers; it shows what is missed with few
    notes, and its figures do not stand for all notes. A simple random one is not enriched, and its figures do. A note may
    be in both. The same warehouse and settings give the same versions, and change nothing.

    Args:
        settings: The institution's.
        secrets: The institution's.
        overrides: Keys of ``settings.sampling`` to draw with in place of what is set.
        designs: Which samples to draw; a random one of size 0 is left out.

    Returns:
        Version, design, counts and groups of each sample: nothing of any note.

    Raises:
        SettingsError: an override breaks the settings' rules.
        WarehouseError: there is not a single note to draw from.
    """
    chosen = _overridden(settings.sampling, overrides or {})
    with (
        connect(secrets.text(settings.warehouse.connection)) as connection,
        open_draw(connection, settings) as draw,
    ):
        groups = draw.groups(chosen.periods)
        if not groups:
            raise WarehouseError(f"{settings.schema_name('staging')}.stg_note holds no note to draw from")
        return [
            _draw(draw, chosen, groups, design) for design in designs if design == "stratified" or chosen.random_size
        ]


def _draw(draw: SampleDraw, chosen: SamplingSettings, groups: Sequence[GroupRow], design: Design) -> dict[str, Any]:
    periods = (*period_names(chosen.periods), UNDATED)
    if design == "stratified":
        sizes = [GroupSize(g.note_type, periods[g.period], g.notes, g.mean_words) for g in groups]
        allotments = allot(sizes, chosen.size, chosen.least, chosen.weight)
        wanted = {(g.note_type, g.period): a.notes for g, a in zip(groups, allotments, strict=True)}
        draw.rank(chosen.periods, wanted, chosen.seed)
        size, drawn_as = chosen.size, chosen.model_dump(mode="json", exclude={"random_size"})
        weights = [a.weight for a in allotments]
    else:
        draw.at_random(chosen.periods, chosen.random_size, chosen.seed)
        size, drawn_as = chosen.random_size, chosen.model_dump(mode="json", include={"random_size", "seed", "periods"})
        wanted, weights = {}, [0.0] * len(groups)
    version = SampleVersion(design, drawn_as)
    for note_id, digest in draw.drawn():
        version.add(note_id, digest)
    counts = draw.counts()
    drawn = [
        DrawnGroup(
            g.note_type,
            periods[g.period],
            g.notes,
            g.mean_words,
            weight,
            wanted.get((g.note_type, g.period), 0),
            counts.get((g.note_type, g.period), 0),
        )
        for g, weight in zip(groups, weights, strict=True)
    ]
    notes = draw.freeze(version.finish(), design, chosen.seed, size, drawn_as, drawn, periods)
    return {
        "sample_version": version.finish(),
        "design": design,
        "notes": notes,
        "of_notes": sum(g.notes for g in groups),
        "too_long": draw.too_long,
        "groups": [
            {
                "note_type": g.note_type,
                "period": g.period,
                "notes": g.notes,
                "mean_words": round(g.mean_words, 2),
                "weight": round(g.weight, 1),
                "allotted": g.allotted,
                "drawn": g.drawn,
            }
            for g in drawn
        ],
    }


def _overridden(sampling: SamplingSettings, overrides: dict[str, Any]) -> SamplingSettings:
    try:
        return SamplingSettings.model_validate({**sampling.model_dump(), **overrides})
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise SettingsError(f"sampling: {problems}") from None
