"""Who acted, and how the platform knows it."""

from dataclasses import dataclass
from typing import Literal

IdentitySource = Literal["airflow", "operating_system", "platform", "unverified"]


@dataclass(frozen=True, slots=True)
class Identity:
    """One person, or the platform itself."""

    name: str
    """The login name in Airflow or on the operating system."""
    source: IdentitySource
    """Who vouches for the name; ``unverified`` is a name that somebody typed."""
    origin: str = ""
    """What the source says beside the name: a user id, a host, that it was through sudo."""

    def is_same_person(self, other: "Identity") -> bool:
        """Whether both have one login name, wherever it comes from; the platform is nobody."""
        return "platform" not in {self.source, other.source} and self.name.casefold() == other.name.casefold()


PLATFORM = Identity("platform", "platform")
"""The actor of what runs by itself."""
