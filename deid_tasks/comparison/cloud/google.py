"""Google Sensitive Data Protection, method ``content.inspect`` (REST, v2).

A request takes half a megabyte. A finding has byte offsets and code points; the latter are used. Numbers are written as
text, and a start of 0 is left out, as JSON of protocol buffers does. An answer holds at most 3,000 findings and says if
there were more; the text is then divided.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from deid_tasks.comparison.cloud.azure import json_of
from deid_tasks.comparison.cloud.service import ServiceSettings, TooManyFindingsError
from deid_tasks.comparison.protocol import SystemSpan
from deid_tasks.endpoints.rest import RestClient
from deid_tasks.settings.endpoints import check_endpoint, secret_of

_MAX_FINDINGS = 3_000
_LIKELIHOODS = {"VERY_UNLIKELY": 0.05, "UNLIKELY": 0.25, "POSSIBLE": 0.5, "LIKELY": 0.75, "VERY_LIKELY": 0.95}
"""A number for each likelihood, in their order; the service gives none."""
_INFO_TYPES = (
    *("PERSON_NAME", "DATE", "DATE_OF_BIRTH", "TIME", "AGE", "LOCATION", "STREET_ADDRESS", "ORGANIZATION_NAME"),
    *("PHONE_NUMBER", "EMAIL_ADDRESS", "URL", "DOMAIN_NAME", "IP_ADDRESS", "MAC_ADDRESS", "MEDICAL_RECORD_NUMBER"),
    *("US_SOCIAL_SECURITY_NUMBER", "US_DRIVERS_LICENSE_NUMBER", "US_HEALTHCARE_NPI", "US_DEA_NUMBER", "US_PASSPORT"),
    *("US_VEHICLE_IDENTIFICATION_NUMBER", "US_BANK_ROUTING_MICR", "CREDIT_CARD_NUMBER", "IMEI_HARDWARE_ID"),
)


class GoogleSettings(ServiceSettings):
    """Settings of Sensitive Data Protection."""

    project: str = Field(description="Project that is charged.", pattern=r"^[a-z0-9.:-]+$")
    location: str = Field(default="global", pattern=r"^[a-z0-9-]+$", description="Where the text is processed.")
    endpoint: str = "https://dlp.googleapis.com"
    token_variable: str = Field(
        default="GOOGLE_ACCESS_TOKEN",
        description="Environment variable with an access token: $(gcloud auth print-access-token).",
    )
    info_types: tuple[str, ...] = _INFO_TYPES
    min_likelihood: Literal["VERY_UNLIKELY", "UNLIKELY", "POSSIBLE", "LIKELY", "VERY_LIKELY"] = "POSSIBLE"


class SensitiveDataProtection:
    """content.inspect."""

    service = "google"

    def __init__(self, settings: GoogleSettings) -> None:
        """Open no connection yet; raises ``SettingsError`` if the token or the permission is missing."""
        check_endpoint(settings.endpoint, "endpoint", allow_remote=settings.allow_remote)
        self._path = f"v2/projects/{settings.project}/locations/{settings.location}/content:inspect"
        self._rest = RestClient(
            settings.endpoint,
            {
                "Authorization": f"Bearer {secret_of(settings.token_variable, 'token_variable')}",
                "x-goog-user-project": settings.project,
            },
            timeout_seconds=settings.timeout_seconds,
            attempts=settings.attempts,
            max_wait_seconds=settings.max_wait_seconds,
            connections=settings.concurrency,
        )
        self._configuration = {
            "infoTypes": [{"name": name} for name in settings.info_types],
            "minLikelihood": settings.min_likelihood,
            "includeQuote": False,
            "limits": {"maxFindingsPerRequest": _MAX_FINDINGS},
        }
        self.version = f"content.inspect v2, {len(settings.info_types)} infoTypes from {settings.min_likelihood}"

    def read_part(self, part: str) -> Sequence[SystemSpan]:
        """Return the spans of one part.

        Raises:
            EndpointError: The service did not read it.
            TooManyFindingsError: The service left findings out.
        """
        body = {"item": {"value": part}, "inspectConfig": self._configuration}
        result = self._rest.post(self._path, body, lambda response: json_of(response, "google")).get("result", {})
        if result.get("findingsTruncated"):
            raise TooManyFindingsError
        spans = []
        for finding in result.get("findings", ()):
            bounds = finding["location"]["codepointRange"]
            score = _LIKELIHOODS.get(finding.get("likelihood", ""))
            start, end = int(bounds.get("start", 0)), int(bounds["end"])
            spans.append(SystemSpan(start, end, finding["infoType"]["name"], score))
        return spans
