"""The expectation that a figure, made of sums over some rows of a table, lies between bounds.

Only the sums leave the database: Great Expectations stores, prints and renders no row.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

METRIC = "palimpsest.figure"
_FIGURE_FIELDS = ("terms", "divided_by", "where", "starts_with", "below")


@cache
def figure_expectation() -> Any:
    """Return the expectation class; the first call registers it with Great Expectations, whose import takes seconds.

    Its fields:

    - ``name`` and ``meaning``: for people.
    - ``terms``: weights by column; the figure is the weighted sum over all rows, or the number of rows without terms.
    - ``divided_by``: weights by column whose sum the figure is divided by.
    - ``where``: the value by column that a row must have.
    - ``starts_with``: the beginning by column that a row's value must have.
    - ``below``: the bound by column under which a row's value must lie.
    - ``min_value``, ``max_value``: the bounds, both included.

    Without rows, or with a divisor of 0, the figure is unknown, and the expectation fails.
    """
    import sqlalchemy as sa
    from great_expectations.compatibility import pydantic
    from great_expectations.core.metric_domain_types import MetricDomainTypes
    from great_expectations.execution_engine import SqlAlchemyExecutionEngine
    from great_expectations.expectations.expectation import BatchExpectation, render_suite_parameter_string
    from great_expectations.expectations.metrics.metric_provider import metric_value
    from great_expectations.expectations.metrics.table_metric_provider import TableMetricProvider
    from great_expectations.render.components import LegacyRendererType, RenderedStringTemplateContent
    from great_expectations.render.renderer.renderer import renderer

    class Figure(TableMetricProvider):
        metric_name = METRIC
        value_keys = _FIGURE_FIELDS

        @metric_value(engine=SqlAlchemyExecutionEngine)
        def _sql(
            cls,  # noqa: N805 - the decorator makes it a class method
            execution_engine: Any,
            metric_domain_kwargs: dict[str, Any],
            metric_value_kwargs: dict[str, Any],
            **_: Any,
        ) -> float | None:
            rows, _domain, _kwargs = execution_engine.get_compute_domain(
                domain_kwargs=metric_domain_kwargs, domain_type=MetricDomainTypes.TABLE
            )
            fields = metric_value_kwargs
            conditions = [sa.column(column) == value for column, value in fields["where"].items()]
            conditions += [
                sa.column(c).startswith(value, autoescape=True) for c, value in fields["starts_with"].items()
            ]
            conditions += [sa.column(column) < bound for column, bound in fields["below"].items()]
            weights = [*fields["terms"].items(), *fields["divided_by"].items()]
            sums = [sa.func.sum(sa.cast(sa.column(column), sa.Double) * weight) for column, weight in weights]
            # SQL skips NULL in a sum; here a row without a value makes the figure unknown, so count the values too.
            counts = [sa.func.count(sa.column(column)) for column, _weight in weights]
            query = sa.select(sa.func.count(), *sums, *counts).select_from(rows).where(*conditions)
            return _figure(fields, execution_engine.execute_query(query).fetchone())

    class ExpectFigureToBeBetween(BatchExpectation):
        """A sum over rows, or the number of rows, lies between bounds."""

        name: str
        meaning: str
        terms: dict[str, float] = pydantic.Field(default_factory=dict)
        divided_by: dict[str, float] = pydantic.Field(default_factory=dict)
        where: dict[str, Any] = pydantic.Field(default_factory=dict)
        starts_with: dict[str, str] = pydantic.Field(default_factory=dict)
        below: dict[str, float] = pydantic.Field(default_factory=dict)
        min_value: float | None = None
        max_value: float | None = None

        metric_dependencies: ClassVar[tuple[str, ...]] = (METRIC,)
        success_keys: ClassVar[tuple[str, ...]] = ("name", "meaning", *_FIGURE_FIELDS, "min_value", "max_value")

        def _validate(
            self, metrics: dict[Any, Any], runtime_configuration: Any = None, execution_engine: Any = None
        ) -> dict[str, Any]:
            del runtime_configuration, execution_engine
            value = metrics[METRIC]
            is_inside = value is not None and (self.min_value is None or value >= self.min_value)
            is_inside = is_inside and (self.max_value is None or value <= self.max_value)
            return {"success": bool(is_inside), "result": {"observed_value": value}}

        @classmethod
        @renderer(renderer_type=LegacyRendererType.PRESCRIPTIVE)
        @render_suite_parameter_string
        def _prescriptive_renderer(
            cls, configuration: Any = None, result: Any = None, runtime_configuration: Any = None
        ) -> list[Any]:
            """Return the sentence in Data Docs."""
            del result, runtime_configuration
            kwargs = configuration.kwargs
            bounds = [("at least", kwargs.get("min_value")), ("at most", kwargs.get("max_value"))]
            content = {
                "template": "$name must be $bounds: $meaning (severity: $severity)",
                "params": {
                    "name": kwargs["name"],
                    "bounds": " and ".join(f"{word} {bound:g}" for word, bound in bounds if bound is not None),
                    "meaning": kwargs["meaning"],
                    "severity": str(getattr(configuration.severity, "value", configuration.severity)),
                },
            }
            return [RenderedStringTemplateContent(content_block_type="string_template", string_template=content)]

    return ExpectFigureToBeBetween


def _figure(fields: Mapping[str, Any], row: Sequence[Any]) -> float | None:
    """Return the figure, or ``None`` if it is unknown.

    Args:
        fields: Of the expectation.
        row: The number of rows, then the sum of each term and divisor, then the number of values of each.
    """
    rows, values = row[0], row[1:]
    sums, counts = values[: len(values) // 2], values[len(values) // 2 :]
    known = [float(s) if n == rows and s is not None else float("nan") for s, n in zip(sums, counts, strict=True)]
    terms, divisors = known[: len(fields["terms"])], known[len(fields["terms"]) :]
    if not terms:
        return float(rows)
    value = sum(terms)
    if divisors:
        value = value / sum(divisors) if sum(divisors) else float("nan")
    return value if rows and value == value else None
