"""Drugs, diagnoses, tests and measures for the slots that plant nothing."""

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

Draw = Callable[[random.Random], str]

LISTS = {
    "med": "medications",
    "dose": "doses",
    "sig": "directions",
    "allergy": "allergies",
    "procedure": "procedures",
    "lab": "labs",
    "eponym": "eponyms",
}
"""Slot → file of entries, the commonest first."""


@cache
def words(name: str) -> tuple[str, ...]:
    """Return the entries of ``vocabulary/NAME.txt``."""
    text = (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(line.strip() for line in text.splitlines() if line.strip())


@cache
def diagnoses() -> tuple[tuple[str, str], ...]:
    """``(diagnosis, ICD-10-CM code)``, the commonest first."""
    lines = (Path(__file__).parent / "diagnoses.tsv").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t") for line in lines[1:])
    return tuple((pair[0], pair[1]) for pair in pairs)


def _listed(entries: tuple[str, ...]) -> Draw:
    count = len(entries)

    def draw(rng: random.Random) -> str:
        chance = rng.random()
        return entries[int(chance * chance * count)]

    return draw


def _measure(low: int, high: int, form: str = "{}", step: int = 1) -> Draw:
    """Return a whole number between ``low`` and ``high``, nearer to the middle, in steps of ``step``."""
    width = (high - low) / step

    def draw(rng: random.Random) -> str:
        return form.format(low + step * round((rng.random() + rng.random()) / 2 * width))

    return draw


def _decimal(low: float, high: float, form: str) -> Draw:
    def draw(rng: random.Random) -> str:
        return form.format(low + (rng.random() + rng.random()) / 2 * (high - low))

    return draw


def _pressure(rng: random.Random) -> str:
    return f"{96 + 2 * int((rng.random() + rng.random()) * 38)}/{54 + 2 * int((rng.random() + rng.random()) * 20)}"


def _height(rng: random.Random) -> str:
    inches = 58 + int((rng.random() + rng.random()) * 9)
    return f"{inches // 12}' {inches % 12}\"" if rng.random() < 0.6 else f"{round(inches * 2.54)} cm"


def _weight(rng: random.Random) -> str:
    pounds = 104 + int((rng.random() + rng.random()) * 80)
    return f"{pounds} lb" if rng.random() < 0.5 else f"{pounds / 2.2046:.1f} kg"


@cache
def draws() -> dict[str, Draw]:
    """Slot → how its value is drawn."""
    return {
        **{slot: _listed(words(name)) for slot, name in LISTS.items()},
        "dx": _listed(tuple(name for name, _ in diagnoses())),
        "icd": _listed(tuple(code for _, code in diagnoses())),
        "side": _listed(("left", "right")),
        "bp": _pressure,
        "hr": _measure(52, 118),
        "rr": _measure(12, 24, step=2),
        "temp": _decimal(97.0, 100.4, "{:.1f}"),
        "spo2": _measure(90, 100, "{}%"),
        "wt": _weight,
        "ht": _height,
        "bmi": _decimal(19, 41, "{:.1f}"),
        "inr": _decimal(1.2, 4.0, "{:.1f}"),
    }
