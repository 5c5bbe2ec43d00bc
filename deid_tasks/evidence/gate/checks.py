"""What an evaluation and a run must keep, as checks over the tables of ``_results``."""

from deid_tasks.evidence.gate.suites import Check
from deid_tasks.settings import GateSettings


def evaluation_checks(gate: GateSettings, evaluation_id: str, design: str) -> tuple[Check, ...]:
    """What the figures on one gold set must reach for a certificate, over ``evaluation``."""
    rows = {"evaluation_id": evaluation_id, "sample": design, "variant": "full", "view": "word"}
    all_notes = {**rows, "stratum": "", "entity": "ALL"}
    recall_of_parts = {**rows, "metric": "recall"}
    low = {"upper": gate.stratum_recall_min}
    notes = f"the {design} gold notes"
    return (
        Check(
            f"recall_lower_bound ({design})",
            f"lower {gate.confidence:.0%} confidence bound of word recall on {notes}",
            terms={"value": 1},
            where={**all_notes, "metric": "recall_lower_bound"},
            minimum=gate.recall_min,
        ),
        Check(
            f"precision ({design})",
            f"word precision on {notes}",
            terms={"value": 1},
            where={**all_notes, "metric": "precision"},
            minimum=gate.precision_min,
        ),
        Check(
            f"gold_words ({design})",
            f"identifying words in {notes}",
            terms={"true_positives": 1, "false_negatives": 1},
            where={**all_notes, "metric": "recall"},
            minimum=1,
        ),
        Check(
            f"low_note_types ({design})",
            f"note types whose recall is below {gate.stratum_recall_min:g} even at its upper bound, on {notes}",
            where={**recall_of_parts, "entity": "ALL"},
            starts={"stratum": "note_type="},
            below=low,
            maximum=0,
        ),
        Check(
            f"low_periods ({design})",
            f"periods whose recall is below {gate.stratum_recall_min:g} even at its upper bound, on {notes}",
            where={**recall_of_parts, "entity": "ALL"},
            starts={"stratum": "period="},
            below=low,
            maximum=0,
            severity="warning",
        ),
        Check(
            f"low_entities ({design})",
            f"entities and categories whose recall is below {gate.stratum_recall_min:g} even at its upper bound, on {notes}",
            where={**recall_of_parts, "stratum": ""},
            below=low,
            maximum=0,
            severity="warning",
        ),
        Check(
            f"dictionary_gain ({design})",
            f"word recall that the institution's dictionaries add on {notes}",
            terms={"value": 1},
            where={**all_notes, "metric": "dictionary_gain"},
            minimum=0,
            severity="warning",
        ),
    )


def run_checks(gate: GateSettings, run_id: str, notes_read: int) -> dict[str, tuple[Check, ...]]:
    """What one run must keep before its slice is published, by table."""
    run = {"run_id": run_id}
    return {
        "run": (
            Check(
                "unaccounted_notes",
                "notes read that were neither published nor quarantined",
                terms={"notes_read": 1, "published": -1, "unchanged": -1, "quarantined": -1},
                where=run,
                minimum=0,
                maximum=0,
            ),
            *(
                [
                    Check(
                        "quarantined_share",
                        "share of the run's notes in quarantine",
                        terms={"quarantined": 1},
                        per={"notes_read": 1},
                        where=run,
                        maximum=gate.max_quarantined_share,
                    )
                ]
                if notes_read
                else []
            ),
        ),
        "note_outcome": (
            Check(
                "note_outcomes", "outcomes written down, one a note", where=run, minimum=notes_read, maximum=notes_read
            ),
        ),
        "audit_finding": (
            Check(
                "audit_findings",
                "identifiers of the patient's own record standing in a note that would be published",
                where={**run, "is_published": True},
                maximum=0,
            ),
        ),
        "run_figure": (
            Check(
                "drifted_figures",
                "figures of a note type outside the band of the certified evaluation, for which the run is held",
                where={**run, "is_held": True},
                maximum=0,
                severity="warning",
            ),
        ),
    }
