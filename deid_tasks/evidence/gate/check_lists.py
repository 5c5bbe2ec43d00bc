"""The checks that an evaluation and a run must pass, over the tables of ``_results``."""

from typing import Any

from deid_tasks.core.notes import Reason
from deid_tasks.evidence.evaluate import CATEGORY_VIEW
from deid_tasks.evidence.gate.checking import Check
from deid_tasks.settings import GateSettings

_READ_REPORT = "read the evaluation report for what was missed"
_RUN_AGAIN = "clear the run's failed tasks; if the counts differ again, read the run's log"


def evaluation_checks(gate: GateSettings, evaluation_id: str, design: str, gold_version: str) -> tuple[Check, ...]:
    """Return the checks that the figures on one gold set must pass for a certificate, over the table ``evaluation``.

    Args:
        gate: The thresholds.
        evaluation_id: The evaluation whose rows are checked.
        design: The sampling design of the gold set, which names its rows.
        gold_version: The version of the gold set, for the messages.
    """
    rows: dict[str, Any] = {"evaluation_id": evaluation_id, "sample": design, "variant": "full", "view": "word"}
    all_notes = {**rows, "stratum": "", "entity": "ALL"}
    recall_rows = {**rows, "metric": "recall"}
    below_minimum = {"upper": gate.stratum_recall_min}
    gold = f"the {design} gold set {gold_version}"
    low = f"with recall below {gate.stratum_recall_min:g} even at its upper bound, on {gold}"
    return (
        Check(
            f"recall_lower_bound ({design})",
            f"lower {gate.confidence:.0%} confidence bound of word recall on {gold}",
            f"{_READ_REPORT}; extend dictionaries or models, or annotate more notes to narrow the interval",
            terms={"value": 1},
            where={**all_notes, "metric": "recall_lower_bound"},
            minimum=gate.recall_min,
        ),
        Check(
            f"precision ({design})",
            f"word precision on {gold}",
            "read the evaluation report for what was marked wrongly; extend the medical dictionary or review the rules",
            terms={"value": 1},
            where={**all_notes, "metric": "precision"},
            minimum=gate.precision_min,
        ),
        Check(
            f"category ({design})",
            f"share of identifying words with the right category on {gold}",
            "read the evaluation report for the categories that are confused; extend dictionaries or review the rules",
            terms={"value": 1},
            where={**all_notes, "view": CATEGORY_VIEW, "metric": "recall"},
            minimum=gate.category_min,
        ),
        Check(
            f"gold_words ({design})",
            f"identifying words in {gold}",
            "annotate a sample that holds identifiers, and freeze it",
            terms={"true_positives": 1, "false_negatives": 1},
            where={**all_notes, "metric": "recall"},
            minimum=1,
        ),
        Check(
            f"low_note_types ({design})",
            f"note types {low}",
            f"{_READ_REPORT}, by note type",
            where={**recall_rows, "entity": "ALL"},
            starts_with={"stratum": "note_type="},
            below=below_minimum,
            maximum=0,
        ),
        Check(
            f"low_periods ({design})",
            f"periods {low}",
            f"{_READ_REPORT}, over time",
            where={**recall_rows, "entity": "ALL"},
            starts_with={"stratum": "period="},
            below=below_minimum,
            maximum=0,
            severity="warning",
        ),
        Check(
            f"low_entities ({design})",
            f"entities and categories {low}",
            f"{_READ_REPORT}, by entity",
            where={**recall_rows, "stratum": ""},
            below=below_minimum,
            maximum=0,
            severity="warning",
        ),
        Check(
            f"dictionary_gain ({design})",
            f"word recall that the institution's dictionaries add on {gold}",
            "compile the dictionaries again and look for terms that are everyday words",
            terms={"value": 1},
            where={**all_notes, "metric": "dictionary_gain"},
            minimum=0,
            severity="warning",
        ),
    )


def run_checks(
    gate: GateSettings, run_id: str, notes_read: int, *, is_whole: bool = True
) -> dict[str, tuple[Check, ...]]:
    """Return the checks that a run must pass before its slice is published, by table.

    Args:
        gate: The thresholds.
        run_id: The run whose rows are checked.
        notes_read: How many notes the run read; the share of quarantined notes is undefined for none.
        is_whole: Whether the run read whole days. Shares of the few notes of another run only warn: a note in
            quarantine must not hold the others back, whose former versions are published.
    """
    run: dict[str, Any] = {"run_id": run_id}
    quarantined_share = Check(
        "quarantined_share",
        "share of the run's notes in quarantine",
        "read the reasons in note_outcome; then clear the run",
        terms={"quarantined": 1},
        divided_by={"notes_read": 1},
        where=run,
        maximum=gate.max_quarantined_share,
        severity="critical" if is_whole else "warning",
    )
    return {
        "run": (
            Check(
                "unaccounted_notes",
                "notes read that were neither published nor quarantined",
                _RUN_AGAIN,
                terms={"notes_read": 1, "published": -1, "unchanged": -1, "quarantined": -1},
                where=run,
                minimum=0,
                maximum=0,
            ),
            *([quarantined_share] if notes_read else []),
        ),
        "note_outcome": (
            Check(
                "note_outcomes",
                "outcome rows, one for each note read",
                _RUN_AGAIN,
                where=run,
                minimum=notes_read,
                maximum=notes_read,
            ),
            Check(
                "notes_without_patient_record",
                "notes whose patient has no name and no identifier in the warehouse",
                "note_outcome names them; register the patients, or list the note type in notes.types_without_patient",
                where={**run, "reason": str(Reason.NO_PATIENT_RECORD)},
                maximum=int(gate.max_share_without_record * notes_read),
                severity="critical" if is_whole else "warning",
            ),
        ),
        "audit_finding": (
            Check(
                "audit_findings",
                "identifiers of the patient's own record in a note that would be published",
                "read audit_finding for the notes and kinds, mend what missed them, and clear the run",
                where={**run, "is_published": True},
                maximum=0,
            ),
        ),
        "run_figure": (
            Check(
                "drifted_figures",
                "figures of a note type outside the band of the certified evaluation, for which the run is held",
                "review the run, then approve or reject it",
                where={**run, "is_held": True},
                maximum=0,
                severity="warning",
            ),
        ),
    }


def ledger_checks() -> dict[str, tuple[Check, ...]]:
    """Return the checks of the nightly reconciliation, over the table ``ledger_count``."""
    return {
        "ledger_count": (
            Check(
                "rows_beside_the_ledger",
                "rows of the published table more or fewer than the ledger says",
                "clear the publishing task that failed last, or backfill the days that `deid ledger` shows",
                terms={"differing": 1},
                maximum=0,
            ),
            Check(
                "overdue_changes",
                "changes of the source that are not in the published table in time",
                "read the log of the changes DAG's last runs",
                terms={"overdue": 1},
                maximum=0,
            ),
        )
    }
