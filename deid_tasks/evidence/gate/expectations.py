"""Our own expectation: a figure made of sums over some rows of a table lies between bounds.

The same figure comes out of a pandas frame and out of PostgreSQL, where only the sums leave the database: nothing that Great
Expectations keeps, prints or renders holds a row.
"""

from functools import cache
from typing import Any, ClassVar

METRIC = "palimpsest.figure"


@cache
def figure_expectation() -> Any:
    """The expectation class, registered with Great Expectations on the first call, since importing that takes seconds.

    Its fields: ``name`` and ``meaning`` for people; ``terms``, weights by column, whose weighted sum over all rows is the figure,
    and which is the number of rows where there are none; ``per``, the same for what the figure is divided by; ``where``, values
    by column that a row must have; ``starts`` a beginning by column, ``below`` a bound by column that a row must lie
    under; ``min_value`` and ``max_value``, both
    included. No rows to sum over, or a divisor of 0, is no figure, and fails.
    """
    import sqlalchemy as sa
    from great_expectations.compatibility import pydantic
    from great_expectations.core.metric_domain_types import MetricDomainTypes
    from great_expectations.execution_engine import PandasExecutionEngine, SqlAlchemyExecutionEngine
    from great_expectations.expectations.expectation import BatchExpectation, render_suite_parameter_string
    from great_expectations.expectations.metrics.metric_provider import metric_value
    from great_expectations.expectations.metrics.table_metric_provider import TableMetricProvider
    from great_expectations.render.components import LegacyRendererType, RenderedStringTemplateContent
    from great_expectations.render.renderer.renderer import renderer

    class Figure(TableMetricProvider):
        metric_name = METRIC
        value_keys = ("terms", "per", "where", "starts", "below")

        @metric_value(engine=PandasExecutionEngine)
        def _pandas(
            cls,  # noqa: N805 - the decorator makes it a class method
            execution_engine: Any,
            metric_domain_kwargs: dict[str, Any],
            metric_value_kwargs: dict[str, Any],
            **_: Any,
        ) -> float | None:
            frame, _domain, _kwargs = execution_engine.get_compute_domain(
                domain_kwargs=metric_domain_kwargs, domain_type=MetricDomainTypes.TABLE
            )
            asked = metric_value_kwargs
            for column, value in asked["where"].items():
                frame = frame[frame[column] == value]
            for column, beginning in asked["starts"].items():
                frame = frame[frame[column].str.startswith(beginning)]
            for column, bound in asked["below"].items():
                frame = frame[frame[column] < bound]
            sums = [
                [float((frame[column] * weight).sum(skipna=False)) for column, weight in asked[part].items()]
                for part in ("terms", "per")
            ]
            return _figure(asked, len(frame), *sums)

        @metric_value(engine=SqlAlchemyExecutionEngine)
        def _sql(
            cls,  # noqa: N805 - as above
            execution_engine: Any,
            metric_domain_kwargs: dict[str, Any],
            metric_value_kwargs: dict[str, Any],
            **_: Any,
        ) -> float | None:
            rows, _domain, _kwargs = execution_engine.get_compute_domain(
                domain_kwargs=metric_domain_kwargs, domain_type=MetricDomainTypes.TABLE
            )
            asked = metric_value_kwargs
            conditions = [sa.column(column) == value for column, value in asked["where"].items()]
            conditions += [sa.column(c).startswith(begin, autoescape=True) for c, begin in asked["starts"].items()]
            conditions += [sa.column(column) < bound for column, bound in asked["below"].items()]
            columns = [(c, w) for part in ("terms", "per") for c, w in asked[part].items()]
            # A row without a value would vanish from a sum; it shall be no figure.
            selected = [sa.func.sum(sa.cast(sa.column(c), sa.Double) * w) for c, w in columns]
            known = [sa.func.count(sa.column(c)) for c, _w in columns]
            question = sa.select(sa.func.count(), *selected, *known).select_from(rows).where(*conditions)
            count, *found = execution_engine.execute_query(question).fetchone()
            sums, counts = found[: len(columns)], found[len(columns) :]
            whole = [
                float(s) if n == count and s is not None else float("nan") for s, n in zip(sums, counts, strict=True)
            ]
            return _figure(asked, count, whole[: len(asked["terms"])], whole[len(asked["terms"]) :])

    class ExpectFigureToBeBetween(BatchExpectation):
        """A sum over rows, or the number of them, lies between bounds."""

        name: str
        meaning: str
        terms: dict[str, float] = pydantic.Field(default_factory=dict)
        per: dict[str, float] = pydantic.Field(default_factory=dict)
        where: dict[str, Any] = pydantic.Field(default_factory=dict)
        starts: dict[str, str] = pydantic.Field(default_factory=dict)
        below: dict[str, float] = pydantic.Field(default_factory=dict)
        min_value: float | None = None
        max_value: float | None = None

        metric_dependencies: ClassVar[tuple[str, ...]] = (METRIC,)
        success_keys: ClassVar[tuple[str, ...]] = (
            "name",
            "meaning",
            "terms",
            "per",
            "where",
            "starts",
            "below",
            "min_value",
            "max_value",
        )

        def _validate(
            self, metrics: dict[Any, Any], runtime_configuration: Any = None, execution_engine: Any = None
        ) -> dict[str, Any]:
            del runtime_configuration, execution_engine
            value = metrics[METRIC]
            is_good = value is not None and (self.min_value is None or value >= self.min_value)
            is_good = is_good and (self.max_value is None or value <= self.max_value)
            return {"success": bool(is_good), "result": {"observed_value": value}}

        @classmethod
        @renderer(renderer_type=LegacyRendererType.PRESCRIPTIVE)
        @render_suite_parameter_string
        def _prescriptive_renderer(
            cls, configuration: Any = None, result: Any = None, runtime_configuration: Any = None
        ) -> list[Any]:
            """What Data Docs say of it."""
            del result, runtime_configuration
            kwargs = configuration.kwargs
            bounds = [("at least", kwargs.get("min_value")), ("at most", kwargs.get("max_value"))]
            told = " and ".join(f"{said} {bound:g}" for said, bound in bounds if bound is not None)
            content = {
                "template": "$name must be $bounds: $meaning (severity: $severity)",
                "params": {
                    "name": kwargs["name"],
                    "bounds": told,
                    "meaning": kwargs["meaning"],
                    "severity": str(getattr(configuration.severity, "value", configuration.severity)),
                },
            }
            return [RenderedStringTemplateContent(content_block_type="string_template", string_template=content)]

    return ExpectFigureToBeBetween


def _figure(asked: dict[str, Any], count: int, terms: list[float], per: list[float]) -> float | None:
    if not asked["terms"]:
        return float(count)
    value = sum(terms)
    if per:
        value = value / sum(per) if sum(per) else float("nan")
    return value if count and value == value else None
