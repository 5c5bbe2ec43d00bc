"""Whether anything hangs on a model's doubt."""

import pytest

from deid_tasks.core.entities import Entity
from deid_tasks.engine.cascade import Stakes
from deid_tasks.engine.detect.patterns import PatternDetector
from deid_tasks.engine.detect.reader import TextSpan
from deid_tasks.settings import MergeSettings, RecoverSettings

NOTHING: list[TextSpan] = []


def differ(text: str, words: str, entity: Entity = Entity.PATIENT, stakes: Stakes | None = None) -> bool:
    """Whether it matters that ``words`` of ``text`` are ``entity``."""
    start = text.index(words)
    known = stakes or Stakes(MergeSettings(), RecoverSettings(), PatternDetector())
    found = [TextSpan(start, start + len(words), entity, 0.6)]
    [one] = known.differ("transformer", [text], [found], [NOTHING])
    [other] = known.differ("transformer", [text], [NOTHING], [found])
    assert one == other
    return one


@pytest.mark.parametrize(
    ("text", "words", "matters"),
    [
        ("Spoke with Okafor about refills.", "Okafor", True),
        ("Okafor called about refills.", "Okafor", False),
        ("Walked four minutes of the Bruce protocol.", "Bruce", False),
        ("Bruce walked four minutes.", "Bruce", True),
        ("Pathology: T2N1M0, margins clear.", "T2N1M0", False),
        ("Seen on 03/14/2021 for cough.", "03/14/2021", False),
        ("Seen on 03/14/2021 for cough, Okafor", "03/14/2021 for cough, Okafor", True),
        ("Stable, discharged.", "Stable,", False),
        ("No cough -- none.", "--", False),
    ],
)
def test_patterns_and_medical_terms_leave_nothing_to_ask(text, words, matters):
    entity = Entity.DATE if words.startswith("03") and len(words) == 10 else Entity.PATIENT
    assert differ(text, words, entity) is matters


def test_without_patterns_and_recovery_every_word_matters():
    bare = Stakes(MergeSettings(), RecoverSettings(enabled=False), None)
    assert differ("Seen on 03/14/2021 for cough.", "03/14/2021", Entity.DATE, bare)
    assert differ("Walked four minutes of the Bruce protocol.", "Bruce", stakes=bare)


def test_another_entity_for_the_same_words_is_no_difference():
    stakes = Stakes(MergeSettings(), RecoverSettings(), PatternDetector())
    answers = [[[TextSpan(0, 6, entity, 0.6)]] for entity in (Entity.PATIENT, Entity.PROVIDER)]
    assert stakes.differ("transformer", ["Okafor called."], *answers) == [False]


def test_many_texts_are_answered_in_order():
    stakes = Stakes(MergeSettings(), RecoverSettings(), PatternDetector())
    texts = ["Okafor here.", "", "Bruce protocol", "Okafor here."]
    one = [[TextSpan(0, 6, Entity.PATIENT, 0.6)], [], [TextSpan(0, 5, Entity.PATIENT, 0.6)], []]
    assert stakes.differ("transformer", texts, one, [NOTHING] * 4) == [True, False, False, False]
