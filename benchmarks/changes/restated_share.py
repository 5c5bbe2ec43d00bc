"""Which share of the published notes a restatement reads again after 100 terms of the dictionaries have changed.

    OMP_NUM_THREADS=1 python -m benchmarks.changes.restated_share    # about 8 minutes of one core

The dictionaries are those of a hospital of the dev world and of as many further patients, drawn as the Census counts
names, as give the wanted number of terms. Words of everyday prose are left out, as dbt leaves them out. The notes are
the hospital's own. Of a night, 50 terms come (new patients, clinicians and clinics, harvested phrases), 30 go (patients
and clinicians who left, phrases) and 20 change their number of bearers. What a note is read again for is decided as
`plan_restate_run` decides it.

Against that, "by frequency": names drawn as often as people bear them, whether or not somebody bore them before. A
dictionary that holds nearly everybody has them already; this is what a night would cost if it had not.
"""

import csv
import datetime
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from benchmarks.support.results import ROOT, Results, parser_of, results
from deid_tasks.engine.lexicon import Lexicon, LexiconDelta, LexiconTerm
from deid_tasks.hospital import build_hospital, write_notes
from deid_tasks.hospital.build import Newcomers
from deid_tasks.hospital.name_pools import name_pools
from deid_tasks.hospital.records import Facility, GoldNote, Hospital, HospitalSpec, Person, Provider, World
from deid_tasks.platform.runs.engine_changes import EngineChange
from deid_tasks.platform.warehouse.stale_notes import StaleNote

_COMMON_OCCURRENCES = 1_000_000
"""As `common_term_occurrences` of dbt: words that are more frequent are in no dictionary."""
_HARVEST_PATIENTS, _HARVEST_NOTES = 10, 20_000
"""A phrase comes when the tenth patient of so many sampled notes has it."""
_ADDED = {"patients": 35, "clinicians": 10, "clinics": 3, "phrases": 2}
_REMOVED = {"patients": 20, "clinicians": 8, "phrases": 2}
_RECOUNTED = 20
_WORD = re.compile(r"[a-z]{4,}")

Rows = Counter[tuple[str, str, str]]
"""Table, kind and term of dictionary rows, and how many people or places bear each."""


class Site(NamedTuple):
    """A hospital, its notes, and everybody whom its dictionaries know."""

    hospital: Hospital
    notes: list[StaleNote]
    phrases: list[str]
    everyday: frozenset[str]
    base: Rows


class Change(NamedTuple):
    """The rows of one kind that came and went."""

    added: list[tuple[str, str, str]]
    removed: list[tuple[str, str, str]]


def person_rows(table: str, person: Person) -> Iterator[tuple[str, str, str]]:
    """Yield the rows that one person adds to ``dict_patient_name`` or ``dict_provider``."""
    yield table, "first", person.first
    yield table, "last", person.last
    if person.nickname and table == "patient_name":
        yield table, "preferred", person.nickname
    yield table, "full", f"{person.first} {person.last}"
    yield table, "full", f"{person.last}, {person.first}"
    if person.middle:
        yield table, "full", f"{person.first} {person.middle} {person.last}"
        yield table, "full", f"{person.first} {person.middle[0]}. {person.last}"


def provider_rows(provider: Provider) -> Iterator[tuple[str, str, str]]:
    """Yield the rows that one clinician adds."""
    yield from person_rows("provider", provider.person)
    for kind in ("user_id", "npi", "phone", "pager"):
        yield "provider", kind, getattr(provider, kind)


def facility_rows(facility: Facility) -> Iterator[tuple[str, str, str]]:
    """Yield the rows that one place adds."""
    for kind in ("name", "short_name", "phone", "fax"):
        if value := getattr(facility, kind):
            yield "facility", kind, value


