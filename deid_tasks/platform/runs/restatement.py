"""Restatement: published notes that the engine in use may read differently are read again, and no others.

The other notes are carried over: their rows in the ledger become valid for the engine in use. Before that, a sample of
them is read in full, and must come out as it is published.
"""

import datetime
import logging
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from psycopg2.extensions import connection as Connection  # noqa: N812

from deid_tasks.core.errors import GateError
from deid_tasks.engine.parts import EngineParts
from deid_tasks.platform.runs.commit_plan import read_note
from deid_tasks.platform.runs.engine_changes import EngineChange, StaleCause, engine_changes
from deid_tasks.platform.runs.institution_engine import load_engine
from deid_tasks.platform.runs.notes import ShardSource
from deid_tasks.platform.runs.plans import check_surrogate_key, count_shards, run_plan
from deid_tasks.platform.runs.promotion import pin_engine
from deid_tasks.platform.runs.pseudonyms import ledger_key
from deid_tasks.platform.runs.reports import EnginePin, RunPlan, StaleReport
from deid_tasks.platform.runs.step_log import logged_step
from deid_tasks.platform.warehouse import Shard, connect
from deid_tasks.platform.warehouse.ledger import read_ledger
from deid_tasks.platform.warehouse.merges import refresh_merges
from deid_tasks.platform.warehouse.notes import read_shard
from deid_tasks.platform.warehouse.shards import save_work_list
from deid_tasks.platform.warehouse.stale_notes import (
    StaleNote,
    add_carried,
    begin_carry,
    carry_notes,
    days_of_notes,
    engines_of_notes,
    read_stale,
    sample_carried,
)
from deid_tasks.platform.warehouse.work_list import Cause, add_notes, begin_work_list, work_days
from deid_tasks.settings import InstitutionSettings, RestatementRequest, Secrets

logger = logging.getLogger(__name__)

_CARRIED = "carried"
SCHEDULED = RestatementRequest()
"""What a scheduled run takes."""


@logged_step
def plan_restate_run(
    settings: InstitutionSettings,
    secrets: Secrets,
    run_id: str,
    pin: EnginePin,
    request: RestatementRequest = SCHEDULED,
) -> RunPlan:
    """List the published notes that the pinned engine may read differently, and carry the others over to it.

    The oldest days come first. The plan ends once it has as many notes as a run may have, or has searched as many as a
    run may search; the ledger says what is left for the next run.

    Args:
        settings: The institution.
        secrets: Its secrets.
        run_id: The run.
        pin: The run's engine.
        request: Which notes; a dry run counts them and changes nothing.

    Raises:
        GateError: published days were made under another surrogate key, or a note of the sample comes out otherwise
            than it is published. Nothing is carried and nothing is listed then.
    """
    uri = secrets.text(settings.warehouse.connection_of("publish"))
    room = request.max_notes or settings.changes.restate_notes_per_hour
    counts: Counter[str] = Counter()
    with connect(uri) as reader, connect(uri) as writer:
        check_surrogate_key(writer, settings, secrets)
        search = _Search.begin(reader, settings, secrets, pin, request)
        if request.dry_run:
            counts = Counter(cause or _CARRIED for _, cause in search.notes())
            logger.info("%s: dry run, nothing is changed", run_id)
            return run_plan(settings, "restate", 0, counts)
        refresh_merges(writer, settings)
        begin_work_list(writer)
        begin_carry(writer)
        listing = _Listing(writer)
        for note, cause in search.notes():
            listing.add(note, cause)
            counts[cause or _CARRIED] += 1
            if listing.work >= room or counts.total() >= settings.changes.restate_searched_notes_per_hour:
                break
        listing.flush()
        save_work_list(writer, settings, run_id, shards=count_shards(settings, listing.work))
        if counts[_CARRIED]:
            _verify_carry(writer, settings, secrets, run_id, pin)
            counts[_CARRIED] = carry_notes(writer, settings, pin["fingerprint"])
    return run_plan(settings, "restate", listing.work, counts)


@logged_step
def stale_notes(
    settings: InstitutionSettings, secrets: Secrets, request: RestatementRequest = SCHEDULED
) -> list[StaleReport]:
    """Return how many published notes are older than the engine in use, by the engine they are valid for and cause.

    Texts are searched for changed terms, and no model runs. Notes that cannot come out differently have the cause
    ``carried``.

    Raises:
        GateError: no promoted engine has the present code and settings.
    """
    pin = pin_engine(settings, secrets)
    with connect(secrets.text(settings.warehouse.connection_of("publish"))) as reader:
        search = _Search.begin(reader, settings, secrets, pin, request)
        counts = Counter((note.fingerprint, str(cause or _CARRIED)) for note, cause in search.notes())
    return [
        {"fingerprint": engine, "cause": cause, "notes": notes} for (engine, cause), notes in sorted(counts.items())
    ]


