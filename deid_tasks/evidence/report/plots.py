"""Dots with intervals as inline SVG: no script, no font and no file from elsewhere, and the figures stand beside the dots."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_LABEL, _PLOT, _FIGURES = 190, 400, 250
_ROW, _TOP, _BOTTOM = 26, 8, 30


@dataclass(frozen=True, slots=True)
class Dot:
    """One line of a plot."""

    label: str
    value: float
    lower: float
    upper: float
    said: str
    """What stands at the right: counts."""
    bound: float | None = None
    """A one-sided bound, drawn as a tick."""
    is_low: bool = False
    """Whether it falls short of its threshold: a filled square, not a circle."""


def dot_plot(dots: Sequence[Dot], title: str, threshold: float | None = None) -> str:
    """An SVG of shares, a line each, on an axis from below the lowest value to 1.

    A circle is the value, the line its interval (cut at the axis' end, with an arrow), a tick its one-sided bound, the dashed line
    the threshold.
    """
    if not dots:
        return ""
    low = _floor(min([dot.value for dot in dots] + ([threshold] if threshold is not None else [])))
    height = _TOP + _ROW * len(dots) + _BOTTOM
    width = _LABEL + _PLOT + _FIGURES

    def x(share: float) -> float:
        return round(_LABEL + _PLOT * (max(share, low) - low) / (1 - low), 1)

    parts = [
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title, {chr(34): "&quot;"})}">',
        f"<title>{escape(title)}</title>",
    ]
    for share in _ticks(low):
        parts.append(f'<line class="grid" x1="{x(share)}" x2="{x(share)}" y1="{_TOP}" y2="{height - _BOTTOM}"/>')
        if threshold is None or abs(share - threshold) > (1 - low) / 8:
            parts.append(
                f'<text class="axis" x="{x(share)}" y="{height - _BOTTOM + 18}" text-anchor="middle">{share:g}</text>'
            )
    if threshold is not None:
        parts.append(
            f'<line class="threshold" x1="{x(threshold)}" x2="{x(threshold)}" y1="{_TOP}" y2="{height - _BOTTOM}"/>'
            f'<text class="axis threshold-text" x="{x(threshold)}" y="{height - _BOTTOM + 18}" text-anchor="middle">needed: {threshold:g}</text>'
        )
    for place, dot in enumerate(dots):
        middle = _TOP + _ROW * place + _ROW / 2
        mark = (
            f'<rect class="dot low" x="{x(dot.value) - 5}" y="{middle - 5}" width="10" height="10"/>'
            if dot.is_low
            else f'<circle class="dot" cx="{x(dot.value)}" cy="{middle}" r="5"/>'
        )
        arrow = (
            f'<text class="axis" x="{_LABEL - 1}" y="{middle + 4}" text-anchor="end">‹</text>'
            if dot.lower < low
            else ""
        )
        tick = (
            f'<line class="bound" x1="{x(dot.bound)}" x2="{x(dot.bound)}" y1="{middle - 8}" y2="{middle + 8}"/>'
            if dot.bound is not None
            else ""
        )
        parts.append(
            f"<g><title>{escape(f'{dot.label}: {dot.value:.4f}, {dot.lower:.4f} to {dot.upper:.4f}; {dot.said}')}</title>"
            f'<text class="label" x="{_LABEL - 14}" y="{middle + 4}" text-anchor="end">{escape(_short(dot.label))}</text>'
            f'<line class="interval" x1="{x(dot.lower)}" x2="{x(dot.upper)}" y1="{middle}" y2="{middle}"/>{arrow}{tick}{mark}'
            f'<text class="figure" x="{_LABEL + _PLOT + 18}" y="{middle + 4}">'
            f'<tspan class="value">{dot.value:.4f}</tspan>  {escape(dot.said)}</text></g>'
        )
    return "".join([*parts, "</svg>"])


def _floor(lowest: float) -> float:
    """Where the axis begins: a round share below the lowest figure, so that near 1 there is something to see."""
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


def _short(label: str) -> str:
    return label if len(label) <= 26 else f"{label[:25]}…"
