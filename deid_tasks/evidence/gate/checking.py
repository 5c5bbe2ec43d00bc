"""Runs checks with Great Expectations over tables of PostgreSQL, and says in a sentence what fell short.

Great Expectations counts a failed warning as a failure of the suite. Here only critical checks block; warnings are
reported.
"""

import fcntl
import logging
import os
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from deid_tasks.core.errors import GateError
from deid_tasks.evidence.gate.expectation import figure_expectation

Severity = Literal["critical", "warning", "info"]

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Check:
    """One figure and its bounds; ``figure_expectation`` documents the fields that say how it is computed."""

    figure: str
    """The name of the figure."""
    meaning: str
    """What the figure is, with the gold set or run it is about."""
    remedy: str = ""
    """What a person does if the figure is out of bounds."""
    terms: Mapping[str, float] = field(default_factory=dict)
    divided_by: Mapping[str, float] = field(default_factory=dict)
    where: Mapping[str, object] = field(default_factory=dict)
    starts_with: Mapping[str, str] = field(default_factory=dict)
    below: Mapping[str, float] = field(default_factory=dict)
    minimum: float | None = None
    maximum: float | None = None
    severity: Severity = "critical"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The checks that failed, one sentence each."""

    failures: tuple[str, ...] = ()
    """Critical checks: nothing is published."""
    warnings: tuple[str, ...] = ()
    """Other checks: they are reported and block nothing."""

    def __add__(self, other: "Verdict") -> "Verdict":
        return Verdict(self.failures + other.failures, self.warnings + other.warnings)


def check_tables(
    suite: str, uri: str, schema: str, checks: Mapping[str, Sequence[Check]], docs: Path | None = None
) -> Verdict:
    """Run checks over tables of PostgreSQL; rows that are not committed are not seen.

    Args:
        suite: The name of the suites, one for each table.
        uri: Of the database; it is neither stored nor rendered.
        schema: Of the tables.
        checks: By table.
        docs: The folder of the Data Docs; ``None`` writes none.

    Raises:
        GateError: A table cannot be read.
    """
    verdict = Verdict()
    with _context(docs) as context:
        try:
            address = uri.replace("postgresql://", "postgresql+psycopg2://", 1)
            options = {"options": f"-csearch_path={schema}"}
            source = context.data_sources.add_postgres(
                suite, connection_string=address, kwargs={"connect_args": options}
            )
            for table, table_checks in checks.items():
                asset = source.add_table_asset(table, table_name=table)
                batches = asset.add_batch_definition_whole_table("rows")
                verdict += _run(context, f"{suite} · {table}", batches, table_checks)
            source.get_engine().dispose()
        except Exception as error:
            # The message may hold the address with the password: log and raise class and code location only.
            kind = type(error).__name__
            frame = traceback.extract_tb(error.__traceback__)[-1]
            _LOG.error("%s: %s at %s:%s", suite, kind, Path(frame.filename).name, frame.lineno)
            raise GateError(
                f"{suite}: Great Expectations cannot read schema {schema}: {kind}; check the warehouse connection and"
                f" that the tables {', '.join(checks)} exist"
            ) from None
    return verdict


def _run(context: Any, suite: str, batches: Any, checks: Sequence[Check]) -> Verdict:
    import great_expectations as gx

    expectation = figure_expectation()
    expectations = gx.ExpectationSuite(name=suite)
    for check in checks:
        expectations.add_expectation(
            expectation(
                name=check.figure,
                meaning=check.meaning,
                terms=dict(check.terms),
                divided_by=dict(check.divided_by),
                where=dict(check.where),
                starts_with=dict(check.starts_with),
                below=dict(check.below),
                min_value=check.minimum,
                max_value=check.maximum,
                severity=check.severity,
            )
        )
    definition = gx.ValidationDefinition(name=suite, data=batches, suite=context.suites.add(expectations))
    result = context.validation_definitions.add(definition).run()
    outcomes = {outcome.expectation_config.kwargs["name"]: outcome for outcome in result.results}
    failed: dict[Severity, list[str]] = {"critical": [], "warning": [], "info": []}
    for check in checks:
        outcome = outcomes.get(check.figure)
        if outcome is None or not outcome.success:
            observed = outcome.result.get("observed_value") if outcome else None
            failed[check.severity].append(_sentence(check, observed))
    return Verdict(tuple(failed["critical"]), tuple(failed["warning"] + failed["info"]))


def _sentence(check: Check, value: float | None) -> str:
    """Say what is wrong, where, and what to do."""
    bounds = []
    if check.minimum is not None:
        bounds.append(f"at least {check.minimum:g}")
    if check.maximum is not None:
        bounds.append(f"at most {check.maximum:g}")
    shown = "not known" if value is None else f"{value:.0f}" if value == round(value) else f"{value:.4f}"
    remedy = f" ({check.remedy})" if check.remedy else ""
    return f"{check.figure} is {shown}, must be {' and '.join(bounds)}: {check.meaning}{remedy}"


@contextmanager
def _context(docs: Path | None) -> Iterator[Any]:
    """Yield a Great Expectations context; with ``docs``, results are stored there and the site is built at the end."""
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    # Importing the library logs some 200 lines of "Skipping registering function …" at level INFO.
    logging.getLogger("great_expectations").setLevel(logging.WARNING)
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
        stores["validation_results_store"]["store_backend"] = _folder_backend(docs / "results")
        sites["palimpsest"] = {
            "class_name": "SiteBuilder",
            "show_how_to_buttons": False,
            "store_backend": _folder_backend(docs / "site"),
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
            # Concurrent runs write the same index.
            fcntl.flock(lock, fcntl.LOCK_EX)
            context.build_data_docs()


def _folder_backend(path: Path) -> dict[str, Any]:
    return {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(path)}
