"""Azure AI Language, detection of personal information in the domain ``phi`` (REST, version 2023-04-01).

A document of a synchronous request has at most 5,120 text elements, which code points never are fewer than. Offsets
count UTF-16 code units unless the request asks for ``UnicodeCodePoint``. The request opts out of logging.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import httpx
from pydantic import Field

from deid_tasks.comparison.cloud.service import ServiceSettings
from deid_tasks.comparison.protocol import SystemSpan
from deid_tasks.endpoints.rest import EndpointError, RestClient
from deid_tasks.settings.endpoints import check_endpoint, secret_of

_API_VERSION = "2023-04-01"


class AzureSettings(ServiceSettings):
    """Settings of Azure AI Language."""

    endpoint: str = Field(description="Address of the resource: https://NAME.cognitiveservices.azure.com")
    key_variable: str = Field(default="AZURE_LANGUAGE_KEY", description="Environment variable with the key.")
    model_version: str = "latest"
    language: str = "en"


class AzureLanguage:
    """PII detection, domain phi."""

    service = "azure"

    def __init__(self, settings: AzureSettings) -> None:
        """Open no connection yet; raises ``SettingsError`` if the key or the permission is missing."""
        check_endpoint(settings.endpoint, "endpoint", allow_remote=settings.allow_remote)
        self._settings = settings
        self._rest = RestClient(
            settings.endpoint,
            {"Ocp-Apim-Subscription-Key": secret_of(settings.key_variable, "key_variable")},
            timeout_seconds=settings.timeout_seconds,
            attempts=settings.attempts,
            max_wait_seconds=settings.max_wait_seconds,
            connections=settings.concurrency,
        )
        self.version = f"PII phi {settings.model_version}, API {_API_VERSION}"

    def read_part(self, part: str) -> Sequence[SystemSpan]:
        """Return the spans of one part; raises ``EndpointError`` if the service did not read it."""
        body = {
            "kind": "PiiEntityRecognition",
            "parameters": {
                "modelVersion": self._settings.model_version,
                "domain": "phi",
                "stringIndexType": "UnicodeCodePoint",
                "loggingOptOut": True,
            },
            "analysisInput": {"documents": [{"id": "1", "language": self._settings.language, "text": part}]},
        }
        results = self._rest.post(
            "language/:analyze-text", body, lambda response: json_of(response, "azure"), {"api-version": _API_VERSION}
        ).get("results", {})
        if errors := results.get("errors"):
            raise EndpointError(f"azure: the document was refused: {errors[0].get('error', {}).get('code')}")
        documents = results.get("documents") or []
        if not documents:
            raise EndpointError("azure: the answer has no document")
        return [
            SystemSpan(one["offset"], one["offset"] + one["length"], _label(one), one.get("confidenceScore"))
            for one in documents[0].get("entities", ())
        ]


def _label(entity: Mapping[str, Any]) -> str:
    """Return the category, with the subcategory that tells ages and dates apart."""
    subcategory = entity.get("subcategory")
    return f"{entity['category']}.{subcategory}" if subcategory else str(entity["category"])


def json_of(response: httpx.Response, service: str) -> dict[str, Any]:
    """Return the body of an answer; raises ``EndpointError`` if it is not a JSON object."""
    response.read()
    try:
        record = json.loads(response.text)
    except ValueError:
        record = None
    if not isinstance(record, dict):
        raise EndpointError(f"{service}: the answer is not a JSON object")
    return record
