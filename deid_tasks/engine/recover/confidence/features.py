"""What describes a merged span: who found it, how it is written, what stands around it, and the rest of its note.

All features lie between 0 and 1, except the log-odds of the model's score. The cost is linear in the note's length.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from deid_tasks.core.entities import Category, Entity, category_of
from deid_tasks.engine.lexicon import mask_of
from deid_tasks.engine.lexicon.public import common_word_frequencies
from deid_tasks.engine.recover.confidence.evidence import SpanEvidence
from deid_tasks.engine.recover.document_terms import DocumentTerms
from deid_tasks.engine.recover.eponyms import bearers

Features = Mapping[str, float]

CERTAIN = 0.97
"""Score from which a model's span counts as certain where it stands elsewhere in the note."""
_PEOPLE = frozenset((Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE))
_COARSE = frozenset((Category.ID, Category.CONTACT))
_MEDICAL, _ABBREVIATION = mask_of("medical"), mask_of("medical", "abbreviation")
_COMMON, _FREQUENT = mask_of("common"), mask_of("common", "frequent")
_BEFORE = {
    "title_before": mask_of("cue", "clinician_title", "title"),
    "locative_before": mask_of("cue", "locative"),
    "role_before": mask_of("cue", "role"),
    "medical_before": _MEDICAL,
    "common_before": _COMMON,
}
_AFTER = {
    "credential_after": mask_of("cue", "credential"),
    "verb_after": mask_of("cue", "verb"),
    "medical_after": _MEDICAL,
    "common_after": _COMMON,
}
_WORD = re.compile(r"[^\W_]+")
_UNIT = re.compile(r"\s?(?:%|mg|mcg|ml|mm|cm|kg|[Uu]\b|units?|hrs?|min|bpm|x\b|[FC]\b|/)")
_MAX_ZIPF = 7.0
_MAX_LOGIT = 7.0
_LOGIT_SCALE = 3.0
_MAX_WORDS, _MAX_CHARACTERS = 5, 20
_NEAR_CHARACTERS = 3
_SHORT = 3
_MAX_ACRONYM = 6
_MAX_CUT, _MIN_PART = 3, 4
_CAPITALS_RATIO = 3


def group_of(entity: Entity) -> str:
    """Return the group of entities that share weights: people, numbers of one category, or the entity alone."""
    if entity in _PEOPLE:
        return "PERSON"
    category = category_of(entity)
    return str(category) if category in _COARSE else str(entity)


def note_features(terms: DocumentTerms, evidence: Sequence[SpanEvidence]) -> Iterator[Features]:
    """Yield the features of each span of a note.

    Args:
        terms: the note's tokens and dictionary terms.
        evidence: the evidence of all its merged spans, sorted and disjoint.
    """
    note = _Note(terms, evidence)
    for index, one in enumerate(evidence):
        words = _WORD.findall(terms.text[one.span.start : one.span.end])
        features = _origin(one)
        features |= _spelling(words)
        features |= _lexical(terms, one, words)
        features |= _layout(terms.text, one.span.start, one.span.end)
        features |= note.elsewhere(index, words)
        yield features


def _origin(one: SpanEvidence) -> dict[str, float]:
    features = {}
    if one.model_score:
        odds = math.log(max(one.model_score, 1e-3) / max(1 - one.model_score, 1e-3))
        features["model_logit"] = min(_MAX_LOGIT, odds) / _LOGIT_SCALE
        features["rule_and_model" if one.has_rule else "model"] = 1.0
    elif one.has_rule:
        features["rule"] = 1.0
    else:
        features["propagated"] = 1.0
    if one.is_recovered:
        features["recovered"] = 1.0
    return features


def _spelling(words: Sequence[str]) -> dict[str, float]:
    if not words:
        return {"shape:marks": 1.0}
    shape = _shape(words[0]) if len(words) == 1 else f"words:{_joint_shape(words)}"
    return {
        f"shape:{shape}": 1.0,
        "words": min(len(words), _MAX_WORDS) / _MAX_WORDS,
        "characters": min(sum(map(len, words)), _MAX_CHARACTERS) / _MAX_CHARACTERS,
    }


def _shape(word: str) -> str:
    if word.isdigit():
        return "digits"
    if any(map(str.isdigit, word)):
        return "letters and digits"
    if word.islower():
        return "lower"
    if word.isupper():
        return "letter" if len(word) == 1 else "short capitals" if len(word) <= _SHORT else "capitals"
    return "title" if word[0].isupper() and word[1:].islower() else "mixed"


def _joint_shape(words: Sequence[str]) -> str:
    if all(map(str.isdigit, words)):
        return "digits"
    if all(not word.isalpha() or word.isupper() for word in words):
        return "capitals"
    if all(not word[0].isalpha() or word[0].isupper() for word in words):
        return "title"
    return "lower" if words[0].islower() else "mixed"


def _lexical(terms: DocumentTerms, one: SpanEvidence, words: Sequence[str]) -> dict[str, float]:
    first, after = terms.tokens_of(one.span)
    payloads = [terms.payload(token) for token in range(first, after)] or [0]
    features = {
        "medical_words": sum(bool(payload & _MEDICAL) for payload in payloads) / len(payloads),
        "common_words": sum(bool(payload & _COMMON) for payload in payloads) / len(payloads),
    }
    if any(payload & _FREQUENT for payload in payloads):
        features["frequent_word"] = 1.0
    if all(payload & _ABBREVIATION for payload in payloads):
        features["abbreviation"] = 1.0
    if first < after and terms.is_case_uninformative(first):
        features["case_uninformative"] = 1.0
    if spelled := [word.lower() for word in words if word.isalpha()]:
        rates = bearers()
        features["name_words"] = sum(word in rates for word in spelled) / len(spelled)
        frequencies = common_word_frequencies()
        features["word_frequency"] = max(frequencies.get(word, 0.0) for word in spelled) / _MAX_ZIPF
    before = terms.payload(first - 1) if first > 0 else 0
    behind = terms.payload(after) if after < len(terms.starts) else 0
    features |= {name: 1.0 for name, mask in _BEFORE.items() if before & mask}
    features |= {name: 1.0 for name, mask in _AFTER.items() if behind & mask}
    return features


