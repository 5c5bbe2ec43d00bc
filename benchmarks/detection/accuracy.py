"""Recall and precision on the dev world, with an institution's dictionaries and without, and the ablation of the
engine.

    python -m benchmarks.detection.accuracy                          # about 3 minutes of one core
    python -m benchmarks.detection.accuracy --notes 600 --errors 40  # also the commonest errors
    python -m benchmarks.detection.accuracy --ablate                 # also without each component, with its time

The hospital is loaded into a private PostgreSQL and dbt builds its dictionaries. The engine is the default one with
these dictionaries and a pattern for the hospital's record numbers. "Without dictionaries" is the same engine on its
public resources alone. Intervals are 95 % bootstraps over patients.
"""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.support.corpora import SCORES, score_cells
from benchmarks.support.institution import Institution, institution
from benchmarks.support.results import Results, parser_of, results
from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.detect.sentence_detector import SentenceDetector
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import run_detectors
from deid_tasks.engine.resolve import Detection, SpansByDetector
from deid_tasks.engine.text import Document
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.evidence.evaluate import Evaluation, Scorer
from deid_tasks.platform.runs.ablation import (
    FULL,
    AblationScore,
    GoldDocument,
    RecoveredWords,
    Variant,
    score_variants,
    without_dictionaries,
)

_BATCH = 100
_AROUND = 32
"""Characters printed on either side of an error."""


def evaluate(site: Institution, max_errors: int) -> tuple[dict[str, Evaluation], float]:
    """Return the scores of both engines from one reading, and the processor seconds of detection.

    Args:
        site: The institution.
        max_errors: How many distinct errors of each engine are printed.
    """
    variants = (Variant(FULL, site.engine), without_dictionaries(site.engine))
    scorers = {one.name: Scorer() for one in variants}
    errors: dict[str, Counter[str]] = {one.name: Counter() for one in variants}
    seconds = 0.0
    for first in range(0, len(site.notes), _BATCH):
        notes = site.notes[first : first + _BATCH]
        documents = [Document(n.note_id, n.text, n.patient_id, n.note_type) for n in notes]
        began = time.process_time()
        found = run_detectors(documents, BatchContext(site.engine, site.records))
        seconds += time.process_time() - began
        for variant in variants:
            for note, by_detector, detection in zip(notes, found, variant.detections(documents, found), strict=True):
                scorers[variant.name].add(note.text, note.spans, detection.spans, note.patient_id, note.note_type)
                if max_errors:
                    errors[variant.name].update(_errors(note.text, note.spans, detection, by_detector))
    for name, counted in errors.items():
        for text, times in sorted(counted.items(), key=lambda one: (one[0].split(":")[0], -one[1]))[:max_errors]:
            print(f"{name}: {times} {text}")
    return {name: scorer.finish() for name, scorer in scorers.items()}, seconds


def _errors(text: str, gold: Sequence[Span], detection: Detection, by_detector: SpansByDetector) -> list[str]:
    """Return each wrong word with its context and the detectors that marked it; notes here are invented."""
    words = split_words(text)
    gold_labels, predicted_labels = mark_words(words, gold), mark_words(words, detection.spans)
    errors = []
    for index, (start, end) in enumerate(words):
        if (index in gold_labels) == (index in predicted_labels):
            continue
        context = text[max(0, start - _AROUND) : start], text[start:end], text[end : end + _AROUND]
        if index in gold_labels:
            by = [name for name, spans in by_detector.items() if any(s.start < end and start < s.end for s in spans)]
            is_recovered = any(span.start < end and start < span.end for span in detection.recovered)
            note = "recovered " if is_recovered else ""
            errors.append(f"missed {gold_labels[index]}: {context} {note}{' '.join(sorted(by))}")
        else:
            by = [s.detector for s in detection.spans if s.start < end and start < s.end]
            errors.append(f"wrong {predicted_labels[index]}: {context} {' '.join(by)}")
    return errors


def show_scores(out: Results, evaluations: dict[str, Evaluation], seconds: float) -> None:
    """Add the tables of both engines and of their entities."""
    columns = {"engine": "", "notes": ",d", "words": ",d", **SCORES, "missed": ",d", "wrong": ",d"}
    out.table(f"Both engines (detection: {seconds:.0f} core-s)", columns)
    for name, evaluation in evaluations.items():
        missed = evaluation.find().counts.false_negatives
        wrong = evaluation.find(metric="precision").counts.false_positives
        cells = score_cells(evaluation)
        out.add(name.replace("_", " "), evaluation.notes, evaluation.words, *cells, missed, wrong)
    full, public = evaluations[FULL], evaluations["without_dictionaries"]
    scores = ("recall", "precision", "recall without dictionaries", "precision without dictionaries")
    out.table("By entity", {"entity": "", "gold words": ",d", **dict.fromkeys(scores, ".3f")})
    for entity in map(str, Entity):
        try:
            figures = [e.find(entity=entity, metric=m) for e in (full, public) for m in ("recall", "precision")]
        except KeyError:
            continue  # The notes hold no such entity.
        counts = figures[0].counts
        gold = counts.true_positives + counts.false_negatives
        out.add(entity, gold, *(figure.value for figure in figures))


def ablation(out: Results, site: Institution) -> None:
    """Add the ablation of the whole engine, and of the engine without models and dictionaries."""
    gold = [
        GoldDocument(
            Document(n.note_id, n.text, n.patient_id, n.note_type),
            n.spans,
            n.patient_id,
            site.records.get(n.patient_id),
        )
        for n in site.notes
    ]
    # The value of patterns, templates and propagation shows where no model and no dictionary finds the same words.
    public = site.engine.without_dictionaries()
    rules = replace(public, detectors=tuple(one for one in public.detectors if not isinstance(one, SentenceDetector)))
    for title, engine in (("Ablation of the whole engine", site.engine), ("… without models and dictionaries", rules)):
        _show_ablation(out, title, *score_variants(gold, engine, Scorer()))


def _show_ablation(out: Results, title: str, ablated: Sequence[AblationScore], recovered: RecoveredWords) -> None:
    change = dict.fromkeys(("change low", "change high"), "+.4f")
    columns = {"without": "", "recall": ".4f", **{f"recall {k}": v for k, v in change.items()}}
    columns |= {"precision": ".4f", **{f"precision {k}": v for k, v in change.items()}}
    columns |= {"core-s": ".2f", "core-s of the component": "+.2f"}
    out.table(f"{title}; recovery removed {recovered.share:.2%} of the marked words", columns)
    for row in ablated:
        out.add(
            "nothing" if row.name == FULL else row.name.removeprefix("without_").replace("_", " "),
            row.evaluation.recall,
            row.recall_change.lower,
            row.recall_change.upper,
            row.evaluation.precision,
            row.precision_change.lower,
            row.precision_change.upper,
            row.seconds,
            ablated[0].seconds - row.seconds,
        )


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("--notes", type=int, default=300, help="notes that are scored")
    parser.add_argument(
        "--of", type=int, default=2_000, help="notes of the hospital, which dictionaries and harvest read"
    )
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--errors", type=int, default=0, help="distinct errors printed of each engine")
    parser.add_argument(
        "--ablate", action="store_true", help="also without each component; harvests and approves first"
    )
    arguments = parser.parse_args()
    with (
        results("detection-accuracy", "Accuracy of the whole engine on the dev world", arguments) as out,
        institution(arguments.notes, arguments.of, arguments.seed, harvested=arguments.ablate) as site,
    ):
        show_scores(out, *evaluate(site, arguments.errors))
        if arguments.ablate:
            ablation(out, site)


if __name__ == "__main__":
    main()
