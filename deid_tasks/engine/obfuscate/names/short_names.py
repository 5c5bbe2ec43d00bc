"""Short names and misspelled names: which words of a note are forms of another name in it."""

import re
from collections.abc import Iterator, Mapping, Sequence

from rapidfuzz.distance import OSA

from deid_tasks.engine.obfuscate.people.note_words import is_misread
from deid_tasks.engine.obfuscate.people.public_names import (
    UNKNOWN_NAME,
    formal_names,
    given_name_table,
    surname_bearers,
)

_ENDING = re.compile(r"(?:ie|ey|y|i|a|o|s)$")
_MIN_LETTERS = 3
_MIN_CALLED_LETTERS = 2
_FREQUENT_PER_100K = 50.0
"""A name with this many bearers is not taken for a short name, unless the list or the note says so."""
_MIN_MISSPELLED = 5
_MIN_TWO_ERRORS, _MIN_TWO_ERRORS_ALONE = 6, 9
"""Letters of a name that may have two errors: beside a name of the right one, and by itself."""
_LIKE_FIRST_LETTERS = frozenset(map(frozenset, ("vw", "ck", "jy", "iy", "sz", "ij")))
"""First letters of one name in two spellings: Wasyl and Vasyl."""
_MAX_PLURAL = 2
_MAX_BEARERS_OF_MISSPELLED = 5.0
"""A name with more bearers in 100,000 people may well be another person's."""


def is_short_name(word: str, given: str, *, is_called: bool = False) -> bool:
    """Return whether people call somebody ``word`` whose given name is ``given``.

    Args:
        word: the short name, folded.
        given: the given name, folded.
        is_called: whether the note says that somebody is called so.
    """
    is_near = len(word) == len(given) and OSA.distance(word, given, score_cutoff=1) == 1
    # Kostas and Costas.
    is_with_k = is_near and word[1:] == given[1:] and {word[0], given[0]} == {"c", "k"}
    if word == given or (is_near and not is_with_k):
        return False
    if is_with_k or given in formal_names().get(word, ()):
        return True
    if not (given.startswith(word[:_MIN_CALLED_LETTERS]) or word in given):
        return False
    known, named = given_name_table().get(word, UNKNOWN_NAME), given_name_table().get(given, UNKNOWN_NAME)
    is_start = is_called and len(word) >= _MIN_LETTERS and given.startswith(word)
    if ({known.sex, named.sex} == {"F", "M"} and not is_start) or (
        known.bearers > _FREQUENT_PER_100K and not is_called
    ):
        return False
    least = _MIN_CALLED_LETTERS if is_called else _MIN_LETTERS
    if len(word) < len(given) and len(word) >= least and given.startswith(word):
        return True
    if len(word) >= _MIN_LETTERS and len(word) < len(given) and given.endswith(word):
        return True
    if is_called and len(word) > _MIN_LETTERS and word in given:
        # "Yinka" of Oyinkansola.
        return True
    if is_called and len(word) >= _MIN_LETTERS and _is_within(word, given):
        # "Gert" of Gerrit.
        return True
    if word[-1] == "z" and len(word) == _MIN_LETTERS and given.startswith(word[:-1]) and not known.sex:
        # "Kaz" of Karen.
        return True
    stem = _ENDING.sub("", word)
    stem = stem[:-1] if len(stem) > 1 and stem[-1:] == stem[-2:-1] else stem
    return stem != word and len(stem) >= least and given.startswith(stem)


def _is_within(word: str, given: str) -> bool:
    """Whether the letters of ``word`` stand in ``given`` in their order, from its first one on."""
    rest = iter(given)
    return word[0] == given[0] and all(letter in rest for letter in word)


def misspelled_words(
    counted: Mapping[str, int], givens: Sequence[str], surnames: Sequence[str], beside: Mapping[str, set[str]]
) -> dict[tuple[bool, str], str]:
    """Return ``(is a surname, word)`` → the name of the note that the word is with one error.

    The word is a rare name or none, or stands beside the same other name as the right one does. Of two spellings the
    one that the note has more often is right, else the first.

    Args:
        counted: how often each word stands in the note's names.
        givens: the words that may be given names.
        surnames: the words that may be surnames.
        beside: for each word, the words that stand in one name with it.
    """
    order = list(counted)
    found: dict[tuple[bool, str], str] = {}
    for _ in range(2):
        # The second time, a misspelled surname tells a misspelled given name, and the reverse.
        rights = {wrong: right for (_, wrong), right in found.items()}
        near_by = {word: {rights.get(other, other) for other in others} - {word} for word, others in beside.items()}
        for is_last, words in ((False, givens), (True, surnames)):
            long = [word for word in words if len(word) >= _MIN_MISSPELLED]
            for one, other in _near(long, near_by):
                right, wrong = sorted((one, other), key=lambda word: (-counted[word], order.index(word)))
                if is_last and right in _plurals(wrong):
                    right, wrong = wrong, right
                shared = near_by[right] & near_by[wrong] - {right, wrong}
                is_plural = is_last and wrong in _plurals(right)
                is_likely = is_plural or _is_mac(one, other) or _is_rare(wrong, is_last=is_last)
                is_likely = is_likely or bool(shared and not _has_two_errors(one, other))
                if is_likely and (is_last, right) not in found:
                    found.setdefault((is_last, wrong), right)
    return found


def _near(words: Sequence[str], beside: Mapping[str, set[str]]) -> Iterator[tuple[str, str]]:
    """Yield the words that are one name with an error; two errors in a long name, or beside the same name."""
    for index, one in enumerate(words):
        for other in words[index + 1 :]:
            if abs(len(one) - len(other)) > _MAX_PLURAL:
                continue
            shared = beside[one] & beside[other] - {one, other}
            if one[0] != other[0]:
                if shared and one[1:] == other[1:] and frozenset((one[0], other[0])) in _LIKE_FIRST_LETTERS:
                    yield one, other
                continue
            least = _MIN_TWO_ERRORS if shared and sorted(one) == sorted(other) else _MIN_TWO_ERRORS_ALONE
            errors = 2 if min(len(one), len(other)) >= least else 1
            is_near = 0 < OSA.distance(one, other, score_cutoff=errors) <= errors
            if is_near or is_misread(one, other) or one in _plurals(other) or other in _plurals(one):
                yield one, other


def _has_two_errors(one: str, other: str) -> bool:
    """Whether two words differ in two letters, as Alexander and Alexandra do, and not by letters in another order."""
    return sorted(one) != sorted(other) and OSA.distance(one, other) > 1


def _plurals(surname: str) -> tuple[str, str]:
    return f"{surname}s", f"{surname}es"


def _is_mac(one: str, other: str) -> bool:
    return {one[:3], other[:2]} == {"mac", "mc"} or {one[:2], other[:3]} == {"mc", "mac"}


def _is_rare(word: str, *, is_last: bool) -> bool:
    if is_last:
        return surname_bearers().get(word, 0.0) < _MAX_BEARERS_OF_MISSPELLED
    return given_name_table().get(word, UNKNOWN_NAME).bearers < _MAX_BEARERS_OF_MISSPELLED
