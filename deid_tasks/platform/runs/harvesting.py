"""Candidates for the inclusion list and for templates: harvested, approved by a person, and frozen."""

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from deid_tasks.core.errors import ApprovalError
from deid_tasks.core.identity import PLATFORM, Identity
from deid_tasks.engine.detect.approved_harvest import ApprovedHarvest, freeze_harvest
from deid_tasks.engine.lexicon import Lexicon, mask_of
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import run_detectors
from deid_tasks.engine.resolve import resolve_spans
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.sentences import split_sentences
from deid_tasks.learning.harvest import (
    Candidates,
    PatientCounter,
    Read,
    SentenceCandidate,
    TemplateCandidate,
    harvest_templates,
)
from deid_tasks.learning.harvest.files import newest_harvest, read_decided
from deid_tasks.platform.audit_log import AuditEvent, audited, is_trusted_row
from deid_tasks.platform.runs.batches import batched
from deid_tasks.platform.runs.institution_engine import approved_dir, harvest_dir, load_engine
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect, read_patients
from deid_tasks.platform.warehouse.audit_log import newest_audit_row
from deid_tasks.platform.warehouse.notes import read_some, read_texts
from deid_tasks.platform.workspace import SharedFiles
from deid_tasks.settings import InstitutionSettings, Secrets

_POOL = 8
"""Sentences whose text is read for each that may be proposed; only the text shows whether it names a disease."""
_BATCH = 200
_DISEASE_OR_DRUG = mask_of("medical", "disease", "drug")


@logged_step
def harvest_candidates(
    settings: InstitutionSettings, secrets: Secrets, prepared_by: Identity = PLATFORM
) -> dict[str, Any]:
    """Harvest candidates into files that only their owner can read; return counts, the harvest's name and its folder.

    The notes are streamed twice for sentences: to count them, and to fetch the texts of the most frequent ones. All
    detectors read ``harvest.template_notes`` of the notes. Memory depends on the settings, not on the number of notes.

    Args:
        settings: The institution.
        secrets: Its secrets.
        prepared_by: Who asked for the harvest, and therefore may not approve it.
    """
    chosen = settings.harvest
    # Sentences of the approved list are checked again like all others. A judge is not asked: sentences are read without
    # their patients' records, which would not be masked.
    engine = replace(load_engine(settings, secrets).reading_included(), judge=None)
    folder = harvest_dir(settings)
    folder.mkdir(mode=0o700, exist_ok=True)
    uri = secrets.text(settings.warehouse.connection_of("evidence"))
    sentences: list[SentenceCandidate] = []
    figures: dict[str, Any] = {"notes": 0, "sentences": 0}
    with PatientCounter(folder, secrets.key(settings.obfuscate.key)) as counter:
        with connect(uri) as connection:
            for patient, text in read_texts(connection, settings, chosen.notes):
                figures["notes"] += 1
                counter.add(patient, _sentences_of(text))
        figures["sentences"] = counter.total
        sentences = _candidates(settings, uri, counter, engine)
    templates = _templates(settings, uri, engine)
    clean = [one for one in sentences if not one.found]
    figures |= {
        "sentence_candidates": len(sentences),
        "sentences_proposed": len(clean),
        "share_of_all_sentences": round(sum(one.times for one in clean) / max(1, figures["sentences"]), 4),
        "template_candidates": len(templates),
        "templates_proposed": sum(one.is_safe for one in templates),
    }
    name = Candidates(sentences, templates, figures).write(folder, datetime.datetime.now(datetime.UTC))
    SharedFiles(settings, secrets).hand_over(folder / name)
    offered = {"sentences": len(sentences), "templates": len(templates)}
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of("evidence"))) as audit:
        audit.append(AuditEvent("harvest", "prepared", prepared_by, name, offered))
    return {"harvest": name, "folder": str(folder / name), **figures}


@logged_step
def approve_harvest(
    settings: InstitutionSettings,
    secrets: Secrets,
    approved_by: Identity,
    approved_at: datetime.datetime | None = None,
    harvested: str = "",
) -> dict[str, Any]:
    """Freeze the rows that the files of a harvest mark as included; engines that are loaded later use them.

    A new version gives a new fingerprint, which needs an evaluation before it publishes.

    Args:
        settings: The institution.
        secrets: Its secrets.
        approved_by: Who approved.
        approved_at: When; now if not given.
        harvested: Name of the harvest; if empty, the newest.

    Raises:
        InputError: more than the decision of a row was changed; the text names file and row.
        ApprovalError: the audit log does not say who ran the harvest, or the same person did and the settings ask for
            two people.
    """
    folder, shared = harvest_dir(settings), SharedFiles(settings, secrets)
    name = harvested or newest_harvest(folder, shared.names(folder))
    _check_prepared(settings, secrets, name, approved_by)
    with shared.checked_out(folder / name):
        decided = read_decided(folder, name)
    approved = freeze_harvest(
        approved_dir(settings),
        secrets.key(settings.obfuscate.key),
        decided.sentences,
        decided.templates,
        approved_by.name,
        approved_at or datetime.datetime.now(datetime.UTC),
        decided.harvest,
    )
    details = {"version": approved.version, "sentences": len(approved.inclusion), "templates": len(approved.templates)}
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of("evidence"))) as audit:
        audit.append(AuditEvent("harvest", "approved", approved_by, name, details))
    shared.share_version(approved_dir(settings), approved.version)
    return {
        "harvest": decided.harvest,
        "version": approved.version,
        "sentences": len(approved.inclusion),
        "sentences_offered": decided.offered[0],
        "templates": len(approved.templates),
        "templates_offered": decided.offered[1],
        "approved_by": approved_by.name,
        "approved_at": approved.approved_at,
    }