@dataclass
class _Search:
    """The notes that a request concerns, each with why it may come out differently."""

    reader: Connection
    settings: InstitutionSettings
    fingerprint: str
    request: RestatementRequest
    changes: Mapping[str, EngineChange] = field(repr=False)

    @classmethod
    def begin(
        cls,
        reader: Connection,
        settings: InstitutionSettings,
        secrets: Secrets,
        pin: EnginePin,
        request: RestatementRequest,
    ) -> "_Search":
        fingerprint = pin["fingerprint"]
        former = [use.fingerprint for use in engines_of_notes(reader, settings, fingerprint, request)]
        if request.only == "stale":
            changes = engine_changes(reader, settings, secrets, former, pin)
        else:
            changes = dict.fromkeys(former, EngineChange(StaleCause.REQUESTED))
        return cls(reader, settings, fingerprint, request, changes)

    def notes(self) -> Iterator[tuple[StaleNote, StaleCause | None]]:
        """Yield each note and why it may come out differently, ``None`` where it cannot, the oldest days first."""
        with_text = [engine for engine, change in self.changes.items() if change.terms and not change.whole]
        for day in days_of_notes(self.reader, self.settings, self.fingerprint, self.request):
            for batch in read_stale(self.reader, self.settings, self.fingerprint, self.request, day, with_text):
                # A note that came since the engines were compared waits for the next run.
                for engine in sorted({note.fingerprint for note in batch} & set(self.changes)):
                    notes = [note for note in batch if note.fingerprint == engine]
                    yield from zip(notes, self.changes[engine].causes(notes), strict=True)


class _Listing:
    """Adds notes to the work list or to the list of carried notes, many at a time."""

    _FLUSH = 1_000

    def __init__(self, connection: Connection) -> None:
        self.work = 0
        """Notes of the work list."""
        self._connection = connection
        self._carried: list[StaleNote] = []
        self._listed: dict[Cause, list[tuple[str, datetime.date]]] = {Cause.STALE: [], Cause.REQUESTED: []}

    def add(self, note: StaleNote, cause: StaleCause | None) -> None:
        """Add a note to the work list if there is a cause, or else to the list of carried notes."""
        if cause is None:
            self._carried.append(note)
        else:
            self.work += 1
            listed = Cause.REQUESTED if cause == StaleCause.REQUESTED else Cause.STALE
            self._listed[listed].append((note.note_id, note.note_day))
        if len(self._carried) >= self._FLUSH or any(len(notes) >= self._FLUSH for notes in self._listed.values()):
            self.flush()

    def flush(self) -> None:
        """Write what was added."""
        add_carried(self._connection, self._carried)
        self._carried.clear()
        for cause, notes in self._listed.items():
            add_notes(self._connection, cause, notes)
            notes.clear()


def _verify_carry(
    connection: Connection, settings: InstitutionSettings, secrets: Secrets, run_id: str, pin: EnginePin
) -> None:
    """Read a sample of the notes to carry with the pinned engine; raise ``GateError`` if one comes out otherwise.

    A note that changed in the source since it was published says nothing and is not counted.
    """
    sample = sample_carried(connection, pin["fingerprint"], settings.changes.carry_sample_notes)
    if not sample:
        return
    sample_id = f"{run_id}/sample"
    engine = load_engine(settings, secrets, pin)
    begin_work_list(connection)
    add_notes(connection, Cause.STALE, sample)
    save_work_list(connection, settings, sample_id, shards=1)
    equal = _compare_with_ledger(connection, settings, secrets, sample_id, engine)
    begin_work_list(connection)
    save_work_list(connection, settings, sample_id)
    differing = equal[False]
    logger.info("%s: %d of %d notes to carry were read again, %d differ", run_id, equal.total(), len(sample), differing)
    if differing:
        name = settings.institution
        raise GateError(
            f"{name}: {differing} of {equal.total()} sampled notes come out otherwise under engine"
            f" {pin['fingerprint']}, although nothing that changed concerns them; nothing is carried over and nothing"
            f' restated: trigger restate__{name} with only = "all"'
        )


def _compare_with_ledger(
    connection: Connection, settings: InstitutionSettings, secrets: Secrets, run_id: str, engine: EngineParts
) -> Counter[bool]:
    """Return how many notes of a work list come out as the ledger says, and how many do not."""
    key = ledger_key(settings, secrets)
    ledger = read_ledger(connection, settings, run_id)
    source = ShardSource(settings, secrets, connection, connection, engine)
    equal: Counter[bool] = Counter()
    for day in work_days(connection, settings, run_id):
        for notes in read_shard(connection, settings, run_id, day, Shard(0, 1)):
            for row in source.deidentify(notes, "").to_pylist():
                made, known = read_note(row, run_id, engine.fingerprint, key).row, ledger[row["note_id"]]
                if (made.content_hash, made.record_digest) == (known.content_hash, known.record_digest):
                    equal[made.output_hash == known.output_hash] += 1
    return equal
