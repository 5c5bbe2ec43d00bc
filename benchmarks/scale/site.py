"""The simulated institution whose notes go through the platform."""

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.changes.living_site import NAME, site_secrets, site_settings
from deid_tasks.evidence.gate import new_key_pair
from deid_tasks.hospital.records import HospitalSpec, World
from deid_tasks.settings import CacheSettings, DetectSettings, InstitutionSettings, Secrets

START = datetime.date(2025, 3, 1)
"""After the year of the notes that ``big_warehouse`` makes."""
DAYS = 30
LAYOUT = "omop"
RUN = "scale"
_NOTES_PER_PATIENT, _NOTES_PER_PROVIDER = 4, 50


@dataclass(frozen=True)
class ScaleSite:
    """What a stage needs in a process of its own."""

    uri: str
    notes: int
    folder: Path
    settings: InstitutionSettings
    held: Mapping[str, str] = field(repr=False)
    """Its secrets."""
    days: int = DAYS
    """Days that the notes are written on."""

    @classmethod
    def of(
        cls,
        uri: str,
        notes: int,
        folder: Path,
        object_store: Mapping[str, str],
        *,
        has_models: bool,
        shard_notes: int,
        days: int = DAYS,
    ) -> "ScaleSite":
        """Return a site of many notes in the empty database at ``uri``, before its first stage."""
        signing_key, verification_key = new_key_pair()
        held = {
            "certificate_signing_key": signing_key,
            "certificate_verification_key": verification_key,
            "object_store": json.dumps(dict(object_store)),
            "ehr": uri,
            "catalog": uri,
        }
        settings = site_settings(LAYOUT, folder)
        few = settings.detect
        whole = DetectSettings(patterns=few.patterns, cache=CacheSettings())
        updates = {
            "detect": whole if has_models else few,
            "notes": settings.notes.model_copy(
                update={"start_date": START, "shard_notes": shard_notes, "max_shards": 1_024}
            ),
            # Tables of former sizes stay in the bucket.
            "publish": settings.publish.model_copy(update={"prefix": f"notes_{notes}"}),
        }
        return cls(uri, notes, folder, settings.model_copy(update=updates), held, days)

    @property
    def secrets(self) -> Secrets:
        """The secrets of the site."""
        return site_secrets(self.held)

    @property
    def hospital(self) -> HospitalSpec:
        """The hospital that is simulated: patients and staff in proportion to the notes."""
        return HospitalSpec(
            NAME,
            World.DEV,
            seed=7,
            patients=max(60, self.notes // _NOTES_PER_PATIENT),
            providers=max(30, self.notes // _NOTES_PER_PROVIDER),
            notes=self.notes,
            start=START,
            days=self.days,
        )

    @property
    def interval(self) -> tuple[datetime.datetime, datetime.datetime]:
        """Start and end of the interval in which every day with notes ends; others are published without notes."""
        first = datetime.datetime.combine(START, datetime.time(12), datetime.UTC)
        return first, first + datetime.timedelta(days=self.days)
