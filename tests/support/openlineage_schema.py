"""What OpenLineage 2-0-2 and its facets ask of an event of this platform, as a JSON schema.

It is stricter than the specification: whatever the platform does not mean to send is refused, so that nothing else can
leave by a facet that nobody thought of.
"""

import datetime
from typing import Any

import jsonschema

_URI = {"type": "string", "pattern": r"^[a-z][a-z0-9+.\-]*:.+"}
_TEXT = {"type": "string", "minLength": 1}
_NAMESPACE = {"type": "string", "pattern": r"^(postgres://[\w.\-]+:\d+|s3://[\w.\-]+|file)$"}
_COUNT = {"type": "integer", "minimum": 0}


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def _facet(name: str, required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    schema_url = {"type": "string", "pattern": rf"^https://openlineage\.io/spec/.+#/\$defs/{name}$"}
    return _object({"_producer": _URI, "_schemaURL": schema_url, **required}, optional)


_JOB = _object({"namespace": _TEXT, "name": _TEXT}, {"facets": {"type": "object", "maxProperties": 0}})
_RUN = _object({"runId": {"format": "uuid"}}, {"facets": {"type": "object", "maxProperties": 0}})
_RUN_FACETS = _object(
    {
        "processing_engine": _facet("ProcessingEngineRunFacet", {"version": _TEXT}, {"name": _TEXT}),
        "palimpsest_run": _facet(
            "RunFacet",
            {
                "institution": _TEXT,
                "kind": {"enum": ["", "notes", "changes", "restate"]},
                "fingerprint": {"type": "string", "pattern": "^[0-9a-f]*$"},
                "certificate": {"type": "string"},
                "counts": {"type": "object", "additionalProperties": _COUNT},
            },
        ),
    },
    {
        "parent": _facet("ParentRunFacet", {"run": _RUN, "job": _JOB}),
        "errorMessage": _facet(
            "ErrorMessageRunFacet",
            # A class and a place in the code.
            {"message": {"pattern": r"^[\w.]+ at [\w./<>:\-]*$"}, "programmingLanguage": {"const": "python"}},
        ),
    },
)
_TRANSFORMATION = _object(
    {"type": {"enum": ["DIRECT", "INDIRECT"]}, "subtype": {"enum": ["IDENTITY", "TRANSFORMATION"]}},
    {"masking": {"type": "boolean"}},
)
_INPUT_FIELD = _object(
    {"namespace": _NAMESPACE, "name": _TEXT, "field": _TEXT},
    {"transformations": {"type": "array", "items": _TRANSFORMATION}},
)
_FIELDS = {"type": "object", "additionalProperties": _object({"inputFields": {"type": "array", "items": _INPUT_FIELD}})}
_DATASET_FACETS = _object(
    {},
    {
        "version": _facet("DatasetVersionDatasetFacet", {"datasetVersion": _TEXT}),
        "schema": _facet(
            "SchemaDatasetFacet",
            {
                "fields": {
                    "type": "array",
                    "items": _object({"name": _TEXT, "type": _TEXT}, {"fields": {"maxItems": 0}}),
                }
            },
        ),
        "columnLineage": _facet("ColumnLineageDatasetFacet", {"fields": _FIELDS}, {"dataset": {"maxItems": 0}}),
        "storage": _facet("StorageDatasetFacet", {"storageLayer": _TEXT}, {"fileFormat": _TEXT}),
        "catalog": _facet(
            "CatalogDatasetFacet",
            {"framework": {"const": "iceberg"}, "type": _TEXT, "name": _TEXT},
            {"warehouseUri": _URI, "catalogProperties": {"type": "object", "maxProperties": 0}},
        ),
        "symlinks": _facet(
            "SymlinksDatasetFacet",
            {"identifiers": {"type": "array", "items": _object({"namespace": _URI, "name": _TEXT, "type": _TEXT})}},
        ),
    },
)
_DATASET: dict[str, Any] = {"namespace": _NAMESPACE, "name": _TEXT, "facets": _DATASET_FACETS}
_ROWS = _facet("OutputStatisticsOutputDatasetFacet", {"rowCount": _COUNT})

RUN_EVENT = _object(
    {
        "eventType": {"enum": ["START", "COMPLETE", "FAIL"]},
        "eventTime": {"type": "string"},
        "producer": _URI,
        "schemaURL": {"const": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"},
        "run": _object({"runId": {"type": "string", "format": "uuid"}, "facets": _RUN_FACETS}),
        "job": _object(
            {
                "namespace": _TEXT,
                "name": _TEXT,
                "facets": _object(
                    {
                        "jobType": _facet(
                            "JobTypeJobFacet", {"processingType": _TEXT, "integration": _TEXT, "jobType": _TEXT}
                        )
                    }
                ),
            }
        ),
        "inputs": {"type": "array", "items": _object(_DATASET, {"inputFacets": {"maxProperties": 0}})},
        "outputs": {
            "type": "array",
            "items": _object(_DATASET, {"outputFacets": _object({}, {"outputStatistics": _ROWS})}),
        },
    }
)


def check_event(event: dict[str, Any]) -> None:
    """Raise where an event is not what the specification and the platform allow."""
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.Draft202012Validator(RUN_EVENT, format_checker=checker).validate(event)
    assert datetime.datetime.fromisoformat(event["eventTime"]).tzinfo is not None
