"""Runs checks as Great Expectations suites, over PostgreSQL or a frame, and tells in our own words what fell short.

Great Expectations counts a failed warning as a failure of the suite; here only what is critical blocks, the rest is reported.
"""

import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from deid_tasks.core.errors import GateError
from deid_tasks.evidence.gate.expectations import figure_expectation

if TYPE_CHECKING:
    import pandas as pd

Severity = Literal["critical", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Check:
    """One figure and the bounds it must keep; ``meaning`` completes the sentence 'failed: …'.

    ``figure_expectation`` says what the fields between are.
    """

    figure: str
    meaning: str
    terms: Mapping[str, float] = field(default_factory=dict)
    per: Mapping[str, float] = field(default_factory=dict)
    where: Mapping[str, object] = field(default_factory=dict)
    starts: Mapping[str, str] = field(default_factory=dict)
    below: Mapping[str, float] = field(default_factory=dict)
    minimum: float | None = None
    maximum: float | None = None
    severity: Severity = "critical"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What did not hold, one sentence each."""

    failures: tuple[str, ...] = ()
    """Critical: nothing is published."""
    warnings: tuple[str, ...] = ()

    def __add__(self, other: "Verdict") -> "Verdict":
        return Verdict(self.failures + other.failures, self.warnings + other.warnings)


def check_frame(suite: str, checks: Sequence[Check], frame: "pd.DataFrame", docs: Path | None = None) -> Verdict:
    """Run ``checks`` over the rows of a frame."""
    with _context(docs) as context:
        asset = context.data_sources.add_pandas(suite).add_dataframe_asset(suite)
        batches = asset.add_batch_definition_whole_dataframe("rows")
        return _run(context, suite, batches, checks, {"dataframe": frame})


def check_tables(
    suite: str, uri: str, schema: str, checks: Mapping[str, Sequence[Check]], docs: Path | None = None
) -> Verdict:
    """Run checks over tables of PostgreSQL; rows that are not committed yet are not seen.

    Args:
        suite: name of the suites, one a table.
        uri: of the database; it is neither kept nor rendered.
        schema: of the tables.
        checks: by table.
        docs: folder of the Data Docs; none are written where ``None``.

    Raises:
        GateError: a table cannot be read.
    """
    verdict = Verdict()
    with _context(docs) as context:
        try:
            address = uri.replace("postgresql://", "postgresql+psycopg2://", 1)
            place = {"options": f"-csearch_path={schema}"}
            source = context.data_sources.add_postgres(suite, connection_string=address, kwargs={"connect_args": place})
            for table, asked in checks.items():
                asset = source.add_table_asset(table, table_name=table)
                batches = asset.add_batch_definition_whole_table("rows")
                verdict += _run(context, f"{suite} · {table}", batches, asked, None)
            source.get_engine().dispose()
        except Exception as error:
            # Its text may hold the address, and with it the password.
            raise GateError(f"{suite}: Great Expectations cannot read {schema}: {type(error).__name__}") from None
    return verdict


def _run(context: Any, suite: str, batches: Any, checks: Sequence[Check], parameters: dict[str, Any] | None) -> Verdict:
    import great_expectations as gx

    expectation = figure_expectation()
    expectations = gx.ExpectationSuite(name=suite)
    for check in checks:
        expectations.add_expectation(
            expectation(
                name=check.figure,
                meaning=check.meaning,
                terms=dict(check.terms),
                per=dict(check.per),
                where=dict(check.where),
                starts=dict(check.starts),
                below=dict(check.below),
                min_value=check.minimum,
                max_value=check.maximum,
                severity=check.severity,
            )
        )
    definition = gx.ValidationDefinition(name=suite, data=batches, suite=context.suites.add(expectations))
    result = context.validation_definitions.add(definition).run(batch_parameters=parameters)
    outcomes = {outcome.expectation_config.kwargs["name"]: outcome for outcome in result.results}
    told: dict[Severity, list[str]] = {"critical": [], "warning": [], "info": []}
    for check in checks:
        outcome = outcomes.get(check.figure)
        if outcome is None or not outcome.success:
            observed = outcome.result.get("observed_value") if outcome else None
            told[check.severity].append(_sentence(check, observed))
    return Verdict(tuple(told["critical"]), tuple(told["warning"] + told["info"]))


def _sentence(check: Check, value: float | None) -> str:
    bounds = []
    if check.minimum is not None:
        bounds.append(f"at least {check.minimum:g}")
    if check.maximum is not None:
        bounds.append(f"at most {check.maximum:g}")
    shown = "not known" if value is None else f"{value:.0f}" if value == round(value) else f"{value:.4f}"
    return f"{check.figure} is {shown}, must be {' and '.join(bounds)}: {check.meaning}"


@contextmanager
def _context(docs: Path | None) -> Iterator[Any]:
    """A context that lives as long as the block; with ``docs``, results are kept there and the site is built at its end."""
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    import great_expectations as gx
    from great_expectations.data_context.types.base import DataContextConfig, ProgressBarsConfig

    memory = {"class_name": "InMemoryStoreBackend"}
    stores: dict[str, Any] = {
        "expectations_store": {"class_name": "ExpectationsStore", "store_backend": memory},
        "validation_results_store": {"class_name": "ValidationResultsStore", "store_backend": memory},
        "checkpoint_store": {"class_name": "CheckpointStore", "store_backend": memory},
        "validation_definition_store": {"class_name": "ValidationDefinitionStore", "store_backend": memory},
    }
    sites: dict[str, Any] = {}
    if docs:
        docs.mkdir(parents=True, exist_ok=True)
        stores["validation_results_store"]["store_backend"] = _folder(docs / "results")
        sites["palimpsest"] = {
            "class_name": "SiteBuilder",
            "show_how_to_buttons": False,
            "store_backend": _folder(docs / "site"),
            "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"},
        }
    context = gx.get_context(
        mode="ephemeral",
        project_config=DataContextConfig(
            stores=stores,
            expectations_store_name="expectations_store",
            validation_results_store_name="validation_results_store",
            checkpoint_store_name="checkpoint_store",
            data_docs_sites=sites,
            analytics_enabled=False,
        ),
    )
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    yield context
    if docs:
        with (docs / ".lock").open("w") as lock:
            # Runs beside each other write one index.
            fcntl.flock(lock, fcntl.LOCK_EX)
            context.build_data_docs()


def _folder(path: Path) -> dict[str, Any]:
    return {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(path)}
