"""DotRow plots with intervals as inline SVG, so that the page needs no script, font or other file.

A plotting library would not be simpler here: Altair needs a megabyte of JavaScript inside the page, and matplotlib,
which nothing else needs, draws labels as paths that cannot be searched or styled for dark mode and print.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_LABEL, _PLOT, _FIGURES = 190, 400, 250
_ROW, _TOP, _BOTTOM = 26, 8, 30


@dataclass(frozen=True, slots=True)
class DotRow:
    """One row of a plot."""

    label: str
    value: float
    lower: float
    upper: float
    caption: str
    """The text at the right: counts."""
    bound: float | None = None
    """A one-sided bound, drawn as a tick."""
    is_low: bool = False
    """Whether the value falls short of its threshold; it is drawn as a square."""


def dot_plot(dots: Sequence[DotRow], title: str, threshold: float | None = None) -> str:
    """Return an SVG of shares, one row each, on an axis from below the lowest value to 1; empty without rows.

    A circle is the value, a line its interval (cut at the end of the axis, with an arrow), a tick its one-sided bound,
    and the dashed line the threshold.
    """
    if not dots:
        return ""
    low = _axis_start(min([dot.value for dot in dots] + ([threshold] if threshold is not None else [])))
    height = _TOP + _ROW * len(dots) + _BOTTOM
    attributes = f'viewBox="0 0 {_LABEL + _PLOT + _FIGURES} {height}" role="img"'
    parts = [
        f'<svg {attributes} aria-label="{escape(title, {chr(34): "&quot;"})}">',
        f"<title>{escape(title)}</title>",
        *_axis(low, height, threshold),
        *(_row(dot, _TOP + _ROW * number + _ROW / 2, low) for number, dot in enumerate(dots)),
        "</svg>",
    ]
    return "".join(parts)


def _x(share: float, low: float) -> float:
    """Return the horizontal position of a share on an axis from ``low`` to 1."""
    return round(_LABEL + _PLOT * (max(share, low) - low) / (1 - low), 1)


def _axis(low: float, height: int, threshold: float | None) -> Iterator[str]:
    bottom, label = height - _BOTTOM, height - _BOTTOM + 18
    for share in _ticks(low):
        x = _x(share, low)
        yield f'<line class="grid" x1="{x}" x2="{x}" y1="{_TOP}" y2="{bottom}"/>'
        # The label of the threshold would cover that of a tick nearby.
        if threshold is None or abs(share - threshold) > (1 - low) / 8:
            yield f'<text class="axis" x="{x}" y="{label}" text-anchor="middle">{share:g}</text>'
    if threshold is not None:
        x = _x(threshold, low)
        yield f'<line class="threshold" x1="{x}" x2="{x}" y1="{_TOP}" y2="{bottom}"/>'
        yield f'<text class="axis threshold-text" x="{x}" y="{label}" text-anchor="middle">needed: {threshold:g}</text>'


def _row(dot: DotRow, middle: float, low: float) -> str:
    x = _x(dot.value, low)
    if dot.is_low:
        mark = f'<rect class="dot low" x="{x - 5}" y="{middle - 5}" width="10" height="10"/>'
    else:
        mark = f'<circle class="dot" cx="{x}" cy="{middle}" r="5"/>'
    arrow = tick = ""
    if dot.lower < low:
        arrow = f'<text class="axis" x="{_LABEL - 1}" y="{middle + 4}" text-anchor="end">‹</text>'
    if dot.bound is not None:
        bound = _x(dot.bound, low)
        tick = f'<line class="bound" x1="{bound}" x2="{bound}" y1="{middle - 8}" y2="{middle + 8}"/>'
    title = escape(f"{dot.label}: {dot.value:.4f}, {dot.lower:.4f} to {dot.upper:.4f}; {dot.caption}")
    ends = f'x1="{_x(dot.lower, low)}" x2="{_x(dot.upper, low)}"'
    return (
        f"<g><title>{title}</title>"
        f'<text class="label" x="{_LABEL - 14}" y="{middle + 4}" text-anchor="end">'
        f"{escape(_shortened(dot.label))}</text>"
        f'<line class="interval" {ends} y1="{middle}" y2="{middle}"/>{arrow}{tick}{mark}'
        f'<text class="figure" x="{_LABEL + _PLOT + 18}" y="{middle + 4}">'
        f'<tspan class="value">{dot.value:.4f}</tspan>  {escape(dot.caption)}</text></g>'
    )


def _axis_start(lowest: float) -> float:
    """Return the start of the axis: a round share below the lowest figure, so that differences near 1 are visible."""
    for floor in (0.98, 0.95, 0.9, 0.8, 0.6, 0.5):
        if lowest >= floor + 0.1 * (1 - floor):
            return floor
    return 0.0


def _ticks(low: float) -> list[float]:
    step = 10 ** math.floor(math.log10((1 - low) / 2))
    while (1 - low) / step > 6:
        step *= 2 if (1 - low) / step <= 12 else 2.5
    count = int(round((1 - low) / step, 6))
    return [round(1 - step * i, 6) for i in range(count + 1)]


def _shortened(label: str) -> str:
    return label if len(label) <= 26 else f"{label[:25]}…"
