"""What every lexicon knows without any institution: medical language, everyday words, and the words that say a name follows."""

from collections.abc import Iterator

from deid_tasks.core.reference import read_tsv
from deid_tasks.engine.lexicon.terms import LexiconTerm, Table

FREQUENT_ZIPF = 5.2
"""Words at least this frequent (on the Zipf scale of van Heuven et al. 2014) open sentences all the time: will, may, long."""

CUES: dict[str, str] = {
    "clinician_title": "dr drs doctor prof professor",
    "title": "mr mrs ms miss mister madam sr sra señor señora master sir",
    "role": "attending surgeon pcp np rn pa nurse resident hospitalist anesthesiologist cardiologist",
    "subject": "patient pt",
    "credential": "md do phd rn np pa pac mbbs dpm dds dmd pharmd aprn arnp fnp lpn lcsw crna cna msw lvn cnm bsn psyd facs facp faap",
    "locative": "in from of near at to lives live lived resides residing moved born visiting county city town",
    "month": "january february march april may june july august september october november december "
    "monday tuesday wednesday thursday friday saturday sunday",
    "verb": "is was has had reports reported denies denied states stated presents presented says said came went did does lives "
    "tolerated appears understands arrived returns returned feels felt complains agrees agreed",
}

_PLAIN = (
    "lesser",
    "shorter",
    "younger",
    "harder",
    "forth",
    "melena",
    "phlegm",
    "mom",
    "miles",
    "record",
    "spina",
    "learned",
)
"""Everyday and clinical words that the spelling list lacks, or that are somebody's name too."""


def public_terms() -> Iterator[LexiconTerm]:
    """The rows of the public lists. Raises ``InputError`` where a list is missing."""
    for row in read_tsv("medical_terms.tsv"):
        yield LexiconTerm("medical", row["kind"], row["term"])
    for row in read_tsv("common_words.tsv"):
        yield LexiconTerm("common", "word", row["word"])
        if float(row["zipf"]) >= FREQUENT_ZIPF:
            yield LexiconTerm("common", "frequent", row["word"])
    for word in (*CUES["month"].split(), *_PLAIN):
        yield LexiconTerm("common", "word", word)
    cue: Table = "cue"
    for kind, words in CUES.items():
        for word in words.split():
            yield LexiconTerm(cue, kind, word)
