"""OpenLineage events of a step's record."""

import datetime
import os
from functools import cache

import attr
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.generated.base import DatasetFacet, OutputDatasetFacet, RunFacet
from openlineage.client.generated.catalog_dataset import CatalogDatasetFacet
from openlineage.client.generated.column_lineage_dataset import (
    ColumnLineageDatasetFacet,
    Fields,
    InputField,
    Transformation,
)
from openlineage.client.generated.dataset_version_dataset import DatasetVersionDatasetFacet
from openlineage.client.generated.error_message_run import ErrorMessageRunFacet
from openlineage.client.generated.job_type_job import JobTypeJobFacet
from openlineage.client.generated.output_statistics_output_dataset import OutputStatisticsOutputDatasetFacet
from openlineage.client.generated.parent_run import Job as ParentJob
from openlineage.client.generated.parent_run import ParentRunFacet
from openlineage.client.generated.parent_run import Run as ParentRun
from openlineage.client.generated.processing_engine_run import ProcessingEngineRunFacet
from openlineage.client.generated.schema_dataset import SchemaDatasetFacet, SchemaDatasetFacetFields
from openlineage.client.generated.storage_dataset import StorageDatasetFacet
from openlineage.client.generated.symlinks_dataset import Identifier, SymlinksDatasetFacet

from deid_tasks import __version__
from deid_tasks.platform.lineage.datasets import ColumnSource, LineageDataset
from deid_tasks.platform.lineage.recording import LineageRecord

_PRODUCER = "urn:palimpsest"


@attr.define
class PalimpsestRunFacet(RunFacet):
    """What decides a step's output, and what it counted."""

    institution: str = ""
    kind: str = ""
    fingerprint: str = ""
    certificate: str = ""
    counts: dict[str, int] = attr.field(factory=dict)

    @staticmethod
    def _get_schema() -> str:
        return "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunFacet"


@cache
def _client() -> OpenLineageClient:
    return OpenLineageClient()


def send_event(event_type: str, record: LineageRecord) -> None:
    """Send an event; raises whatever the transport raises.

    The client itself would add facets of the environment and of the checkout. They are no business of the consumer.
    """
    _client().transport.emit(run_event(event_type, record))


def run_event(event_type: str, record: LineageRecord) -> RunEvent:
    """Return the event of a record: ``START``, ``COMPLETE`` or ``FAIL``."""
    namespace = os.environ.get("OPENLINEAGE_NAMESPACE") or "palimpsest"
    return RunEvent(
        eventType=RunState[event_type],
        eventTime=datetime.datetime.now(datetime.UTC).isoformat(),
        run=Run(runId=str(record.run), facets=_run_facets(record, namespace)),
        job=Job(
            namespace=namespace,
            name=f"{record.institution}.{record.step}",
            facets={"jobType": JobTypeJobFacet("BATCH", "PALIMPSEST", "TASK", producer=_PRODUCER)},
        ),
        inputs=[InputDataset(one.namespace, one.name, facets=_dataset_facets(one)) for one in record.inputs],
        outputs=[_output(one) for one in record.outputs],
        producer=_PRODUCER,
    )


def _run_facets(record: LineageRecord, namespace: str) -> dict[str, RunFacet]:
    facets: dict[str, RunFacet] = {
        "processing_engine": ProcessingEngineRunFacet(__version__, "palimpsest", producer=_PRODUCER),
        "palimpsest_run": PalimpsestRunFacet(
            institution=record.institution,
            kind=record.kind,
            fingerprint=record.fingerprint,
            certificate=record.certificate,
            counts=dict(record.counts),
            producer=_PRODUCER,
        ),
    }
    if record.parent is not None:
        job = ParentJob(namespace, f"{record.institution}.{record.kind}")
        facets["parent"] = ParentRunFacet(ParentRun(str(record.parent)), job, producer=_PRODUCER)
    if record.error:
        facets["errorMessage"] = ErrorMessageRunFacet(record.error, "python", producer=_PRODUCER)
    return facets


def _output(dataset: LineageDataset) -> OutputDataset:
    facets: dict[str, OutputDatasetFacet] = {}
    if dataset.rows is not None:
        facets["outputStatistics"] = OutputStatisticsOutputDatasetFacet(rowCount=dataset.rows, producer=_PRODUCER)
    return OutputDataset(dataset.namespace, dataset.name, facets=_dataset_facets(dataset), outputFacets=facets)


def _dataset_facets(dataset: LineageDataset) -> dict[str, DatasetFacet]:
    facets: dict[str, DatasetFacet] = {}
    if dataset.version:
        facets["version"] = DatasetVersionDatasetFacet(dataset.version, producer=_PRODUCER)
    if dataset.columns:
        fields = [SchemaDatasetFacetFields(name, kind) for name, kind in dataset.columns.items()]
        facets["schema"] = SchemaDatasetFacet(fields, producer=_PRODUCER)
    if dataset.sources:
        lineage = {name: Fields([_input_field(one) for one in found]) for name, found in dataset.sources.items()}
        facets["columnLineage"] = ColumnLineageDatasetFacet(lineage, producer=_PRODUCER)
    kind, table = dataset.catalog
    if table:
        warehouse = f"{dataset.namespace}/{dataset.name}"
        facets["storage"] = StorageDatasetFacet("iceberg", "parquet", producer=_PRODUCER)
        facets["catalog"] = CatalogDatasetFacet(
            "iceberg", kind, "palimpsest", warehouseUri=warehouse, producer=_PRODUCER
        )
        facets["symlinks"] = SymlinksDatasetFacet([Identifier(dataset.namespace, table, "TABLE")], producer=_PRODUCER)
    return facets


def _input_field(source: ColumnSource) -> InputField:
    how = Transformation("DIRECT", "TRANSFORMATION" if source.is_masked else "IDENTITY", masking=source.is_masked)
    return InputField(source.dataset.namespace, source.dataset.name, source.column, [how])