@logged_step
def reject_harvest(settings: InstitutionSettings, secrets: Secrets, rejected_by: Identity, harvested: str) -> None:
    """Record that a person rejected a harvest; engines go on with the version that they use.

    Args:
        settings: The institution.
        secrets: Its secrets.
        rejected_by: Who rejected it.
        harvested: Name of the harvest.
    """
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of("evidence"))) as audit:
        audit.append(AuditEvent("harvest", "rejected", rejected_by, harvested))


def _check_prepared(settings: InstitutionSettings, secrets: Secrets, name: str, person: Identity) -> None:
    """Check that the audit log says who ran a harvest and, where two people are needed, that it was another person.

    Raises:
        ApprovalError: it does not say so, or it was the same person, which is recorded as refused.
    """
    with audited(settings, secrets, secrets.text(settings.warehouse.connection_of("evidence"))) as audit:
        prepared = newest_audit_row(audit.connection, settings, "harvest", subject=name, role="prepared")
        is_known = prepared is not None and is_trusted_row(audit.connection, settings, secrets, prepared)
        is_own = prepared is not None and person.is_same_person(Identity(prepared.actor, prepared.actor_source))
        is_refused = is_known and is_own and "harvest" in settings.approvals.two_people
        if is_refused:
            audit.append(AuditEvent("harvest", "refused", person, name))
    if not is_known:
        raise ApprovalError(
            f"{settings.institution}: the audit log does not say who ran harvest {name}, so nobody may approve it;"
            " harvest again"
        )
    if is_refused:
        raise ApprovalError(
            f"{settings.institution}: {person.name} ran harvest {name}, and may not approve it; another person must"
        )


def approved_harvest(settings: InstitutionSettings, secrets: Secrets) -> dict[str, Any] | None:
    """Return counts, approver and time of the version in use; ``None`` where no harvest was approved."""
    key = secrets.key(settings.obfuscate.key)
    folder, shared = approved_dir(settings), SharedFiles(settings, secrets)
    if version := shared.newest(folder):
        shared.fetch_version(folder / version)
    approved = ApprovedHarvest.open(folder, key)
    return None if approved is None else approved.metadata(key)


def _sentences_of(text: str) -> Counter[str]:
    cut = (text[start:end] for start, end in split_sentences(text))
    return Counter(sentence for sentence in cut if any(map(str.isalpha, sentence)))


def _candidates(
    settings: InstitutionSettings, uri: str, counter: PatientCounter, engine: EngineParts
) -> list[SentenceCandidate]:
    """Return the most frequent sentences and more that name a disease or a drug, each with the entities found in it."""
    chosen = settings.harvest
    wanted = chosen.top_sentences + chosen.medical_sentences
    if not wanted:
        return []
    common = counter.commonest(chosen.min_patients, _POOL * wanted)
    ranks = {key: rank for rank, key in enumerate(common.keys.tolist())}
    texts: dict[int, str] = {}
    with connect(uri) as connection:
        for _, text in read_texts(connection, settings, chosen.notes):
            if len(texts) == len(ranks):
                break
            for sentence in _sentences_of(text):
                rank = ranks.get(counter.hash(sentence))
                if rank is not None:
                    texts.setdefault(rank, sentence)
    found: list[SentenceCandidate] = []
    medical = 0
    for batch in batched(sorted(texts.items()), _BATCH):
        kept = []
        for (rank, text), is_medical in zip(batch, _names_medicine(engine.lexicon, [t for _, t in batch]), strict=True):
            if rank < chosen.top_sentences:
                kept.append((rank, text, False))
            elif is_medical and medical < chosen.medical_sentences:
                medical += 1
                kept.append((rank, text, True))
        entities = _entities_in(engine, [text for _, text, _ in kept])
        found += [
            SentenceCandidate(text, int(common.patients[rank]), int(common.times[rank]), is_medical, seen)
            for (rank, text, is_medical), seen in zip(kept, entities, strict=True)
        ]
    return found


def _names_medicine(lexicon: Lexicon, texts: Sequence[str]) -> list[bool]:
    """Return for each text whether it names a disease or a drug."""
    named = np.zeros(len(texts), bool)
    scan = lexicon.scan(texts)
    if len(scan):
        matches, _ = lexicon.match(scan)
        named[scan.document[matches.only(_DISEASE_OR_DRUG).first]] = True
    return [bool(one) for one in named]


def _entities_in(engine: EngineParts, texts: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the entities that all detectors together find in each text."""
    documents = [Document(str(number), text) for number, text in enumerate(texts)]
    return [
        tuple(sorted({str(span.entity) for span in resolve_spans(document, spans, engine).spans}))
        for document, spans in zip(documents, run_detectors(documents, BatchContext(engine)), strict=True)
    ]


def _templates(settings: InstitutionSettings, uri: str, engine: EngineParts) -> list[TemplateCandidate]:
    chosen = settings.harvest
    if not chosen.template_notes:
        return []
    with connect(uri) as reader, connect(uri) as lookup:
        notes = read_some(reader, settings, chosen.template_notes)
        reads = list(_read(settings, lookup, notes, engine))
    return harvest_templates(reads, chosen.min_patients, chosen.max_new_share)


def _read(settings: InstitutionSettings, lookup: Any, notes: Iterable[Document], engine: EngineParts) -> Iterator[Read]:
    """Yield each note with the spans of all detectors; notes above the length limit are left out."""
    short = (note for note in notes if len(note.text) <= settings.notes.max_characters)
    for batch in batched(short, _BATCH):
        patients = read_patients(lookup, settings, (d.patient_id for d in batch if d.patient_id))
        for document, spans in zip(batch, run_detectors(batch, BatchContext(engine, patients)), strict=True):
            detection = resolve_spans(document, spans, engine)
            yield Read(document.patient_id or "", document, detection.spans)
