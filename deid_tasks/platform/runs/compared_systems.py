"""Other de-identification systems on the gold notes of an evaluation, beside the engine that it evaluated."""

import hashlib
import heapq
import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict

from deid_tasks.comparison.document import Document as FigureDocument
from deid_tasks.comparison.document import comparison_document
from deid_tasks.comparison.environments import SystemUnavailableError
from deid_tasks.comparison.gold import ComparedNote, ComparedSet
from deid_tasks.comparison.process import Announcement
from deid_tasks.comparison.protocol import SystemAnswer, SystemNote, SystemSpan
from deid_tasks.comparison.registry import (
    OURS,
    SYSTEMS_FOLDER,
    SystemChoice,
    SystemDefinition,
    parse_systems,
)
from deid_tasks.comparison.run import SystemRun, run_systems, system_launcher
from deid_tasks.comparison.scores import score_systems
from deid_tasks.core.errors import InputError, WarehouseError
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.parts import BatchContext, EngineParts
from deid_tasks.engine.pipeline import find_identifiers
from deid_tasks.platform.runs.ablation import GoldDocument, gold_documents
from deid_tasks.platform.runs.comparison_files import comparison_folder, prune_answers
from deid_tasks.platform.runs.institution_engine import load_engine
from deid_tasks.platform.runs.promotion import pin_of
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import connect
from deid_tasks.platform.warehouse.compared_systems import ComparedSystemRow, replace_compared_systems
from deid_tasks.platform.warehouse.promoted_engines import promoted_engines
from deid_tasks.settings import CompareSettings, Design, InstitutionSettings, Secrets
from deid_tasks.settings.compare import option_name
from deid_tasks.settings.system_names import ENGINE_NAME, SYSTEM_NAMES

logger = logging.getLogger(__name__)

_WARMING_NOTES = 5
_SHOWN_PROGRESS = ("installing", "starting")
_VERSION_CHARACTERS = 200
_ENGINE = SystemDefinition(
    ENGINE_NAME,
    "This institution's engine",
    "The engine that was evaluated, with the institution's dictionaries and patient records.",
    SYSTEMS_FOLDER / OURS,
)


class ComparedReport(TypedDict):
    """What a comparison after an evaluation did."""

    evaluation_id: str
    notes: int
    """Notes that each system had to read."""
    systems: int
    without_figures: int
    """Systems that did not start or finish."""


@dataclass(frozen=True)
class _GoldNotes:
    """The compared notes of one gold set."""

    design: Design
    version: str
    scored: int
    """Notes of the gold set that the evaluation scored."""
    documents: list[GoldDocument] = field(repr=False)

    @property
    def compared(self) -> ComparedSet:
        """The notes as a comparison takes them."""
        return ComparedSet(
            self.design,
            [
                ComparedNote(one.document.note_id, one.document.text, tuple(one.spans), one.patient)
                for one in self.documents
            ],
        )


@logged_step
def compare_after_evaluation(
    settings: InstitutionSettings, secrets: Secrets, evaluation: Mapping[str, Any]
) -> ComparedReport:
    """Run the systems of ``compare.systems`` on the gold notes of an evaluation, and store how they did.

    Every system reads the same notes as the engine, and is scored with the policy, group, confidence and resamples of
    the evaluation. A system that cannot be installed or started, or does not finish, is a row that says so; a note on
    which it fails counts as missed. The rows of ``_results.compared_system`` hold sums alone.

    Args:
        settings: The institution.
        secrets: Its secrets.
        evaluation: What ``evaluate_and_certify`` returned.

    Raises:
        StorageError: The folder of environments and answers cannot be made, or others may read it.
        GateError: The engine was promoted with other code, models or settings than those of now.
        WarehouseError: A gold set or the engine is not in the database any more.
    """
    prune_answers(settings)
    folder = comparison_folder(settings)
    engine = _evaluated_engine(settings, secrets, str(evaluation["fingerprint"]))
    golds = [
        _gold_notes(settings, secrets, design, str(one["gold_version"]))
        for design, one in evaluation["designs"].items()
    ]
    documents = [one for gold in golds for one in gold.documents]
    choices, missing = _choices(settings.compare)
    compared = run_systems(
        choices,
        [SystemNote(one.document.note_id, one.document.text) for one in documents],
        folder,
        system_launcher(folder, _announce, settings.compare.note_seconds),
        _LoggedProgress(),
        system_seconds=60 * settings.compare.system_minutes,
    )
    runs = [_run_of_engine(engine, documents), *compared, *missing]
    rows: list[ComparedSystemRow] = []
    first = 0
    for gold in golds:
        if gold.documents:
            rows += _rows(settings, gold, runs, first, str(evaluation["evaluation_id"]), engine.fingerprint)
        first += len(gold.documents)
    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        replace_compared_systems(connection, settings, str(evaluation["evaluation_id"]), rows)
    for run in runs:
        if run.failure is not None:
            failure = (run.failure.reason, run.failure, run.failure.advice)
            logger.warning("system=%s has no figures: %s: %s; %s", run.choice.key, *failure)
    return {
        "evaluation_id": str(evaluation["evaluation_id"]),
        "notes": len(documents),
        "systems": len(runs) - 1,
        "without_figures": sum(run.failure is not None for run in runs),
    }


def _evaluated_engine(settings: InstitutionSettings, secrets: Secrets, fingerprint: str) -> EngineParts:
    """Return the engine that was evaluated, without the cache of earlier answers: its speed is measured too."""
    with connect(secrets.text(settings.warehouse.connection_of("evidence"))) as connection:
        promoted = next((e for e in promoted_engines(connection, settings) if e.fingerprint == fingerprint), None)
    if promoted is None:
        raise WarehouseError(f"{settings.institution}: engine {fingerprint} is not among the promoted ones")
    engine = load_engine(settings, secrets, pin_of(promoted))
    detectors = tuple(one.uncached() if isinstance(one, SentenceDetector) else one for one in engine.detectors)
    return replace(engine, detectors=detectors)


