"""Figures as coordinates: what the templates draw as SVG. Nothing here is HTML, and no library draws in a browser."""

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

Moment = datetime.datetime | datetime.date

_WIDTH, _HEIGHT = 640.0, 260.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 60.0, 16.0, 24.0, 34.0
_STEPS = (1, 2, 2.5, 5, 10)
_TICKS = 4


@dataclass(frozen=True, slots=True)
class Point:
    """One figure at one time, with its interval where it has one."""

    at: Moment
    value: float
    lower: float | None = None
    upper: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart."""

    name: str
    points: Sequence[Point]


@dataclass(frozen=True, slots=True)
class Limit:
    """A value that a figure is compared with: a horizontal line with a name."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Mark:
    """A point as drawn."""

    x: float
    y: float
    text: str
    """What a pointer on it shows."""


@dataclass(frozen=True, slots=True)
class Line:
    """A series as drawn: the path, the outline of its interval (empty without one), and its points."""

    name: str
    number: int
    """Position among the series, from 1; chooses colour, dashes and shape."""
    path: str
    band: str
    marks: list[Mark]


@dataclass(frozen=True, slots=True)
class Tick:
    """A label of an axis and where it stands."""

    position: float
    label: str


@dataclass(frozen=True, slots=True)
class LineChart:
    """A chart as drawn, in a box of ``width`` by ``height`` units."""

    lines: list[Line]
    limits: list[tuple[float, str]]
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    width: float = _WIDTH
    height: float = _HEIGHT


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values between two ends to positions between two others; all values to the middle where the ends agree."""

    low: float
    high: float
    first: float
    last: float

    def __call__(self, value: float) -> float:
        """Return the position of a value, at the nearer end for one that lies outside."""
        if self.high <= self.low:
            return round((self.first + self.last) / 2, 1)
        share = min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))
        return round(self.first + share * (self.last - self.first), 1)


@dataclass(frozen=True, slots=True)
class IntervalBar:
    """A value, its interval and the value required, on an axis from ``low`` to ``high``."""

    start: float
    end: float
    value: float
    limit: float | None


@dataclass(frozen=True, slots=True)
class BandBar:
    """A value beside the band that it should lie in, and the baseline in the band."""

    start: float
    end: float
    baseline: float
    value: float | None


@dataclass(frozen=True, slots=True)
class Sparkline:
    """A line without axes, with what a screen reader says in its place."""

    path: str
    last: tuple[float, float]
    band: tuple[float, float] | None = None
    """Upper edge and height of the band that the values should lie in."""
    text: str = field(default="", repr=False)


BAR_WIDTH, SPARK_WIDTH, SPARK_HEIGHT = 160.0, 120.0, 28.0


def line_chart(
    series: Sequence[Series],
    limits: Sequence[Limit] = (),
    *,
    decimals: int = 3,
    top: float | None = None,
    bottom: float | None = None,
) -> LineChart | None:
    """Return the chart of these series; ``None`` where no series has a point.

    Args:
        series: The lines; those without points are left out, and keep their number.
        limits: Horizontal lines.
        decimals: Digits after the point in texts.
        top: Highest value of the axis, such as 1 for a share; by default one above every value.
        bottom: Lowest value of the axis; by default one below every value.
    """
    points = [point for one in series for point in one.points]
    if not points:
        return None
    values = [v for p in points for v in (p.value, p.lower, p.upper) if v is not None]
    ticks = axis_ticks(
        min([*values, *(limit.value for limit in limits)]) if bottom is None else bottom,
        max([*values, *(limit.value for limit in limits)]) if top is None else top,
    )
    y = Scale(ticks[0], ticks[-1], _HEIGHT - _BOTTOM, _TOP)
    times = [_seconds(point.at) for point in points]
    x = Scale(min(times), max(times), _LEFT, _WIDTH - _RIGHT)
    lines = [_line(number, one, x, y, decimals) for number, one in enumerate(series, start=1) if one.points]
    digits = max(0, -math.floor(math.log10(ticks[1] - ticks[0]) + 1e-9)) + (not _is_round(ticks[1] - ticks[0]))
    return LineChart(
        lines,
        [(y(limit.value), limit.name) for limit in limits],
        _time_ticks(min(points, key=_when).at, max(points, key=_when).at, x),
        [Tick(y(tick), f"{tick:,.{digits}f}") for tick in ticks],
    )


def axis_ticks(low: float, high: float) -> list[float]:
    """Return round values from at or below ``low`` to at or above ``high``, about five, in equal steps."""
    if high <= low:
        high = low + (abs(low) or 1.0) / 10
    raw = (high - low) / _TICKS
    size = 10.0 ** math.floor(math.log10(raw))
    step = size * next(factor for factor in _STEPS if factor * size >= raw - 1e-12)
    first = math.floor(low / step + 1e-9)
    last = math.ceil(high / step - 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]


def interval_bar(value: float, lower: float, upper: float, low: float, limit: float | None = None) -> IntervalBar:
    """Return a bar on an axis from ``low`` to 1."""
    x = Scale(low, 1.0, 4, BAR_WIDTH - 4)
    return IntervalBar(x(lower), x(upper), x(value), None if limit is None else x(limit))


def band_bar(value: float | None, lowest: float, baseline: float, highest: float) -> BandBar:
    """Return a value beside its band, on an axis from 0 to a third above the larger of both."""
    x = Scale(0.0, max(highest, value or 0.0) * 4 / 3 or 1.0, 4, BAR_WIDTH - 4)
    return BandBar(x(lowest), x(highest), x(baseline), None if value is None else x(value))


def sparkline(
    points: Sequence[Point], what: str, *, decimals: int = 3, band: tuple[float, float] | None = None
) -> Sparkline | None:
    """Return a small line; ``None`` for fewer than two points, which show no course.

    Args:
        points: The figures in order of time.
        what: What a point is, in the plural, for the text: ``evaluations``.
        decimals: Digits after the point in the text.
        band: The lowest and the highest value that are expected.
    """
    if len(points) < 2:
        return None
    values = [point.value for point in points]
    low, high = min([*values, *(band or ())]), max([*values, *(band or ())])
    x = Scale(_seconds(points[0].at), _seconds(points[-1].at), 4, SPARK_WIDTH - 4)
    y = Scale(low, high, SPARK_HEIGHT - 4, 4)
    drawn = [(x(_seconds(point.at)), y(point.value)) for point in points]
    text = (
        f"from {values[0]:.{decimals}f} to {values[-1]:.{decimals}f} over {len(values)} {what}, lowest"
        f" {min(values):.{decimals}f}, highest {max(values):.{decimals}f}"
    )
    edges = (y(band[1]), round(y(band[0]) - y(band[1]), 1)) if band else None
    return Sparkline(_path(drawn), drawn[-1], edges, text)


def _line(number: int, series: Series, x: Scale, y: Scale, decimals: int) -> Line:
    points = sorted(series.points, key=_when)
    drawn = [(x(_seconds(p.at)), y(p.value)) for p in points]
    marks = [
        Mark(*place, f"{series.name}, {p.at:%Y-%m-%d}: {_figure(p, decimals)}")
        for place, p in zip(drawn, points, strict=True)
    ]
    upper = [(x(_seconds(p.at)), y(p.upper)) for p in points if p.upper is not None]
    lower = [(x(_seconds(p.at)), y(p.lower)) for p in points if p.lower is not None]
    return Line(
        series.name, number, _path(drawn), f"{_path([*upper, *lower[::-1]])}Z" if upper and lower else "", marks
    )


def _figure(point: Point, decimals: int) -> str:
    text = f"{point.value:,.{decimals}f}"
    if point.lower is None or point.upper is None:
        return text
    return f"{text} (interval {point.lower:.{decimals}f} to {point.upper:.{decimals}f})"


def _path(places: Sequence[tuple[float, float]]) -> str:
    return "".join(f"{'L' if number else 'M'}{x:g} {y:g}" for number, (x, y) in enumerate(places))


def _time_ticks(first: Moment, last: Moment, x: Scale) -> list[Tick]:
    """Return at most five dates in equal steps; one for a single point."""
    start, end = _seconds(first), _seconds(last)
    days = (end - start) / 86_400
    steps = min(_TICKS, max(1, math.floor(days))) if end > start else 0
    form = "%b %Y" if days > 400 else "%d %b"
    ticks = []
    for number in range(steps + 1):
        seconds = start + (end - start) * (number / steps if steps else 0)
        ticks.append(Tick(x(seconds), datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime(form)))
    return ticks


def _when(point: Point) -> float:
    return _seconds(point.at)


def _seconds(moment: Moment) -> float:
    if not isinstance(moment, datetime.datetime):
        moment = datetime.datetime.combine(moment, datetime.time())
    return (moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)).timestamp()


def _is_round(step: float) -> bool:
    """Whether a step of an axis has one digit that is not zero, so that 0.25 shows two."""
    scaled = step / 10.0 ** math.floor(math.log10(step) + 1e-9)
    return abs(scaled - round(scaled)) < 1e-6
