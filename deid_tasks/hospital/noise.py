"""Noise of hospital text: capitals, typing errors, lost spaces, hard wraps. Identifiers stay whole, so that gold
offsets stay exact.
"""

import random
import re
from collections.abc import Callable

from deid_tasks.hospital.names import mistype
from deid_tasks.hospital.scene import Piece

_WORD = re.compile(r"\b[a-z]{4,}\b")
_GLUE = re.compile(r"(?<=[a-z]{3}[.,;:])[ ](?=\w)")


def capitals(pieces: list[Piece], _: random.Random) -> list[Piece]:
    """Return ``pieces`` in capitals, as some dictation systems write."""
    return [(text.upper(), entity) for text, entity in pieces]


def small_letters(pieces: list[Piece], _: random.Random) -> list[Piece]:
    """Return ``pieces`` in lower case, as hurried authors write."""
    return [(text.lower(), entity) for text, entity in pieces]


def typing_errors(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """Return ``pieces`` with one ordinary word in forty mistyped."""

    def change(match: re.Match[str]) -> str:
        return mistype(match.group(), rng) if rng.random() < 0.025 else match.group()

    return [(text, entity) if entity else (_WORD.sub(change, text), None) for text, entity in pieces]


def lost_spaces(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """Spaces lost after a stop, and between a label and its value: ``MRN:12345``."""

    def change(match: re.Match[str]) -> str:
        return "" if rng.random() < 0.15 else match.group()

    changed: list[Piece] = []
    for text, entity in pieces:
        if entity is None:
            text = _GLUE.sub(change, text)
            if text.endswith(": ") and rng.random() < 0.5:
                text = text[:-1]
        changed.append((text, entity))
    return changed


def hard_wraps(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """Lines cut at a fixed width, as interfaces between systems do; also inside sentences, names and addresses."""
    width = 60 + int(rng.random() * 20)
    column = 0
    changed: list[Piece] = []
    for text, entity in pieces:
        if "\n" not in text and column + len(text) <= width:
            column += len(text)
            changed.append((text, entity))
            continue
        parts = re.split(r"([ \n]+)", text)
        for place, part in enumerate(parts):
            if "\n" in part:
                column = len(part) - part.rfind("\n") - 1
            elif part == " " and column + 1 + len(parts[place + 1]) > width and column > 20:
                parts[place] = "\n"
                column = 0
            else:
                column += len(part)
        changed.append(("".join(parts), entity))
    return changed


KINDS: tuple[tuple[float, Callable[[list[Piece], random.Random], list[Piece]]], ...] = (
    (0.05, typing_errors),
    (0.04, lost_spaces),
    (0.03, hard_wraps),
    (0.025, capitals),
    (0.02, small_letters),
)
"""The probability of each, for a note."""
_CARRIED_CHARACTERS = 600


def disturb(pieces: list[Piece], rng: random.Random) -> list[Piece]:
    """``pieces`` after the noise drawn for this note; mostly unchanged."""
    for share, change in KINDS:
        if rng.random() < share:
            pieces = change(pieces, rng)
    return pieces


def stretch(pieces: list[Piece], rng: random.Random) -> tuple[Piece, ...]:
    """Return up to twelve whole lines of a note, for the next one to carry forward; nothing from a note of few
    lines.
    """
    lines: list[list[Piece]] = [[]]
    for text, entity in pieces:
        if entity or "\n" not in text:
            lines[-1].append((text, entity))
            continue
        first, *others = text.split("\n")
        if first:
            lines[-1].append((first, None))
        lines.extend([(part, None)] if part else [] for part in others)
    full = [line for line in lines if line]
    if len(full) < 4:
        return ()
    count = 4 + int(rng.random() * 9)
    start = 1 + int(rng.random() * max(1, len(full) - count - 1))
    taken: list[Piece] = []
    room = _CARRIED_CHARACTERS
    for line in full[start : start + count]:
        room -= sum(len(text) for text, _ in line)
        if room < 0:
            break
        taken.extend(line)
        taken.append(("\n", None))
    return tuple(taken[:-1])