def main() -> None:
    """Print the shares."""
    parser = parser_of(__doc__)
    parser.add_argument("--terms", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--notes", type=int, default=5_000)
    parser.add_argument("--draws", type=int, default=4)
    arguments = parser.parse_args()
    spec = HospitalSpec(
        "benchmark", World.DEV, seed=7, patients=arguments.notes // 2, providers=400, notes=arguments.notes
    )
    hospital = build_hospital(spec)
    notes = list(write_notes(hospital))
    phrases = list(_phrases(notes))
    everyday = _everyday_words()
    with results("restated-share", "Notes that are read again after 100 terms have changed", arguments) as made:
        made.table(
            f"{len(notes):,} notes",
            {"terms": ",d", "changed": "", "draw": "d", "entries changed": ",d", "notes read again": ".2%"},
        )
        for terms in arguments.terms:
            base = _base(hospital, everyday, terms)
            world = Site(hospital, [_stale(note) for note in notes], phrases, everyday, base)
            _measure(made, world, arguments.draws)


def _measure(made: Results, world: Site, draws: int) -> None:
    old = _lexicon(world.base, world.phrases[::2])
    for draw in range(1, draws + 1):
        rng = random.Random(draw)
        night = _night(world, rng)
        delta = LexiconDelta.between(old, _changed_lexicon(world, night))
        _add(made, world, "100 terms of a night", draw, delta)
        for name, change in night.items():
            _add(made, world, f"of these, {name}", draw, _part(delta, (*change.added, *change.removed)))
    names = _by_frequency(world, random.Random(0))
    delta = LexiconDelta.between(_lexicon(_without(world.base, names), world.phrases[::2]), old)
    _add(made, world, "100 names, by frequency", 1, delta)


def _add(made: Results, world: Site, name: str, draw: int, delta: LexiconDelta) -> None:
    causes = EngineChange(terms=delta if len(delta) else None).causes(world.notes)
    share = sum(cause is not None for cause in causes) / len(causes)
    made.add(len(world.base), name, draw, len(delta), share)


def _base(hospital: Hospital, everyday: frozenset[str], terms: int) -> Rows:
    """Return the rows of a hospital, and of as many further patients as give ``terms`` different rows."""
    rows: Rows = Counter()
    for patient in hospital.patients:
        rows.update(_known(person_rows("patient_name", patient.person), everyday))
    for provider in hospital.providers:
        rows.update(_known(provider_rows(provider), everyday))
    for facility in hospital.facilities:
        rows.update(_known(facility_rows(facility), everyday))
    pools, rng = name_pools(hospital.spec.world), random.Random(11)
    while len(rows) < terms:
        person = pools.person(pools.group(rng), "F" if rng.random() < 0.53 else "M", rng)
        rows.update(_known(person_rows("patient_name", person), everyday))
    return rows


def _night(world: Site, rng: random.Random) -> dict[str, Change]:
    """Return what a night changes, by kind; every row that comes is new, and nobody else bears one that goes."""
    newcomers = Newcomers(world.hospital, rng)
    clinics = world.hospital.facilities
    coming = {
        "patients": (row for _ in iter(int, 1) for row in person_rows("patient_name", newcomers.patient().person)),
        "clinicians": (row for _ in iter(int, 1) for row in provider_rows(newcomers.provider(clinics))),
        "clinics": (row for _ in iter(int, 1) for row in facility_rows(newcomers.clinic())),
        "phrases": (("medical", "harvested", phrase) for phrase in rng.sample(world.phrases[1::2], 50)),
    }
    patients = rng.sample(world.hospital.patients, len(world.hospital.patients))
    providers = rng.sample(world.hospital.providers, len(world.hospital.providers))
    going = {
        "patients": (row for one in patients for row in person_rows("patient_name", one.person)),
        "clinicians": (row for one in providers for row in provider_rows(one)),
        "phrases": (("medical", "harvested", phrase) for phrase in rng.sample(world.phrases[::2], 50)),
        "clinics": iter(()),
    }
    night = {}
    for name, rows in coming.items():
        added = _distinct((row for row in _known(rows, world.everyday) if row not in world.base), _ADDED[name])
        removed = _distinct(
            (row for row in _known(going[name], world.everyday) if world.base[row] <= 1), _REMOVED.get(name, 0)
        )
        night[name] = Change(added, removed)
    return night


def _changed_lexicon(world: Site, night: dict[str, Change]) -> Lexicon:
    rows = _without(world.base, [row for change in night.values() for row in change.removed])
    # One more bearer each: a term of another rank.
    for row in list(rows)[:_RECOUNTED]:
        rows[row] += 1
    rows.update(row for change in night.values() for row in change.added)
    phrases = set(world.phrases[::2]) - {term for _, _, term in night["phrases"].removed}
    return _lexicon(rows, sorted(phrases))


def _by_frequency(world: Site, rng: random.Random) -> list[tuple[str, str, str]]:
    singles = [row for row in world.base if row[0] == "patient_name" and row[1] in ("first", "last")]
    weights = [world.base[row] for row in singles]
    return _distinct((rng.choices(singles, weights)[0] for _ in iter(int, 1)), sum(_ADDED.values()) * 2)


def _part(delta: LexiconDelta, rows: Iterable[tuple[str, str, str]]) -> LexiconDelta:
    """Return the entries of a delta that have the form of one of these rows."""
    own = _lexicon(rows, ())
    is_own = np.isin(delta.hashes, own.table.hashes[~np.isin(own.table.hashes, Lexicon.build(()).table.hashes)])
    return LexiconDelta(delta.hashes[is_own], delta.before[is_own], delta.after[is_own], delta.hasher)


def _lexicon(rows: Iterable[tuple[str, str, str]], phrases: Sequence[str]) -> Lexicon:
    people = (LexiconTerm(table, kind, term) for table, kind, term in rows)  # type: ignore[arg-type]
    return Lexicon.build(chain(people, (LexiconTerm("medical", "harvested", phrase) for phrase in phrases)))


def _without(rows: Rows, removed: Iterable[tuple[str, str, str]]) -> Rows:
    gone = set(removed)
    return Counter({row: count for row, count in rows.items() if row not in gone})


def _known(rows: Iterable[tuple[str, str, str]], everyday: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    return (row for row in rows if len(row[2]) > 1 and row[2].casefold() not in everyday)


def _distinct(rows: Iterable[tuple[str, str, str]], count: int) -> list[tuple[str, str, str]]:
    found: dict[tuple[str, str, str], None] = {}
    if count:
        for row in rows:
            found[row] = None
            if len(found) == count:
                break
    return list(found)


def _everyday_words() -> frozenset[str]:
    with (ROOT / "dbt/seeds/literature_counts.csv").open(encoding="utf-8") as file:
        return frozenset(row["term"] for row in csv.DictReader(file) if int(row["occurrences"]) > _COMMON_OCCURRENCES)


def _phrases(notes: Sequence[GoldNote]) -> Iterator[str]:
    """Yield phrases of two words as rare as one that has just come into the harvest or is about to leave it."""
    bearers: Counter[str] = Counter()
    for note in notes:
        words = [found.group() if (found := _WORD.fullmatch(word)) else "" for word in note.text.split()]
        bearers.update({f"{a} {b}" for a, b in pairwise(words) if a and b})
    wanted = max(1, round(len(notes) * _HARVEST_PATIENTS / _HARVEST_NOTES))
    return (phrase for phrase, count in sorted(bearers.items()) if count == wanted)


def _stale(note: GoldNote) -> StaleNote:
    at = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    return StaleNote(
        note.note_id,
        at.date(),
        "former",
        entities=frozenset(),
        is_quarantined=False,
        updated_at=at,
        text=note.text,
    )


if __name__ == "__main__":
    main()
