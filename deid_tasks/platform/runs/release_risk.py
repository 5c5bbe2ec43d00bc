"""The measured risks of a release: what remains in the text, what remains beside it, and what attackers reach."""

import datetime
import hashlib
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa

from deid_tasks.core.entities import CATEGORY, Category, Entity
from deid_tasks.core.errors import WarehouseError
from deid_tasks.core.forms import IdentifierForm
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import find_identifiers
from deid_tasks.engine.text import Document
from deid_tasks.evidence.attack import (
    ATTACKED,
    Attack,
    AttackedNote,
    Leak,
    guess,
    judge,
    parrot,
    plant_leaks,
    publish,
    source_attack,
)
from deid_tasks.evidence.evaluate import Cluster
from deid_tasks.evidence.release import (
    class_sizes,
    estimate_residual,
    linkage_attack,
    named_diagnoses,
    patients_affected,
    rarest_sizes,
    scale_errors,
)
from deid_tasks.platform.publish.released import released_rows, released_texts
from deid_tasks.platform.runs.batches import batched
from deid_tasks.platform.warehouse import connect, read_patients
from deid_tasks.platform.warehouse.gold import newest_gold_set, read_gold
from deid_tasks.platform.workspace import SharedFiles, work_dir
from deid_tasks.settings import Design, InstitutionSettings, Secrets

_PLANTED_SHARE = 0.02
_MIN_LEAKS = 5
"""Fewer leaks say nothing about an attacker."""
_KNOWN_DAYS = (2, 3, 4)
_BATCH = 50
_OWN_KEYS = 2

_OTHER = "places, organizations, professions"
_KINDS: dict[str, frozenset[Entity]] = {
    "names of patients and relatives": frozenset({Entity.PATIENT, Entity.RELATIVE}),
    "numbers, contacts and addresses": frozenset(
        entity for entity, category in CATEGORY.items() if category in {Category.ID, Category.CONTACT}
    )
    | {Entity.STREET, Entity.ZIP},
    "names of clinicians, initials and user names": frozenset({Entity.PROVIDER, Entity.INITIALS, Entity.USERNAME}),
    "dates": frozenset({Entity.DATE}),
    _OTHER: frozenset(),
}
_RETAINED = "ages, and kinds that the policy leaves in the text: no leak by itself"

_ATTRIBUTE_SETS = (
    ("sex",),
    ("age",),
    ("sex", "age"),
    ("sex", "age", "origin"),
    ("sex", "age", "origin", "state"),
    ("sex", "age", "origin", "zip3"),
    ("sex", "age", "origin", "city"),
    ("sex", "age", "origin", "zip"),
    ("note types",),
    ("number of notes",),
    ("days from first to last note",),
    ("sex", "age", "note types"),
    ("sex", "age", "days from first to last note"),
    ("days between notes",),
    ("sex", "age", "days between notes"),
    ("sex", "age", "days between notes and encounters"),
    ("sex", "age in days"),
)


_DIAGNOSES = "diagnoses in the text"


@dataclass
class PublishedPatients:
    """What readers of the tables see of each patient, by pseudonym."""

    attributes: dict[str, dict[str, Hashable]] = field(default_factory=dict)
    days: dict[str, list[int]] = field(default_factory=dict)
    """Shifted days of the notes, as ordinals."""
    visits: dict[str, list[int]] = field(default_factory=dict)
    """Shifted days of notes and encounters, where a table of encounters is published."""
    without_notes: int = 0
    """Patients with rows in the published tables and without a note."""
    lacking: list[str] = field(default_factory=list)
    """Attributes that no published table has."""


def published_patients(settings: InstitutionSettings, secrets: Secrets, notes: pa.Table) -> PublishedPatients:
    """Return the visible attributes of every published patient.

    Args:
        settings: The institution.
        secrets: Its secrets.
        notes: Columns ``patient_key``, ``note_type`` and ``note_datetime`` of the release.
    """
    found = PublishedPatients()
    types: defaultdict[str, set[str]] = defaultdict(set)
    counts: defaultdict[str, int] = defaultdict(int)
    days: defaultdict[str, list[int]] = defaultdict(list)
    columns = (notes[name].to_pylist() for name in ("patient_key", "note_type", "note_datetime"))
    for patient, note_type, moment in zip(*columns, strict=True):
        if patient is None:
            continue
        counts[patient] += 1
        types[patient].add(note_type or "")
        if moment is not None:
            days[patient].append(moment.date().toordinal())
    for patient, count in counts.items():
        ordered = sorted(set(days[patient]))
        found.days[patient] = ordered
        found.attributes[patient] = {
            "number of notes": count,
            "note types": tuple(sorted(types[patient])),
            "days from first to last note": ordered[-1] - ordered[0] if ordered else None,
            "days between notes": tuple(day - ordered[0] for day in ordered),
        }
    _add_demographics(settings, secrets, found)
    _add_encounters(settings, secrets, found)
    _add_places(settings, secrets, found)
    return found


