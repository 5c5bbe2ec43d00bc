"""Institution settings: one typed, validated model, and the single reader of its YAML."""

from deid_tasks.settings.load import load_institution, load_institutions
from deid_tasks.settings.model import InstitutionSettings
from deid_tasks.settings.secrets import Secrets

__all__ = ["InstitutionSettings", "Secrets", "load_institution", "load_institutions"]
