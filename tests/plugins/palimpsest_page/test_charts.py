"""Charts as coordinates: axes, intervals, limits and what is said in place of a picture."""

import datetime

import pytest
from palimpsest_page.charts import (
    Limit,
    Point,
    Scale,
    Series,
    axis_ticks,
    band_bar,
    interval_bar,
    line_chart,
    sparkline,
)
from palimpsest_page.periods import PERIODS, period_of

FIRST = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)


def points(*values, **bounds):
    return [Point(FIRST + datetime.timedelta(days=30 * n), value, **bounds) for n, value in enumerate(values)]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.0, 1.0, [0, 0.25, 0.5, 0.75, 1.0]),
        (0.981, 1.0, [0.98, 0.985, 0.99, 0.995, 1.0]),
        (0, 1480, [0, 500, 1000, 1500]),
        (3, 3, [2.9 + 0.1 * n for n in range(6)]),
        (0, 0, [0, 0.025, 0.05, 0.075, 0.1]),
    ],
)
def test_axes_have_round_steps_that_hold_every_value(low, high, ticks):
    found = axis_ticks(low, high)
    assert found[0] <= low
    assert found[-1] >= high
    assert len(found) <= 6
    if low != high or low == 0:
        assert found == pytest.approx(ticks)


def test_a_chart_holds_its_points_intervals_and_limits():
    chart = line_chart(
        [Series("random", points(0.99, 0.992, lower=0.985, upper=0.995)), Series("none", [])],
        [Limit("0.98 required", 0.98)],
        decimals=4, top=1.0,
    )  # fmt: skip
    [line] = chart.lines
    assert [mark.text for mark in line.marks] == [
        "random, 2024-01-01: 0.9900 (interval 0.9850 to 0.9950)",
        "random, 2024-01-31: 0.9920 (interval 0.9850 to 0.9950)",
    ]
    assert line.marks[1].y < line.marks[0].y, "the higher value is drawn higher"
    assert line.band.endswith("Z")
    [(limit, name)] = chart.limits
    assert name == "0.98 required"
    assert limit > max(mark.y for mark in line.marks)
    assert all(0 <= mark.x <= chart.width and 0 <= mark.y <= chart.height for mark in line.marks)
    assert [tick.label for tick in chart.y_ticks] == ["0.980", "0.985", "0.990", "0.995", "1.000"]
    assert next(tick.label for tick in chart.x_ticks) == "01 Jan"


def test_a_chart_of_nothing_is_none_and_one_of_a_point_is_drawn():
    assert line_chart([Series("none", [])]) is None
    chart = line_chart([Series("one", points(5.0))], bottom=0.0)
    assert len(chart.lines[0].marks) == len(chart.x_ticks) == 1
    assert sparkline(points(5.0), "runs") is None


def test_years_have_years_on_their_axis():
    chart = line_chart([Series("one", points(*range(30)))])
    assert next(tick.label for tick in chart.x_ticks) == "Jan 2024"


def test_values_outside_an_axis_stand_at_its_end():
    scale = Scale(0.9, 1.0, 0, 100)
    assert [scale(value) for value in (0.5, 0.9, 0.95, 1.0, 1.5)] == [0, 0, 50, 100, 100]
    assert Scale(1, 1, 0, 100)(1) == 50


def test_bars_order_their_parts():
    bar = interval_bar(0.97, 0.95, 0.98, 0.9, 0.95)
    assert bar.start == bar.limit < bar.value < bar.end
    band = band_bar(0.2, 0.04, 0.06, 0.09)
    assert band.start < band.baseline < band.end < band.value
    assert band_bar(None, 0.04, 0.06, 0.09).value is None


def test_a_sparkline_says_what_it_draws():
    spark = sparkline(points(0.99, 0.97, 0.98), "evaluations", band=(0.96, 1.0))
    assert spark.text == "from 0.990 to 0.980 over 3 evaluations, lowest 0.970, highest 0.990"
    assert spark.band[1] > 0


def test_every_period_has_at_most_forty_points():
    assert all(period.days / period.bucket_days <= 40 for period in PERIODS)
    assert period_of("years").days == 1_098
    assert period_of("'; drop table run --") == period_of(None) == period_of("quarter")
