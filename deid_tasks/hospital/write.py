"""Write the notes of a hospital, one after another."""

import datetime
import random
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from deid_tasks.hospital.build import Outside, build_outside
from deid_tasks.hospital.dates import COMMON
from deid_tasks.hospital.errors import SkeletonError
from deid_tasks.hospital.grammar import Skeleton, Step, read_banks, read_skeletons, run_steps
from deid_tasks.hospital.noise import disturb, stretch
from deid_tasks.hospital.people import ROLES, role_of
from deid_tasks.hospital.places import gazetteer
from deid_tasks.hospital.records import Facility, GoldNote, Hospital, HospitalSpec, Patient, Provider
from deid_tasks.hospital.render import identities, join, write_pieces
from deid_tasks.hospital.scene import Piece, Scene
from deid_tasks.hospital.schedule import commonness, is_inpatient, moments, role_for
from deid_tasks.hospital.worlds import stable

_SKELETONS = Path(__file__).parent / "skeletons"
_FRAMES = Path(__file__).parent / "vocabulary"
_BANNER, _SIGNOFF, _CARRIED = 0.06, 0.08, 0.3
"""How often a note gets a banner, a sign-off line and a carried-forward stretch beyond those its skeleton asks for."""
_BOILERPLATE, _MORE, _LONG = 0.8, 0.4, 1_000
"""How often a note has a block of standing text, and a second one; one of so many characters has its own. With what is
carried forward this makes sentences repeat as the literature counts them: about four copies of each."""
_OUTSIDE, _STRANGER = 0.2, 0.15
"""How often a mentioned clinician is from elsewhere, and how often an author is not the patient's usual one."""


@dataclass(frozen=True)
class _Deck:
    """The skeletons of one note type, drawn by weight."""

    skeletons: tuple[Skeleton, ...]
    cumulative: tuple[float, ...]

    def draw(self, rng: random.Random) -> Skeleton:
        return self.skeletons[bisect(self.cumulative, rng.random() * self.cumulative[-1])]