def _add_demographics(settings: InstitutionSettings, secrets: Secrets, found: PublishedPatients) -> None:
    table = released_rows(settings, secrets, "patients")
    if table is None:
        found.lacking.append("sex, age and origin: the table patients is not published; the text may say them")
        return
    for row in table.to_pylist():
        visible = found.attributes.get(row["patient_key"])
        if visible is None:
            found.without_notes += 1
            continue
        days = found.days[row["patient_key"]]
        visible["sex"], visible["origin"] = row.get("sex"), row.get("ethnicity_hint")
        # Birth date and notes move by the same days: the age at the first note is the patient's own.
        birth: datetime.date | None = row.get("birth_date")
        visible["age in days"] = days[0] - birth.toordinal() if birth and days else None
        visible["age"] = int((days[0] - birth.toordinal()) / 365.25) if birth and days else None


def _add_encounters(settings: InstitutionSettings, secrets: Secrets, found: PublishedPatients) -> None:
    table = released_rows(settings, secrets, "encounters")
    if table is None:
        return
    visits = {patient: set(days) for patient, days in found.days.items()}
    for row in table.select(["patient_key", "started_on"]).to_pylist():
        if row["patient_key"] in visits and row["started_on"] is not None:
            visits[row["patient_key"]].add(row["started_on"].toordinal())
    found.visits = {patient: sorted(days) for patient, days in visits.items()}
    for patient, ordered in found.visits.items():
        between = tuple(day - ordered[0] for day in ordered)
        found.attributes[patient]["days between notes and encounters"] = between


def _add_places(settings: InstitutionSettings, secrets: Secrets, found: PublishedPatients) -> None:
    policy = settings.policy
    kept = {
        name: policy.form_action(form) == "keep"
        for name, form in (("state", IdentifierForm.STATE), ("city", IdentifierForm.CITY), ("zip", IdentifierForm.ZIP))
    }
    kept["zip3"] = bool(policy.kept_zip_digits) and not kept["zip"]
    if not any(kept.values()):
        found.lacking.append("geography: every place in text and tables is a surrogate")
        return
    table = released_rows(settings, secrets, "patient_addresses")
    if table is None:
        found.lacking.append("geography: the policy retains a part of places, and no published table holds addresses")
        return
    for row in table.to_pylist():
        visible = found.attributes.get(row["patient_key"])
        if visible is not None:
            place = {**row, "zip3": str(row.get("zip") or "")[:3]}
            visible |= {name: place.get(name) for name, is_kept in kept.items() if is_kept}


def _add_diagnoses(settings: InstitutionSettings, secrets: Secrets, snapshot_id: int, found: PublishedPatients) -> None:
    named: defaultdict[str, set[str]] = defaultdict(set)
    for patients, texts in released_texts(settings, secrets, snapshot_id):
        for patient, diagnoses in zip(patients, named_diagnoses(texts), strict=True):
            if patient is not None:
                # One string a diagnosis, whatever the number of patients.
                named[patient].update(map(sys.intern, diagnoses))
    for patient, visible in found.attributes.items():
        visible[_DIAGNOSES] = frozenset(named[patient])


