"""The parts of one address."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AddressParts:
    """City, state and ZIP of one address, as written; empty where the address does not give them."""

    city: str = ""
    state: str = ""
    zip_code: str = ""
    is_suburb: bool = False
    """Whether another town stands right behind the city: "Harborne, Birmingham"."""
    salt: str = ""
    """What makes another choice for a town whose surrogate another town of the note has."""


NO_ADDRESS = AddressParts()