def _gold_notes(settings: InstitutionSettings, secrets: Secrets, design: Design, version: str) -> _GoldNotes:
    """Return the compared notes: all that were scored, or those whose hashes are the smallest, in the set's order."""
    numbered = enumerate(gold_documents(settings, secrets, design, version))
    scored = 0

    def counted() -> Iterator[tuple[int, GoldDocument]]:
        nonlocal scored
        for item in numbered:
            scored += 1
            yield item

    def drawn_by(item: tuple[int, GoldDocument]) -> bytes:
        return hashlib.sha256(f"{version}/{item[1].document.note_id}".encode()).digest()

    drawn = sorted(heapq.nsmallest(settings.compare.max_notes, counted(), drawn_by), key=lambda item: item[0])
    return _GoldNotes(design, version, scored, [document for _, document in drawn])


def _choices(wanted: CompareSettings) -> tuple[list[SystemChoice], list[SystemRun]]:
    """Return the systems that can be tried, and those that cannot, such as an adapter that this worker lacks."""
    choices: list[SystemChoice] = []
    missing = []
    for system in wanted.systems:
        name = option_name(system)
        options: dict[str, object] = dict(wanted.options.get(name, {}))
        known = SYSTEM_NAMES[system.partition(":")[0]]
        if known.sends_text and not known.has_argument:
            # The settings are valid, so ``compare.allow_remote`` is set; the service asks for it again.
            options["allow_remote"] = True
        try:
            choices += parse_systems([system], [f"{name}.{key}={_text(value)}" for key, value in options.items()])
        except InputError as error:
            failure = SystemUnavailableError("NotInstalled", str(error), "see that every worker has it")
            definition = SystemDefinition(name, name, "", SYSTEMS_FOLDER)
            missing.append(SystemRun(SystemChoice(definition, name), failure=failure))
    return choices, missing


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _run_of_engine(engine: EngineParts, documents: Sequence[GoldDocument]) -> SystemRun:
    """Return what the engine says about each note, one at a time as the other systems read them."""
    # What a process builds once, such as automata, is not part of a note's time.
    for one in documents[:_WARMING_NOTES]:
        _find(engine, one)
    answers = []
    for one in documents:
        began, worked = time.perf_counter(), time.process_time()
        spans = _find(engine, one)
        seconds, worked = time.perf_counter() - began, time.process_time() - worked
        answers.append(SystemAnswer(one.document.note_id, spans, seconds, worked))
    announcement = Announcement(ENGINE_NAME, engine.fingerprint[:12], 1, 0.0)
    return SystemRun(SystemChoice(_ENGINE, ENGINE_NAME), announcement, answers)


def _find(engine: EngineParts, note: GoldDocument) -> tuple[SystemSpan, ...]:
    patients = {note.document.patient_id or "": note.record} if note.record else {}
    # A document computes tokens and sentences once: a new one has the whole work to do.
    [found] = find_identifiers([replace(note.document)], BatchContext(engine, patients))
    return tuple(SystemSpan(span.start, span.end, str(span.entity), span.score) for span in found.spans)


def _rows(
    settings: InstitutionSettings,
    gold: _GoldNotes,
    runs: Sequence[SystemRun],
    first: int,
    evaluation_id: str,
    fingerprint: str,
) -> list[ComparedSystemRow]:
    """Return a row for each system on one gold set, whose first note is answer ``first`` of each run."""
    compared, gate, group = gold.compared, settings.gate, settings.policy.group
    scores = score_systems(
        compared, runs, first, group, gate.confidence, gate.resamples, policy=settings.policy, baseline=ENGINE_NAME
    )
    [scored] = comparison_document([(compared, scores)], str(group), gate.confidence, gate.resamples)["sets"]
    rows = []
    for run, found in zip(runs, scored["rows"], strict=True):
        head = ComparedSystemRow(
            evaluation_id,
            gold.design,
            run.choice.key,
            run.choice.title,
            run.announcement.version[:_VERSION_CHARACTERS] if run.announcement else "",
            run.choice.key == ENGINE_NAME,
            fingerprint,
            gold.version,
            gold.scored,
            scored["notes"],
            scored["words"],
        )
        rows.append(replace(head, **_figures(run, found)))
    return rows


def _figures(run: SystemRun, found: FigureDocument) -> dict[str, Any]:
    """Return the fields of a row that a system's figures give."""
    if found["figures"] is None:
        return {"reason": run.failure.reason if run.failure else "NotFinished"}
    fields: dict[str, Any] = {
        "failed_notes": len(found["failures"]),
        "full_notes": found["figures"]["full"]["true_positives"],
        "words_per_core_second": (found["speed"] or {}).get("words_per_core_second"),
    }
    for metric in ("recall", "precision"):
        for name, figure in (
            (metric, found["figures"][metric]),
            (f"{metric}_difference", found["differences"].get(metric)),
        ):
            if figure is not None:
                fields |= {name: figure["value"], f"{name}_lower": figure["lower"], f"{name}_upper": figure["upper"]}
    return fields


def _announce(text: str) -> None:
    if text.startswith(_SHOWN_PROGRESS):
        logger.info("%s", text)


class _LoggedProgress:
    """Progress in the log of the task: what is installed and started."""

    def announce(self, text: str) -> None:
        """Log what begins, except that a system has its turn."""
        _announce(text)

    def count(self, notes: int) -> None:
        """Log nothing."""
