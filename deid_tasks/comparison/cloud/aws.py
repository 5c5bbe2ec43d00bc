"""Amazon Comprehend Medical, operation DetectPHI (boto3).

A request takes less than 20,000 bytes of UTF-8 text; offsets are code points (API reference of DetectPHI). Throttled
requests are repeated by botocore, whose adaptive mode also lowers the pace.
"""

from collections.abc import Sequence
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from pydantic import Field

from deid_tasks.comparison.cloud.service import ServiceSettings
from deid_tasks.comparison.protocol import SystemSpan
from deid_tasks.endpoints.rest import EndpointError


class AwsSettings(ServiceSettings):
    """Settings of Comprehend Medical; credentials come from where boto3 looks for them."""

    region: str = Field(default="us-east-1", description="Region of the service.")


class ComprehendMedical:
    """DetectPHI."""

    service = "aws"

    def __init__(self, settings: AwsSettings, client: Any = None) -> None:
        """Make a client; a given one is used instead."""
        configuration = Config(
            retries={"mode": "adaptive", "total_max_attempts": settings.attempts},
            read_timeout=settings.timeout_seconds,
            connect_timeout=settings.timeout_seconds,
            max_pool_connections=settings.concurrency,
        )
        self._client = client or boto3.client("comprehendmedical", region_name=settings.region, config=configuration)
        self.version = f"DetectPHI {self._client.meta.service_model.api_version}"

    def read_part(self, part: str) -> Sequence[SystemSpan]:
        """Return the spans of one part; raises ``EndpointError`` with the code that the service answered."""
        reason = ""
        try:
            answer = self._client.detect_phi(Text=part)
        except ClientError as error:
            reason = str(error.response.get("Error", {}).get("Code", "ClientError"))
        except BotoCoreError as error:
            reason = type(error).__name__
        if reason:
            # Outside the handlers: the service's message may quote the text.
            raise EndpointError(f"comprehendmedical: {reason}")
        return [
            SystemSpan(one["BeginOffset"], one["EndOffset"], one["Type"], one["Score"]) for one in answer["Entities"]
        ]
