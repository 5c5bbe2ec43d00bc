"""The simulated hospital: people, places, and notes whose identifiers are known exactly."""

from deid_tasks.hospital.build import build_hospital
from deid_tasks.hospital.write import write_notes

__all__ = ["build_hospital", "write_notes"]