def _layout(text: str, start: int, end: int) -> dict[str, float]:
    first = text.rfind("\n", max(0, start - 400), start) + 1 or max(0, start - 400)
    last = text.find("\n", end, end + 400)
    before, behind = text[first:start], text[end : last if last >= 0 else end + 400]
    left, right = before.rstrip(), behind.lstrip()
    found = {
        "opens_line": not left,
        "closes_line": not right,
        "alone_in_line": not left and not right,
        "colon_before": left[-1:] == ":",
        "colon_after": right[:1] == ":",
        "bracket_before": before[-1:] == "(",
        "comma_before": left[-1:] == ",",
        "number_sign_before": left[-1:] == "#",
        "slash": before[-1:] == "/" or behind[:1] == "/",
        "hyphen": before[-1:] == "-" or behind[:1] == "-",
        "glued": before[-1:].isalnum() or behind[:1].isalnum(),
        "digit_before": left[-1:].isdigit() and len(before) - len(left) < 2,
        "digit_after": right[:1].isdigit() and len(behind) - len(right) < 2,
        "wide_gap_before": bool(left) and (len(before) - len(left) > 1 or left[-1] == "|"),
        "wide_gap_after": bool(right) and (len(behind) - len(right) > 1 or right[0] == "|"),
        "opens_sentence": left.endswith((".", "!", "?")),
        "unit_after": _UNIT.match(behind) is not None,
        "capitals_line": _is_in_capitals(before + behind),
    }
    return {name: 1.0 for name, is_so in found.items() if is_so}


def _is_in_capitals(line: str) -> bool:
    upper = sum(map(str.isupper, line))
    return upper > _CAPITALS_RATIO * sum(map(str.islower, line))


class _Note:
    """The words and the certain spans of one note."""

    def __init__(self, terms: DocumentTerms, evidence: Sequence[SpanEvidence]) -> None:
        text = terms.text
        self._evidence = evidence
        self._words = Counter(word.lower() for word in _WORD.findall(text))
        self._marked = Counter[str]()
        self._certain = Counter[str]()
        self._initials = set[str]()
        """Sorted first letters of the certain names of people, and of their first and last words."""
        self._acronyms = set[str]()
        """First letters of the capitalised words of certain organizations, in order."""
        for one in evidence:
            written = _WORD.findall(text[one.span.start : one.span.end])
            found = [word.lower() for word in written]
            self._marked.update(found)
            if not _is_certain(one):
                continue
            self._certain.update(found)
            if one.span.entity in _PEOPLE and len(found) > 1:
                letters = [word[0] for word in found]
                self._initials |= {"".join(sorted(letters)), "".join(sorted((letters[0], letters[-1])))}
            elif one.span.category is Category.ORGANIZATION:
                self._acronyms.add("".join(word[0] for word in written if word[0].isupper()).lower())

    def elsewhere(self, index: int, words: Sequence[str]) -> dict[str, float]:
        """Return what the rest of the note says of the words of one span, and what lies beside it."""
        one = self._evidence[index]
        features: dict[str, float] = {}
        own = Counter(word.lower() for word in words if len(word) > 1)
        if own:
            is_certain = _is_certain(one)
            known = sum(self._certain[word] > (own[word] if is_certain else 0) for word in own)
            features["certain_elsewhere"] = known / len(own)
            # A span may cut a word, which then is none of the note.
            shares = [1 - self._marked[word] / max(1, self._words[word]) for word in own]
            features["unmarked_elsewhere"] = max(0.0, min(shares))
        features |= self._derived(own)
        for other in self._neighbours(index):
            features["identifier_near"] = 1.0
            if other.span.entity in _PEOPLE:
                features["name_near"] = 1.0
        return features

    def _derived(self, words: Iterable[str]) -> dict[str, float]:
        """Return whether a word is made from a certain name of the note: its initials, its acronym, a longer form."""
        features = {}
        for word in words:
            if len(word) <= _MAX_ACRONYM and word.isalpha():
                if "".join(sorted(word)) in self._initials:
                    features["initials_of_name"] = 1.0
                if word in self._acronyms:
                    features["acronym_of_place"] = 1.0
            elif any(part in self._certain and part != word for part in _parts(word)):
                features["holds_name"] = 1.0
        return features

    def _neighbours(self, index: int) -> Iterator[SpanEvidence]:
        span = self._evidence[index].span
        if index and span.start - self._evidence[index - 1].span.end <= _NEAR_CHARACTERS:
            yield self._evidence[index - 1]
        if index + 1 < len(self._evidence) and self._evidence[index + 1].span.start - span.end <= _NEAR_CHARACTERS:
            yield self._evidence[index + 1]


def _parts(word: str) -> Iterator[str]:
    """Yield what is left of a word without its first or its last one to three letters: ``bkchua``, ``heberts``."""
    for cut in range(1, _MAX_CUT + 1):
        if len(word) - cut >= _MIN_PART:
            yield word[cut:]
            yield word[:-cut]


def _is_certain(one: SpanEvidence) -> bool:
    return not one.is_recovered and (one.has_rule or one.has_own or one.model_score >= CERTAIN)