class _Chart:
    """Casts each note: patient, author, colleagues, place; the same people keep to each other over time."""

    def __init__(self, hospital: Hospital, outside: Outside) -> None:
        self._hospital, self._outside = hospital, outside
        self._teams: dict[str, list[Provider]] = {role: [] for role in ROLES}
        for provider in hospital.providers:
            self._teams[role_of(provider)].append(provider)
        self._kinds: dict[str, tuple[Facility, ...]] = {
            kind: tuple(facility for facility in hospital.facilities if facility.kind == kind)
            for kind in ("hospital", "clinic", "unit", "nursing_home", "pharmacy")
        }
        self._by_id = {facility.facility_id: facility for facility in hospital.facilities}
        self._gazetteer = gazetteer(hospital.spec.world)

    def patient(self, rng: random.Random) -> Patient:
        patients = self._hospital.patients
        return patients[int(rng.random() ** 1.6 * len(patients))]

    def scene(self, patient: Patient, note_type: str, moment: datetime.datetime, rng: random.Random) -> Scene:
        home = stable(patient.patient_id)
        team = self._teams[role_for(note_type)] or self._teams["physician"] or list(self._hospital.providers)
        usual = team[home % len(team)]
        author = usual if rng.random() > _STRANGER else team[int(rng.random() * len(team))]
        hospitals, places = self._kinds["hospital"], self._hospital.facilities
        facility = hospitals[home % len(hospitals)] if is_inpatient(note_type) else self._by_id[author.facility_id]
        units = self._kinds["unit"]
        if is_inpatient(note_type) and units and rng.random() < 0.1:
            facility = units[home % len(units)]
        elsewhere = self._outside.facilities if rng.random() < 0.5 else (*hospitals, *self._kinds["clinic"])
        other = elsewhere[int(rng.random() * len(elsewhere))]
        homes = self._kinds["nursing_home"] or places
        pharmacies = self._kinds["pharmacy"] or places
        relatives = patient.relatives
        first = int(rng.random() ** 2 * len(relatives))
        return Scene(
            rng=rng,
            moment=moment,
            patient=patient,
            author=author,
            providers=(self._colleague(home, rng), self._colleague(home + 1, rng), self._colleague(home + 2, rng)),
            relatives=(relatives[first], relatives[(first + 1) % len(relatives)]),
            facility=facility,
            other_facility=other,
            nursing_home=homes[home // 7 % len(homes)],
            pharmacy=pharmacies[home // 11 % len(pharmacies)],
            gazetteer=self._gazetteer,
            date_style=COMMON[stable(author.provider_id) % len(COMMON)],
        )

    def _colleague(self, home: int, rng: random.Random) -> Provider:
        chance = rng.random()
        if chance < _OUTSIDE:
            return self._outside.providers[int(rng.random() * len(self._outside.providers))]
        team = self._teams["physician"] or list(self._hospital.providers)
        return team[home % len(team) if chance < 0.7 else int(rng.random() * len(team))]


class NoteComposer:
    """Writes one note after another about the patients of a hospital; what notes carry forward is held, no note is."""

    def __init__(self, hospital: Hospital, skeletons: Path | None = None) -> None:
        """``skeletons`` is another folder of skeletons than that of the hospital's world.

        Raises ``SkeletonError`` where a skeleton breaks the grammar.
        """
        world = hospital.spec.world
        self._decks = _decks(skeletons or _SKELETONS / world)
        self._frames = read_banks(_FRAMES / f"frames_{world}.txt")
        self._outside = build_outside(hospital.spec)
        self._chart = _Chart(hospital, self._outside)
        self._carried: dict[str, tuple[Piece, ...]] = {}

    def move_to(self, hospital: Hospital) -> None:
        """Write about ``hospital`` from now on: the same one after its staff or its places changed."""
        self._chart = _Chart(hospital, self._outside)

    def patient(self, rng: random.Random) -> Patient:
        """Return a patient of the hospital, drawn as notes are: some have many."""
        return self._chart.patient(rng)

    def compose(
        self, note_id: str, patient: Patient, moment: datetime.datetime, rng: random.Random, note_type: str = ""
    ) -> GoldNote:
        """Return a note about ``patient``, of ``note_type`` where one is given and of any type that fits otherwise."""
        decks, shares = self._decks
        if note_type:
            decks, shares = [deck for deck in decks if deck.skeletons[0].note_type == note_type], [1.0]
        skeleton = _fitting(decks, shares, patient, moment.date(), rng)
        scene = self._chart.scene(patient, skeleton.note_type, moment, rng)
        scene.carried = self._carried.get(patient.patient_id, ())
        pieces = disturb(_framed(write_pieces(skeleton, scene), scene, self._frames), rng)
        self._carried[patient.patient_id] = stretch(pieces, rng)
        text, spans = join(pieces)
        return GoldNote(
            note_id=note_id,
            patient_id=patient.patient_id,
            note_type=skeleton.note_type,
            note_datetime=moment,
            author_id=scene.author.provider_id,
            facility_id=scene.facility.facility_id,
            skeleton=skeleton.name,
            text=text,
            spans=spans,
            identities=identities(pieces),
        )

    def add_addendum(self, note: GoldNote, patient: Patient, moment: datetime.datetime, rng: random.Random) -> GoldNote:
        """Return ``note`` with an addendum of ``moment`` below its text, which names ``patient``."""
        scene = self._chart.scene(patient, note.note_type, moment, rng)
        added, spans = join([("\n\n", None), *_write(self._frames["addendum"], scene)])
        moved = (replace(span, start=span.start + len(note.text), end=span.end + len(note.text)) for span in spans)
        return replace(note, text=note.text + added, spans=(*note.spans, *moved))


def write_notes(hospital: Hospital, skeletons: Path | None = None) -> Iterator[GoldNote]:
    """Yield every note of ``hospital`` in order of time, with its planted identifiers; nothing is held but what notes
    carry forward.

    The same hospital always gives the same notes, however they are consumed. ``skeletons`` is another folder of
    skeletons than that of the hospital's world. Raises ``SkeletonError`` where a skeleton breaks the grammar.
    """
    spec = hospital.spec
    composer = NoteComposer(hospital, skeletons)
    base = first_note_number(spec)
    for number, moment in enumerate(moments(spec)):
        rng = random.Random(stable("note", spec.institution, spec.world, spec.seed, number))
        patient = composer.patient(rng)
        yield composer.compose(str(base + number), patient, moment, rng)


def first_note_number(spec: HospitalSpec) -> int:
    """Return the id of an institution's first note; those of two institutions differ."""
    return (stable("ids", spec.institution) % 200 + 10) * 10_000_000


def _decks(folder: Path) -> tuple[list[_Deck], list[float]]:
    skeletons, problems = read_skeletons(folder)
    if problems:
        raise SkeletonError(f"{len(problems)} problems in {folder.name}; the first: {problems[0]}")
    if not skeletons:
        raise SkeletonError(f"no skeletons in {folder.name}")
    types = dict.fromkeys(skeleton.note_type for skeleton in skeletons)
    decks = []
    for note_type in types:
        found = tuple(skeleton for skeleton in skeletons if skeleton.note_type == note_type)
        decks.append(_Deck(found, tuple(accumulate(skeleton.weight for skeleton in found))))
    return decks, list(accumulate(commonness(note_type) for note_type in types))


def _fitting(
    decks: list[_Deck], shares: list[float], patient: Patient, day: datetime.date, rng: random.Random
) -> Skeleton:
    """Return a skeleton for this patient's sex and age, of a type drawn by commonness; any where many draws find
    none.
    """
    age = (day - patient.birth_date).days // 365.25
    for _ in range(20):
        deck = decks[bisect(shares, rng.random() * shares[-1])]
        for _ in range(4):
            skeleton = deck.draw(rng)
            if skeleton.sex in ("", patient.person.sex) and skeleton.min_age <= age <= skeleton.max_age:
                return skeleton
    return skeleton


def _framed(pieces: list[Piece], scene: Scene, frames: dict[str, Step]) -> list[Piece]:
    """``pieces`` with a banner above, standing text, a carried-forward stretch or a sign-off below, where chance adds
    them.
    """
    rng = scene.rng
    if sum(len(text) for text, _ in pieces) < _LONG and rng.random() < _BOILERPLATE:
        for _ in range(1 + (rng.random() < _MORE)):
            pieces = [*pieces, ("\n\n", None), *_write(frames["boilerplate"], scene)]
    if rng.random() < _BANNER:
        pieces = [*_write(frames["banner"], scene), ("\n\n", None), *pieces]
    if scene.carried and rng.random() < _CARRIED:
        pieces = [*pieces, ("\n\n", None), *scene.carried]
    if rng.random() < _SIGNOFF:
        pieces = [*pieces, ("\n\n", None), *_write(frames["signoff"], scene)]
    return pieces


def _write(step: Step, scene: Scene) -> list[Piece]:
    scene.pieces = []
    run_steps((step,), scene)
    return scene.pieces
