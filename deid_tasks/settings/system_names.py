"""Names of the systems that can be compared with the engine, and whether text of notes leaves the host with them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class SystemName:
    """What the settings know of a system, before anything of it is loaded."""

    name: str
    has_argument: bool = False
    """Whether it is written ``NAME:ARGUMENT``, such as ``spacy:FOLDER``."""
    sends_text: bool = False
    """Whether it may send text of notes to another host."""


ENGINE_NAME = "engine"
"""The institution's own engine, with its dictionaries and patient records: what the others are compared with."""
OWN_ADAPTER = "adapter"
"""``adapter:FOLDER`` is a person's own system."""
SYSTEM_NAMES: Mapping[str, SystemName] = MappingProxyType(
    {
        one.name: one
        for one in (
            SystemName("palimpsest"),
            SystemName("presidio"),
            SystemName("philter"),
            SystemName("openmed"),
            SystemName("scrubadub"),
            SystemName("pydeid"),
            SystemName("hf", has_argument=True),
            SystemName("spacy", has_argument=True),
            SystemName("physionet", has_argument=True),
            SystemName("files", has_argument=True),
            SystemName("llm", has_argument=True, sends_text=True),
            SystemName("aws", sends_text=True),
            SystemName("azure", sends_text=True),
            SystemName("google", sends_text=True),
            SystemName(OWN_ADAPTER, has_argument=True),
        )
    }
)
