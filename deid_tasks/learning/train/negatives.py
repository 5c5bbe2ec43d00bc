"""Hard negatives, text that looks like an identifier and is not: eponyms, abbreviations, capitalised terms, cells of
figures.

Most text of a note identifies nobody. A model that saw mainly sentences with identifiers takes an isolated ``Norton
14`` or ``137`` for one.
"""

import random
import re
from collections.abc import Callable, Iterator

from deid_tasks.core.reference import read_tsv
from deid_tasks.learning.train.sample import Sample

_TEMPLATES = (
    "{term}", "{abbr}", "{abbr}: {word}", "{abbr}: no {lower}, no {lower}", "{term}: negative", "{term}: {number}",
    "{term} {number}", "{abbr} {number}", "{term} and {term} done.",
    "No {term}, {term} or {lower}.", "- {abbr}: {word}, no {lower}", "- {term}: {word}",
    "{Word}: {abbr}, {abbr}, {lower}", "{term} {number}, {term} {number}.", "{term}, {term} and {term}",
    "by the {term} and the {word} formula", "{term} sign absent, {lower} {word}", "Stains: {term}, {abbr}, {term}",
    "s/p {term} {word}", "{Word} {word}, {word}. {Word} {word} given.", "in {word}, {word}.",
    "{abbr} {abbr} {abbr}", "{abbr} - {lower}", "{Word}  {number}  {range}", "{term}      {decimal}      {range}",
    "{number}", "{decimal}", "{range}", "{number} {word}", "under {number}", "over {decimal}", "{Word}",
    "{Word} {word}", "grade {grade} {word}", "{score}", "{term} {score}", "{word} {grade} {lower}",
    "{abbr} {decimal} {abbr} {decimal}", "{Word} with {word}. {Word}", "{number} {number} {number}",
    "R {word} {number} {score} {number}", "{Word} to {word}, {word} in {word}", "{term} {word}; {Word} {word}",
    "{Word}, {word}", "A {word} {word}, {number} {word}", "{abbr} pending", "h/o {lower}", "{lower} x{small}",
    "put in {number} {word}", "{number}{unit}", "{term} {number}{unit}", "{small} {word} and {small} {word}",
    "{Word} {abbr} as per {abbr}; {lower} {number} mg", "({term})", "[{abbr}]", "{abbr}/{abbr} {grade}",
    "{Word} | {word} {number}",
)  # fmt: skip
_UNITS = ("mg", "mL", "cm", "%", " mmHg", "F", "kg", " units", " ga", "Fr", "mcg", "/10", " bpm")


def write_negatives(count: int, seed: int) -> Iterator[Sample]:
    """``count`` samples without a mark, from the public lists of medical terms, eponyms and common words."""
    rng = random.Random(seed)  # noqa: S311 - repeatable chance, no secrecy
    eponyms = read_tsv("eponyms.tsv")
    abbreviations = [row["term"] for row in eponyms if row["kind"] == "abbreviation"]
    named = [row["term"] for row in eponyms if row["kind"] != "abbreviation"]
    names = _name_words()
    words = [
        row["word"]
        for row in read_tsv("common_words.tsv")[:9_000]
        if row["word"].isalpha() and row["word"] not in names
    ]
    medical = [row["term"] for row in read_tsv("medical_terms.tsv") if len(row["term"]) < 28]
    draws: dict[str, Callable[[], str]] = {
        "term": lambda: rng.choice(named) if rng.random() < 0.6 else rng.choice(medical).capitalize(),
        "lower": lambda: rng.choice(medical).lower(),
        "abbr": lambda: rng.choice(abbreviations),
        "word": lambda: rng.choice(words),
        "Word": lambda: rng.choice(words).capitalize(),
        "number": lambda: str(rng.randrange(0, rng.choice((10, 50, 200, 500)))),
        "small": lambda: str(rng.randrange(1, 9)),
        "decimal": lambda: f"{rng.uniform(0, rng.choice((5, 20, 150))):.1f}",
        "range": lambda: _range(rng),
        "grade": lambda: f"{rng.randrange(1, 6)}/{rng.choice((4, 5, 6, 10))}",
        "score": lambda: f"{rng.randrange(1, 6)}+{rng.randrange(1, 6)}",
        "unit": lambda: rng.choice(_UNITS),
    }
    for _ in range(count):
        template = rng.choice(_TEMPLATES)
        yield Sample(re.sub(r"\{(\w+)\}", lambda match: draws[match[1]](), template), (), "negatives", template)


def _range(rng: random.Random) -> str:
    low = rng.uniform(0, rng.choice((3, 20, 150)))
    high = low + rng.uniform(1, rng.choice((3, 20, 250)))
    return f"{low:.0f}-{high:.0f}" if rng.random() < 0.6 else f"{low:.1f}-{high:.1f}"


def _name_words() -> frozenset[str]:
    columns = {"surnames.tsv": "surname", "given_names.tsv": "given_name", "places.tsv": "city"}
    return frozenset(row[column].lower() for file, column in columns.items() for row in read_tsv(file))
