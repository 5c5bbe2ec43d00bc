"""Notes of the warehouse to samples for annotation, frozen under versions."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from psycopg2.extensions import connection as Connection  # noqa: N812
from pydantic import ValidationError

from deid_tasks.core.errors import SettingsError, WarehouseError
from deid_tasks.evidence.sampling import UNDATED, GroupSize, SampleVersion, allocate_sample, period_names
from deid_tasks.platform.runs.disagreement import Committee, most_disagreeing_notes
from deid_tasks.platform.runs.institution_engine import load_engine
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.sample import DrawnStratum, SampleDraw, Stratum, open_draw
from deid_tasks.settings import (
    DESIGNS,
    DISAGREEMENT,
    RENAMED_DESIGNS,
    Design,
    InstitutionSettings,
    Renamed,
    SamplingSettings,
    Secrets,
)

logger = logging.getLogger(__name__)

_DESIGNS = Renamed("sampling", values={"designs": RENAMED_DESIGNS})
_STRATIFIED = {"size", "min_notes_per_stratum", "weight", "periods", "seed"}


@logged_step
def draw_samples(
    settings: InstitutionSettings,
    secrets: Secrets,
    overrides: dict[str, Any] | None = None,
    designs: Iterable[str] = DESIGNS,
) -> list[dict[str, Any]]:
    """Draw and freeze a sample of each design from one reading of the warehouse.

    - A stratified sample is enriched with long notes of every type, which hold many identifiers. It shows errors with
    few
      notes, but its figures do not hold for all notes.
    - A simple random sample gives figures that hold for all notes. A note may be in both.
    - A disagreement sample holds the notes, in no other sample yet, on which the detectors differ most. It is for
    training
      alone, because its figures hold for no other notes.

    The same warehouse and settings give the same versions and change nothing. A disagreement sample that was drawn with
    the same settings and fingerprint is returned as it is.

    Args:
        settings: The institution.
        secrets: Its secrets.
        overrides: Values for keys of ``settings.sampling`` that replace what is set.
        designs: Samples to draw; a sample whose size is 0 is left out.

    Returns:
        Of each sample: version, design, counts, strata, and ``shared_notes``, the notes that are in more than one of
        the samples. A warning is logged where the samples together are larger than the warehouse.

    Raises:
        SettingsError: an override breaks the settings' rules, a design is unknown, or there is no model that could
            differ.
        WarehouseError: there is no note to draw from, or no note on which detectors differ.
    """
    chosen = _overridden(settings.sampling, overrides or {})
    wanted = _wanted(chosen, designs)
    committee = Committee.of(load_engine(settings, secrets), settings.detect) if DISAGREEMENT in wanted else None
    with (
        connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection,
        open_draw(connection, settings) as draw,
    ):
        groups = draw.groups(chosen.periods)
        if not groups:
            raise WarehouseError(
                f"{settings.schema_name('staging')}.stg_note has no note to draw from;"
                f" run dictionaries__{settings.institution}, and check the staging model where it stays empty"
            )
        reports = [_draw(draw, chosen, groups, design) for design in wanted if design != DISAGREEMENT]
        if committee:
            reports.append(_draw_disagreement(draw, connection, settings, chosen, groups, committee))
        shared = draw.shared_notes([report["sample_version"] for report in reports])
    _warn_of_notes_drawn_twice(reports, shared)
    return [report | {"shared_notes": shared} for report in reports]


def _warn_of_notes_drawn_twice(reports: Sequence[dict[str, Any]], shared: int) -> None:
    """Log a warning where the hospital has too few notes for samples of the sizes that are set."""
    of_notes = reports[0]["of_notes"]
    if shared and sum(report["notes"] for report in reports) > of_notes:
        logger.warning(
            "the samples hold %d notes twice, because the warehouse has only %d: annotators would mark them twice;"
            " lower sampling.size or sampling.random_size so that together they are at most %d",
            shared,
            of_notes,
            of_notes,
        )


def _wanted(chosen: SamplingSettings, designs: Iterable[str]) -> list[Design]:
    """Return the designs to draw, in the order of drawing: a disagreement sample leaves out the notes of the others."""
    asked = set(_DESIGNS.apply({"designs": list(designs)})["designs"])
    if unknown := asked - set(DESIGNS):
        raise SettingsError(f"sampling: unknown designs {', '.join(sorted(unknown))}; choose from {', '.join(DESIGNS)}")
    sizes = {"stratified": chosen.size, "random": chosen.random_size, DISAGREEMENT: chosen.disagreement_size}
    wanted = [design for design in DESIGNS if design in asked and sizes[design]]
    if not wanted:
        raise SettingsError(
            "sampling: nothing to draw: the size of every chosen design is 0; choose another design or set its size"
        )
    return wanted


def _draw(draw: SampleDraw, chosen: SamplingSettings, groups: Sequence[Stratum], design: Design) -> dict[str, Any]:
    if design == "stratified":
        periods = _periods(chosen)
        sizes = [GroupSize(g.note_type, periods[g.period], g.notes, g.mean_words) for g in groups]
        allotments = allocate_sample(sizes, chosen.size, chosen.min_notes_per_stratum, chosen.weight)
        wanted = {(g.note_type, g.period): a.notes for g, a in zip(groups, allotments, strict=True)}
        draw.draw_by_stratum(chosen.periods, wanted, chosen.seed)
        size, drawn_as = chosen.size, chosen.model_dump(mode="json", include=_STRATIFIED)
        weights = [a.weight for a in allotments]
    else:
        draw.draw_at_random(chosen.periods, chosen.random_size, chosen.seed)
        size, drawn_as = chosen.random_size, chosen.model_dump(mode="json", include={"random_size", "seed", "periods"})
        wanted, weights = {}, [0.0] * len(groups)
    return _freeze(draw, chosen, groups, design, size, drawn_as, wanted, weights)


def _draw_disagreement(
    draw: SampleDraw,
    connection: Connection,
    settings: InstitutionSettings,
    chosen: SamplingSettings,
    groups: Sequence[Stratum],
    committee: Committee,
) -> dict[str, Any]:
    drawn_as = chosen.model_dump(mode="json", include={"disagreement_size", "disagreement_pool", "seed", "periods"})
    drawn_as |= {"fingerprint": committee.engine.fingerprint, "held_out": settings.training.held_out}
    # Drawing again would leave out the notes of this very sample and take others.
    if known := draw.find_frozen(DISAGREEMENT, drawn_as):
        version, notes, drawn = known
        return _report(draw, DISAGREEMENT, version, notes, groups, drawn)
    draw.draw_listed(chosen.periods, most_disagreeing_notes(draw, connection, settings, chosen, committee))
    return _freeze(draw, chosen, groups, DISAGREEMENT, chosen.disagreement_size, drawn_as, {}, [0.0] * len(groups))


def _freeze(
    draw: SampleDraw,
    chosen: SamplingSettings,
    groups: Sequence[Stratum],
    design: Design,
    size: int,
    drawn_as: Mapping[str, Any],
    wanted: Mapping[tuple[str, int], int],
    weights: Sequence[float],
) -> dict[str, Any]:
    """Freeze the notes that were drawn, under their version."""
    periods = _periods(chosen)
    version = SampleVersion(design, drawn_as)
    for note_id, digest in draw.drawn():
        version.add(note_id, digest)
    counts = draw.counts()
    drawn = [
        DrawnStratum(
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
    return _report(draw, design, version.finish(), notes, groups, drawn)


def _report(
    draw: SampleDraw,
    design: Design,
    version: str,
    notes: int,
    groups: Sequence[Stratum],
    drawn: Sequence[DrawnStratum],
) -> dict[str, Any]:
    return {
        "sample_version": version,
        "design": design,
        "notes": notes,
        "of_notes": sum(group.notes for group in groups),
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


def _periods(chosen: SamplingSettings) -> tuple[str, ...]:
    return (*period_names(chosen.periods), UNDATED)


def _overridden(sampling: SamplingSettings, overrides: dict[str, Any]) -> SamplingSettings:
    try:
        return SamplingSettings.model_validate({**sampling.model_dump(), **overrides})
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise SettingsError(f"sampling: {problems}") from None
