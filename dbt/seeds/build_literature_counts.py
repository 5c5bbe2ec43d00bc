"""Build ``literature_counts.csv`` from openly licensed packages; run it by hand, then commit the result.

    pip install wordfreq
    pip install --target SPYLLS --no-deps spylls
    PYTHONPATH=SPYLLS python dbt/seeds/build_literature_counts.py

Counts of scientific prose itself are not openly packaged, so a word's share of general English is used instead: the
share times the words of 46 million abstracts of 200 words. "David" is far more frequent in general English than in
papers, so only words that a spelling list has in lower case are used, and none that are mostly names. Sources and
licences: ``dictionaries/SOURCES.md``.
"""

import csv
from pathlib import Path

DOCUMENTS, WORDS_A_DOCUMENT = 46_000_000, 200
MIN_ZIPF = 3.0
MOSTLY_NAMES = frozenset(
    (
        *("john", "jack", "frank", "mike", "bob", "rob", "jimmy", "jake", "nick", "pat", "peter", "ray"),
        *("rich", "sue", "tom", "tony", "dick", "kitty", "jenny", "don", "al", "ann", "lee"),
    )
)
"""Words that the spelling list has in lower case too (a john, a jack), but that are nearly always names."""
CAPITALISED = frozenset(
    (
        *("january", "february", "april", "june", "july", "september", "october", "november", "december"),
        *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "christmas", "easter"),
        *("american", "english", "british", "european", "asian", "african", "chinese", "german", "russian"),
        *("indian", "spanish", "italian", "dr", "mr", "mrs", "ms"),
    )
)
"""Common words that are written with a capital."""
READ_AS_NULL = frozenset({"null", "none", "na"})
"""dbt reads these cells of a seed as NULL."""


def main() -> None:
    """Write the seed beside this file, the most frequent word first."""
    import spylls
    from spylls.hunspell import Dictionary
    from wordfreq import top_n_list, word_frequency, zipf_frequency

    spelling = Dictionary.from_files(str(Path(spylls.__file__).parent / "hunspell" / "data" / "en" / "en_US"))
    with (Path(__file__).parent / "literature_counts.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("term", "occurrences"))
        for word in top_n_list("en", 100_000):
            if zipf_frequency(word, "en") < MIN_ZIPF:
                break
            if not (word.isascii() and word.isalpha() and len(word) > 1) or word in MOSTLY_NAMES | READ_AS_NULL:
                continue
            if word in CAPITALISED or spelling.lookup(word):
                rows.writerow((word, round(word_frequency(word, "en") * DOCUMENTS * WORDS_A_DOCUMENT)))


if __name__ == "__main__":
    main()