def disclosure(settings: InstitutionSettings, secrets: Secrets, notes: pa.Table, snapshot_id: int) -> dict[str, Any]:
    """Return what a perfect engine would leave: classes of equal patients, and the linkage attack by dates.

    Args:
        settings: The institution.
        secrets: Its secrets.
        notes: Columns ``patient_key``, ``note_type`` and ``note_datetime`` of the release.
        snapshot_id: The snapshot of the release, whose texts are read for the diagnoses that they name.
    """
    patients = published_patients(settings, secrets, notes)
    _add_diagnoses(settings, secrets, snapshot_id, patients)
    rows = list(patients.attributes.values())
    present = {name for row in rows for name in row}
    sets = [wanted for wanted in _ATTRIBUTE_SETS if present.issuperset(wanted)]
    classes = [class_sizes(rows, wanted) for wanted in sets]
    rarest = [rarest_sizes(rows, _DIAGNOSES)]
    if "age" in present:
        rarest.append(rarest_sizes(rows, _DIAGNOSES, ("sex", "age")))
    # The last row is that of the summary.
    classes[-1:-1] = rarest
    linked = []
    days, targets = patients.visits or patients.days, settings.release.attacked_patients
    if targets:
        known = {key: (row.get("sex"), row.get("age")) for key, row in patients.attributes.items()}
        for attributes in (None, known) if "age" in present else (None,):
            linked += [
                asdict(linkage_attack(days, count, targets=targets, attributes=attributes)) for count in _KNOWN_DAYS
            ]
    return {
        "classes": [asdict(one) for one in classes],
        "linkage": linked,
        "lacking": patients.lacking,
        "with_encounters": bool(patients.visits),
        "without_notes": patients.without_notes,
        "without_patient": notes["patient_key"].null_count,
    }


def residual(settings: InstitutionSettings, secrets: Secrets, evaluation_id: str, notes: pa.Table) -> dict[str, Any]:
    """Return what is expected to remain in the release; ``problem`` says why it cannot be estimated.

    The random gold set is used, whose figures are unbiased for all notes; the stratified one where there is no other.
    """
    path = SharedFiles(settings, secrets).fetch(work_dir(settings) / "evaluation" / f"{evaluation_id}.json")
    if not path.is_file():
        return {"problem": f"the figures of evaluation {evaluation_id} are not in work_dir; run the evaluation again"}
    document = json.loads(path.read_text(encoding="utf-8"))
    parts = {one["design"]: one["variants"]["full"] for one in document["evaluations"]}
    design = "random" if "random" in parts else next(iter(parts))
    full = parts[design]
    if not full.get("clusters"):
        return {"problem": "the evaluation is of an earlier release, which kept no counts by patient; run it again"}
    clusters = [Cluster(*one) for one in full["clusters"]]
    confidence = float(full["confidence"])
    published = Counter(kind or "" for kind in notes["note_type"].to_pylist())
    found = estimate_residual(clusters, published, confidence, settings.gate.resamples)
    seen = {
        row["entity"]: 0
        for row in full["figures"]
        if row["view"] == "word" and not row["stratum"] and row["metric"] == "recall" and row["entity"] in set(Entity)
        if row["true_positives"] + row["false_negatives"]
    }
    whole = [
        int(row["false_negatives"])
        for row in full["figures"]
        if (row["view"], row["entity"], row["stratum"], row["metric"]) == ("entity:any", "ALL", "", "recall")
    ]
    errors = seen | {one["entity"]: one["errors"] for one in full["errors"]["missed"]}
    entities = scale_errors(errors, found.gold_notes, found.published, confidence)
    notes_of = Counter(key for key in notes["patient_key"].to_pylist() if key is not None)
    own_names = patients_affected(
        errors.get(str(Entity.PATIENT), 0), found.gold_notes, Counter(notes_of.values()), confidence
    )
    return {
        **asdict(found),
        "kinds": _kinds(settings, errors, found.gold_notes, found.published, confidence),
        "patients_named": {**asdict(own_names), "patients": len(notes_of)},
        "gold_missed_whole": whole[0] if whole else None,
        "design": design,
        "confidence": confidence,
        "resamples": settings.gate.resamples,
        "entities": [
            {"entity": name, "missed": errors[name], **asdict(estimate)}
            for name, estimate in sorted(entities.items(), key=lambda item: (-item[1].expected, item[0]))
        ],
        "patient_names": full["errors"]["risk"],
    }


