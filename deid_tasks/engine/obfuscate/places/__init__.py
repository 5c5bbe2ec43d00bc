"""Cities, states, ZIPs, streets, countries and landmarks.

The city, state, ZIP and telephone area code of one address get surrogates that exist together: they come from the
public table of places. Streets, countries and landmarks get another name of the same kind.
"""

from deid_tasks.engine.obfuscate.places.address import NO_ADDRESS, AddressParts
from deid_tasks.engine.obfuscate.places.cities import replace_place
from deid_tasks.engine.obfuscate.places.landmarks import replace_country, replace_landmark
from deid_tasks.engine.obfuscate.places.places_abroad import area_code_of_address, replace_village
from deid_tasks.engine.obfuscate.places.streets import replace_street

__all__ = [
    "NO_ADDRESS",
    "AddressParts",
    "area_code_of_address",
    "replace_country",
    "replace_landmark",
    "replace_place",
    "replace_street",
    "replace_village",
]
