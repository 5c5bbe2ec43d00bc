"""Attacks on published notes: leaks are where they are said to be, and a plain leak is found."""

import random

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.obfuscate import Obfuscator
from deid_tasks.engine.text import Document
from deid_tasks.evidence.attack import AttackedNote, guess, judge, parrot, plant_leaks, publish, source_attack
from deid_tasks.settings import ObfuscateSettings, PolicySettings
from tests.support.small_notes import small_notes

HIDE = Obfuscator(bytes(range(32)), "attack", PolicySettings(), ObfuscateSettings(key="key"))


def attacked(count: int) -> list[AttackedNote]:
    return [
        AttackedNote(Document(note.note_id, note.text, note.patient_id), tuple(note.spans), note.note_datetime)
        for note in small_notes(count)
    ]


def test_leaks_stand_unchanged_where_they_are_said_to_be():
    notes = attacked(30)
    leaks = plant_leaks(notes, 0.1, random.Random(1))
    corpus = publish(notes, leaks, HIDE, {})
    shown = sorted(corpus.texts[m.note][m.start : m.end] for m in corpus.mentions if m.is_leak)
    assert shown == sorted(notes[i].document.text[span.start : span.end] for i, span in leaks)
    assert len(shown) > 5
    assert all(m.entity not in {Entity.AGE, Entity.TIME} for m in corpus.mentions)


def test_nobody_is_suspected_where_nothing_leaks():
    corpus = publish(attacked(10), frozenset(), HIDE, {})
    result = judge(corpus, guess(corpus, random.Random(1)), random.Random(1))
    assert (result.leaks, result.found, result.false_alarms_at_68) == (0, 0, 0)


def test_a_leak_that_looks_like_no_surrogate_is_found():
    # Surrogates of names are never digits, so whoever has the package finds these at once.
    text = "Seen by Okafor at noon."
    notes = [AttackedNote(Document(str(n), text.replace("Okafor", f"Q{n:05d}x"), "p"), (Span(8, 15, Entity.PROVIDER),))
             for n in range(20)]  # fmt: skip
    plain = [AttackedNote(Document(str(n), text, "p"), (Span(8, 14, Entity.PROVIDER),)) for n in range(20)]
    leaks = frozenset((n, notes[n].spans[0]) for n in range(20))
    corpus = publish([*notes, *plain], leaks, HIDE, {})
    own = source_attack([publish(plain, frozenset(), HIDE, {})])
    result = judge(corpus, own(corpus, random.Random(1)), random.Random(1))
    assert (result.leaks, result.found, result.area) == (20, 20, 1.0)
    assert judge(corpus, parrot(corpus, random.Random(1)), random.Random(1)).leaks == 20