def _kinds(
    settings: InstitutionSettings, errors: Mapping[str, int], gold_notes: int, published: int, confidence: float
) -> list[dict[str, Any]]:
    """Return what is expected to remain by who is identified; each entity is of one kind."""
    transformed = {one for one in Entity if not settings.policy.keeps(one)} - {Entity.AGE}
    missed: Counter[str] = Counter(dict.fromkeys((*_KINDS, _RETAINED), 0))
    for entity, count in errors.items():
        one = Entity(entity)
        kind = next((name for name, entities in _KINDS.items() if one in entities), _OTHER)
        missed[kind if one in transformed else _RETAINED] += count
    estimates = scale_errors(missed, gold_notes, published, confidence)
    return [{"kind": kind, "missed": missed[kind], **asdict(estimate)} for kind, estimate in estimates.items()]


def surrogate_attack(
    settings: InstitutionSettings, secrets: Secrets, obfuscator: Obfuscator, engine: EngineParts | None
) -> dict[str, Any]:
    """Attack gold notes as this institution publishes them; ``problem`` says why it could not be done.

    Texts are read, rewritten and attacked in memory, and only counts leave this function.

    Args:
        settings: The institution.
        secrets: Its secrets.
        obfuscator: With the institution's key.
        engine: The engine whose own misses are attacked; only planted leaks where ``None``.
    """
    limit = settings.release.attacked_notes
    if not limit:
        return {"problem": "release.attacked_notes is 0"}
    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        try:
            notes, ids = _gold_notes(connection, settings, "random", limit)
        except WarehouseError as error:
            return {"problem": str(error)}
        records = read_patients(connection, settings, (one for one in ids if one))
        try:
            others, other_ids = _gold_notes(connection, settings, "stratified", limit)
        except WarehouseError:
            others, other_ids = [], []
        other_records = read_patients(connection, settings, (one for one in other_ids if one))
    attackers: dict[str, Attack] = {"guess": guess, "parrot": parrot}
    if others:
        attackers["source"] = source_attack(
            publish(others, frozenset(), _own_obfuscator(settings, number), other_records)
            for number in range(_OWN_KEYS)
        )
    kinds: dict[str, frozenset[Leak]] = {}
    if engine is not None:
        kinds["missed by this engine"] = _missed_by(notes, BatchContext(engine, records))
    kinds["any identifier, planted"] = plant_leaks(notes, _PLANTED_SHARE, _random())
    kinds["missed by patterns, planted"] = plant_leaks(notes, _PLANTED_SHARE, _random(), is_missed=True)
    rows = []
    for kind, leaks in kinds.items():
        if len(leaks) < _MIN_LEAKS:
            rows.append({"leaks_are": kind, "leaks": len(leaks), "attacker": None})
            continue
        corpus = publish(notes, leaks, obfuscator, records)
        for name, attack in attackers.items():
            result = judge(corpus, attack(corpus, _random()), _random())
            rows.append({"leaks_are": kind, "attacker": name, **asdict(result)})
    return {"notes": len(notes), "min_leaks": _MIN_LEAKS, "rows": rows}


def _gold_notes(
    connection: Any, settings: InstitutionSettings, design: Design, limit: int
) -> tuple[list[AttackedNote], list[str]]:
    gold = newest_gold_set(connection, settings, design)
    chosen = sorted(read_gold(connection, settings, gold), key=lambda n: hashlib.sha256(n.note_id.encode()).digest())
    notes = [
        AttackedNote(Document(n.note_id, n.text, n.patient_id or None, n.note_type), n.spans, n.note_datetime)
        for n in chosen[:limit]
    ]
    return notes, [n.patient_id for n in chosen[:limit]]


def _missed_by(notes: Sequence[AttackedNote], context: BatchContext) -> frozenset[Leak]:
    """Return the identifiers of which the engine marks no character."""
    leaks: set[Leak] = set()
    for batch in batched(enumerate(notes), _BATCH):
        found = find_identifiers([note.document for _, note in batch], context)
        for (number, note), detection in zip(batch, found, strict=True):
            leaks |= {
                (number, span)
                for span in note.spans
                if span.entity in ATTACKED and not any(span.overlaps(other) for other in detection.spans)
            }
    return frozenset(leaks)


def _random() -> random.Random:
    """Return the same random numbers each time: a report can be made again."""
    return random.Random(0)  # noqa: S311 - a choice of notes, not a secret


def _own_obfuscator(settings: InstitutionSettings, number: int) -> Obfuscator:
    """Return the obfuscator of somebody who has this package and not the key."""
    key = hashlib.sha256(b"attacker %d" % number).digest()
    return Obfuscator(key, "attacker", settings.policy, settings.obfuscate)
