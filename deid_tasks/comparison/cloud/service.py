"""What the cloud services share: settings, parts of notes, offsets, pace, and accounts."""

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from pydantic import Field, ValidationError

from deid_tasks.comparison.cloud.terms import CostEstimate, ServiceTerms, estimate_cost, terms_of
from deid_tasks.comparison.llm.quotes import disjoint
from deid_tasks.comparison.llm.windows import text_windows
from deid_tasks.comparison.protocol import SystemAnswer, SystemNote, SystemSpan
from deid_tasks.core.errors import SettingsError
from deid_tasks.endpoints.rest import sendable_text
from deid_tasks.settings.endpoints import check_remote_is_permitted
from deid_tasks.settings.section import Section

_MIN_PART_CHARACTERS = 100
"""A shorter part is not divided again."""


class ServiceSettings(Section):
    """Settings of a cloud service."""

    allow_remote: bool = Field(default=False, description="Must be true: text of notes leaves this host.")
    concurrency: int = Field(default=4, ge=1, le=64, description="Notes in work at once.")
    attempts: int = Field(default=5, ge=1, le=20, description="How often one request is sent at most.")
    timeout_seconds: float = Field(default=60.0, gt=0)
    max_wait_seconds: float = Field(default=60.0, ge=0, description="Longest wait between two attempts.")
    requests_per_second: float = Field(default=10.0, gt=0, description="Pace of this process.")
    min_score: float = Field(default=0.0, ge=0, le=1, description="Spans below this confidence are left out.")
    dollars_per_unit: float | None = Field(default=None, ge=0, description="Your price instead of the table's.")


ServiceSettingsT = TypeVar("ServiceSettingsT", bound=ServiceSettings)


class TooManyFindingsError(Exception):
    """A service left findings out because a part has too many of them."""


class PartReader(Protocol):
    """One service, and what it finds in the text of one request."""

    service: str
    version: str

    def read_part(self, part: str) -> Sequence[SystemSpan]:
        """Return the spans of one part, in code points of the part.

        Raises:
            EndpointError: The service did not answer or refused.
            TooManyFindingsError: Findings are missing from the answer.
        """


class CloudSystem:
    """A cloud service as ``protocol.System``: divides notes, keeps the pace, and adds up what they cost."""

    def __init__(self, reader: PartReader, settings: ServiceSettings) -> None:
        """Wrap one service; raises ``SettingsError`` if text may not leave this host."""
        if not settings.allow_remote:
            raise SettingsError(
                f"{reader.service}: text of notes would leave this host; allow_remote: true allows that"
            )
        check_remote_is_permitted(reader.service)
        self._reader, self._settings = reader, settings
        self.name, self.version, self.window = reader.service, reader.version, settings.concurrency
        self._terms = terms_of(reader.service, settings.dollars_per_unit)
        self._pace = RequestPace(settings.requests_per_second)

    def find(self, note: SystemNote) -> SystemAnswer:
        """Return the spans of one note, with dollars, and the counts ``requests``, ``units`` and ``divided``."""
        spans: list[SystemSpan] = []
        counts = {"requests": 0, "units": 0, "divided": 0}
        text = sendable_text(note.text)
        for start, end in service_parts(text, self._terms):
            spans += self._read(text, start, end, counts)
        kept = [span for span in spans if span.score is None or span.score >= self._settings.min_score]
        return SystemAnswer(note.id, disjoint(kept), dollars=self._terms.dollars(counts["units"]), details=counts)

    def _read(self, text: str, start: int, end: int, counts: dict[str, int]) -> list[SystemSpan]:
        part = text[start:end]
        if not part.strip():
            return []
        self._pace.wait()
        counts["requests"] += 1
        counts["units"] += self._terms.units(part)
        try:
            found = self._reader.read_part(part)
        except TooManyFindingsError:
            if len(part) < 2 * _MIN_PART_CHARACTERS:
                raise
            counts["divided"] += 1
            halves = text_windows(part, len(part) * 2 // 3, 0)
            return [one for a, b in halves for one in self._read(text, start + a, start + b, counts)]
        return [SystemSpan(one.start + start, one.end + start, one.label, one.score) for one in found]


class RequestPace:
    """Lets requests begin at a steady pace, from any number of threads."""

    def __init__(self, requests_per_second: float) -> None:
        self._interval = 1.0 / requests_per_second
        self._lock, self._next = threading.Lock(), 0.0

    def wait(self) -> None:
        """Return when the next request may begin."""
        with self._lock:
            now = time.monotonic()
            begins = max(now, self._next)
            self._next = begins + self._interval
        if begins > now:
            time.sleep(begins - now)


def service_parts(text: str, terms: ServiceTerms) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the parts of a note that a service accepts, in code points; they do not overlap."""
    for start, end in text_windows(text, terms.max_characters, 0):
        yield from _within_bytes(text, start, end, terms.max_bytes)


def note_cost(texts: Iterable[str], terms: ServiceTerms) -> CostEstimate:
    """Return what notes would cost. Nothing is sent."""
    parts = ([text[a:b] for a, b in service_parts(text, terms) if text[a:b].strip()] for text in texts)
    return estimate_cost(parts, terms)


def service_settings(kind: type[ServiceSettingsT], options: Any) -> ServiceSettingsT:
    """Return the settings in the options of a comparison, in which values are texts.

    Raises:
        SettingsError: A setting is missing, unknown or invalid; the text names it.
    """
    try:
        return kind.model_validate(options)
    except ValidationError as error:
        found = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        raise SettingsError(f"settings of the service: {found}") from None


def _within_bytes(text: str, start: int, end: int, max_bytes: int) -> Iterator[tuple[int, int]]:
    size = len(text[start:end].encode("utf-8", "surrogatepass"))
    if size <= max_bytes:
        yield start, end
        return
    # Characters of several bytes: as many of them as fit on the average, and a little less.
    characters = max(1, (end - start) * max_bytes * 9 // (size * 10))
    for first, last in text_windows(text[start:end], characters, 0):
        yield from _within_bytes(text, start + first, start + last, max_bytes)
