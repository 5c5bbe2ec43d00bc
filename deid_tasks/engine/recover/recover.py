"""Recovery of medical terms: which detected spans are medical language, and neither people nor places."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deid_tasks.core.detectors import SHORT_NAMES, DetectorName, Recoverability, base_name, recoverable_as
from deid_tasks.core.entities import Category, Entity
from deid_tasks.core.reference import fold
from deid_tasks.core.span import Span
from deid_tasks.engine.lexicon import Lexicon, mask_of
from deid_tasks.engine.lexicon.peoples import is_people
from deid_tasks.engine.recover.confidence import assess
from deid_tasks.engine.recover.context_words import is_told_by_context
from deid_tasks.engine.recover.document_terms import DocumentTerms, document_terms
from deid_tasks.engine.recover.eponyms import is_listed, is_lone_eponym, is_name, is_rare_name, is_sign
from deid_tasks.engine.recover.noise import is_noise
from deid_tasks.engine.recover.organizations import identifies_nobody, is_year_of_guideline
from deid_tasks.engine.recover.terms_apart import is_term_apart
from deid_tasks.engine.text import Document

_MEDICAL = mask_of("medical")
_ABBREVIATION = mask_of("medical", "abbreviation")
_HARVESTED = mask_of("medical", "harvested", "other")
_FACILITY = mask_of("facility", "name", "short_name")
_COMMON, _FREQUENT = mask_of("common"), mask_of("common", "frequent")
_PERSON = mask_of("patient_name") | mask_of("provider")
_PLACES = frozenset((Entity.CITY, Entity.STATE))
_CAPITALISED = frozenset(
    (Entity.PATIENT, Entity.PROVIDER, Entity.RELATIVE, Entity.CITY, Entity.STATE, Entity.FACILITY, Entity.ORGANIZATION)
)
"""The entities that are written with capitals."""
_BY_DICTIONARY = frozenset((Category.NAME, Category.LOCATION, Category.ORGANIZATION, Category.PROFESSION))
_BY_NOTATION = _BY_DICTIONARY | {Category.DATE, Category.ID, Category.CONTACT}
_NAMED = frozenset((Category.NAME, Category.LOCATION, Category.ORGANIZATION))
_NUMBERED = frozenset((Category.ID, Category.CONTACT))
_NEVER_RECOVERED = recoverable_as((Recoverability.NEVER,))
_ONLY_IN_PHRASES = recoverable_as((Recoverability.NEVER, Recoverability.PHRASES)) | {SHORT_NAMES}
"""Detectors that had a reason, in the text or in a dictionary, for one word alone and for a labelled identifier."""
_EVERYDAY_WORD = "everyday word"
_TOLD_BY_CONTEXT = "told by the words around"
_CERTAIN = 0.9
"""Score of a name that is certain."""
_SURE = 0.97
"""Score of a model from which an everyday word that is also a name is one."""
_HARDLY_PROBABLE = 0.5
"""Probability below which a name that is a word of a medical term nearby is none."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_SIDES_AND_GRADES = frozenset(("L", "R", "B", "I", "II", "III", "IV", "V"))
_FORMS_OF_DRUGS = frozenset(
    [
        *("Pen", "Pens", "Kit", "Syringe", "Autoinjector", "OBI", "Onpro", "KwikPen", "FlexPen", "FlexTouch"),
        *("SoloStar", "Solostar", "Sensoready", "UnoReady", "SureClick", "Ellipta", "Diskus", "HFA", "Respimat"),
        *("Handihaler", "Flexhaler", "RediHaler", "Respiclick", "Turbuhaler", "Pressair", "XR", "ER", "SR", "CR"),
        *("LA", "DS", "ODT", "Complete", "Connect", "CareConnect", "MyWay"),
    ]
)
"""Devices and forms in which a drug is given, and the support programs of its maker, behind its name: Humira Pen."""
_MAY_STAND_BY = _SIDES_AND_GRADES | _FORMS_OF_DRUGS
_WORDS_OF_ROOMS = frozenset(("bed", "room", "rm", "chair", "station", "bay"))
_QUOTED = frozenset((' "', " “", ' ("', " (“"))
"""What stands between a name and a nickname: Deandre Trujillo "Peanut"."""
_CREDENTIALS_AND_STATES = frozenset({"MD", "PA", "MA", "MS"})
_NUMBER_BEHIND = re.compile(r"[,:]? {0,2}#?(?:[A-Z]{0,3}-?\d{2}|[Ll]ic|LIC|DL\b|[Pp]late|[Tt]ag)")
"""What makes the code a state even behind a name: a ZIP code, or the number of a licence or a plate."""
_ADDRESSED_BEFORE = re.compile(
    r"(?:^|[^a-z])(?:told|d/w|paged|notified|texted|read by|cc:|copies:|ord) $", re.IGNORECASE
)
_ADDRESSED_CHARACTERS = 12


@dataclass(frozen=True, slots=True)
class RecoveryResult:
    """The spans that stay identifiers, and those recovered as medical language; both in the order given."""

    kept: tuple[Span, ...]
    recovered: tuple[Span, ...]

    @property
    def counts(self) -> Counter[Entity]:
        """How many spans of each entity were recovered."""
        return Counter(span.entity for span in self.recovered)


def recover(
    document: Document, spans: Sequence[Span], lexicon: Lexicon | None = None, protected: Sequence[Span] = ()
) -> RecoveryResult:
    """Split ``spans`` into identifiers and medical language.

    A span is recovered if it lies inside a medical term of several words (``Bruce`` in ``Bruce protocol``), if the
    whole of it is a one-word medical term, or if it lies inside a notation (``T2N1M0``). It stays an identifier if a
    title or a credential is next to it, if a dictionary or a pattern found the one word, or if it overlaps
    ``protected``, unless the medical term reaches beyond the protected words.

    What only a model found is recovered, too, if it is noise (see ``is_noise``), one everyday word, or an eponym that
    stands for a test, a sign or a tool. Ages, contacts and numbers that patterns found always stay.

    Args:
        document: the note.
        spans: its merged spans, sorted and disjoint.
        lexicon: the medical terms, and who the institution knows; the public terms where ``None``.
        protected: spans of the patient's own record.
    """
    return recover_all([document], [spans], lexicon, [{DetectorName.PATIENT: protected}])[0]


def recover_all(
    documents: Sequence[Document],
    spans: Sequence[Sequence[Span]],
    lexicon: Lexicon | None = None,
    spans_by_detector: Sequence[Mapping[str, Sequence[Span]]] | None = None,
    min_confidence: float | None = None,
) -> list[RecoveryResult]:
    """Return ``recover`` of many documents, whose terms are looked up together.

    Args:
        documents: the notes.
        spans: the merged spans of each note, sorted and disjoint.
        lexicon: as for ``recover``.
        spans_by_detector: what each detector found in each note; the spans of its patient's record are protected.
        min_confidence: what a model alone found is recovered too where its probability of being an identifier is lower,
            and the scores of spans become such probabilities (see ``confidence``). ``None``: neither happens.
    """
    found = [RecoveryResult((), ())] * len(documents)
    with_spans = [index for index, one in enumerate(spans) if one]
    for index, terms in zip(with_spans, document_terms([documents[i] for i in with_spans], lexicon), strict=True):
        by_detector = spans_by_detector[index] if spans_by_detector else {}
        result = _split(terms, spans[index], sorted(by_detector.get(DetectorName.PATIENT, ())))
        if min_confidence is not None:
            kept, recovered = assess(terms, result.kept, result.recovered, by_detector, min_confidence)
            apart = {span for span in kept if _is_apart(terms, span)}
            kept = [span for span in kept if span not in apart]
            result = RecoveryResult(tuple(kept), tuple(sorted((*recovered, *apart))))
        found[index] = result
    return found


def _split(terms: DocumentTerms, spans: Sequence[Span], protected: Sequence[Span]) -> RecoveryResult:
    """Return the spans of one document, split; ``protected`` is sorted and disjoint."""
    kept: list[Span] = []
    recovered: list[Span] = []
    everyday: set[Span] = set()
    first = 0
    for span in spans:
        while first < len(protected) and protected[first].end <= span.start:
            first += 1
        overlapping: list[Span] = []
        index = first
        while index < len(protected) and protected[index].start < span.end:
            overlapping.append(protected[index])
            index += 1
        reason = _reason(terms, span, overlapping)
        (recovered if reason else kept).append(span)
        if reason == _EVERYDAY_WORD:
            everyday.add(span)
    if credentials := {span for span in kept if _is_credential(terms.text, span, kept)}:
        kept = [span for span in kept if span not in credentials]
        recovered = sorted((*recovered, *credentials))
    if kept and recovered:
        names = _words_of_names(terms.text, kept) if everyday else frozenset()
        parts = {
            span
            for span in recovered
            if _is_part_of_name(terms.text, span, kept)
            or (span in everyday and _folded(terms.text, span) in names and span.category is Category.NAME)
        }
        kept = sorted((*kept, *parts))
        recovered = [span for span in recovered if span not in parts]
    return RecoveryResult(tuple(kept), tuple(recovered))


def _words_of_names(text: str, kept: Sequence[Span]) -> frozenset[str]:
    """Return the words of people's names that are certain, folded: who is Tiny on one line is no word below."""
    names = (span for span in kept if span.category is Category.NAME and span.score >= _CERTAIN)
    return frozenset(word for span in names for word in _WORD.findall(_folded(text, span)))


def _folded(text: str, span: Span) -> str:
    return fold(text[span.start : span.end])


def _is_part_of_name(text: str, span: Span, kept: Sequence[Span]) -> bool:
    """Whether one blank joins ``span`` to an identifier, as the rest of its name: "Conyers" and "Housing Authority".

    In small letters, it is the rest of an organization of which a model is sure: "rogers" and "sons".
    """
    is_sure = span.category is Category.ORGANIZATION and span.score >= _SURE
    if span.category not in _NAMED or not (is_sure or text[span.start].isupper()):
        return False
    if span.entity is Entity.LOCATION_OTHER and text[span.start : span.end].lower() in _WORDS_OF_ROOMS:
        return False  # the label of a room or bed
    if span.entity is Entity.STATE and is_noise(text, span):
        return False  # an operating room behind a hospital, a district behind its name
    if is_told_by_context(text, span, text[span.start : span.end]) or is_people(text, span.start, span.end):
        return False  # a special room, Spl Rm 206; a people: NZ Euro/Kai Tahu
    following = bisect_left(kept, span)
    for other in kept[max(0, following - 1) : following + 1]:
        low, high = sorted((span, other))
        if len(span) > 1 and _is_upper(text, span) and not _is_upper(text, other):
            continue  # "Edge Valley IMAGING": a department in capitals after a name that is not
        is_named_alike = span.category is other.category or (
            span.category is Category.ORGANIZATION and other.category in _NAMED
        )
        between = text[low.end : high.start]
        if is_named_alike and (between == " " or (is_sure and between == " & ")):
            return True
        if between in _QUOTED and low is other and span.category is other.category is Category.NAME:
            return True
    return False


def _is_credential(text: str, span: Span, kept: Sequence[Span]) -> bool:
    """Whether the code of a state is a credential behind a clinician's name: Maria Okafor, PA."""
    if span.entity is not Entity.STATE or text[span.start : span.end] not in _CREDENTIALS_AND_STATES:
        return False
    before = bisect_left(kept, span) - 1
    if before < 0 or kept[before].category is not Category.NAME or _NUMBER_BEHIND.match(text, span.end):
        return False
    return text[kept[before].end : span.start] in {", ", " ", ",  "}


def _is_upper(text: str, span: Span) -> bool:
    return text[span.start : span.end].isupper()


def recovery_reasons(document: Document, spans: Sequence[Span], lexicon: Lexicon | None = None) -> list[str]:
    """Return why each span is medical language and no identifier, in words; empty where no rule by itself says so.

    Such a span was recovered because of its probability, as a credential, or with the patient's record in view.
    """
    [terms] = document_terms([document], lexicon)
    return [_reason(terms, span, ()) for span in spans]


def _reason(terms: DocumentTerms, span: Span, protected: Sequence[Span]) -> str:
    """Return why a span is medical language; ``protected`` are the spans of the patient's record that overlap it."""
    if base_name(span.detector) in _NEVER_RECOVERED:
        return ""
    if not protected and (mistaken := _mistaken_for(terms, span)):
        return mistaken
    if span.category not in _BY_NOTATION or (span.category in _NUMBERED and _is_only_in_phrases(span)):
        return ""
    if not protected and terms.is_in_notation(span):
        return "notation"
    if not protected and is_year_of_guideline(terms.text, span):
        return "year of a guideline"
    if span.category not in _BY_DICTIONARY:
        return ""
    for start, end, first, after in terms.phrases_around(span):
        is_beyond = all(start < other.start or other.end < end for other in protected)
        if is_beyond and not terms.is_person(first, after):
            return "in a longer medical term"
    if not protected and _is_made_of_terms(terms, span):
        return "medical terms only"
    return "medical word" if not protected and _is_medical_word(terms, span) else ""


def _is_made_of_terms(terms: DocumentTerms, span: Span) -> bool:
    """Whether a name is medical terms and a side or a grade throughout: "Marcus Gunn L", "PRN, Tylenol".

    Words in small letters may stand between them, and a term that is a frequent name needs the others of its phrase.
    """
    first, after = terms.tokens_of(span)
    if span.category is not Category.NAME or after - first < 2 or terms.is_person(first, after):
        return False
    has_term = False
    for token in range(first, after):
        start, end = terms.starts[token], terms.ends[token]
        word = terms.text[start:end]
        if any(terms.phrases_around(Span(start, end, span.entity, span.detector))):
            has_term = True
            continue
        payload = terms.payload(token)
        if payload & (_PERSON | _FACILITY):
            return False
        if payload & _MEDICAL and is_rare_name(word) and not is_name(word):
            is_abbreviation = payload & _MEDICAL & (_ABBREVIATION | _HARVESTED) == payload & _MEDICAL
            if is_abbreviation and not terms.is_upper(token):
                return False
            has_term |= not is_abbreviation
        elif word not in _MAY_STAND_BY and not (word.islower() and payload & _COMMON and not is_name(word)):
            return False
    return has_term


def _is_only_in_phrases(span: Span) -> bool:
    return span.detector in _ONLY_IN_PHRASES


def _mistaken_for(terms: DocumentTerms, span: Span) -> str:
    """Return what a span is whose form, or the words around it, show that it does not identify anybody."""
    if not _is_only_in_phrases(span):
        if is_noise(terms.text, span):
            return "a figure, a fragment or a label"
        if identifies_nobody(terms.text, span):
            return "an organization that identifies nobody"
        if _is_everyday(terms, span):
            return _EVERYDAY_WORD
        return "eponym" if _is_eponym(terms, span) else ""
    if base_name(span.detector) == DetectorName.PATTERNS:
        value = terms.text[span.start : span.end]
        return _TOLD_BY_CONTEXT if is_told_by_context(terms.text, span, value, of_patterns=True) else ""
    if span.detector != DetectorName.LEXICON or span.category is not Category.NAME:
        return ""
    return "eponym" if is_listed(terms.text, span.start, span.end) or is_sign(terms.text, span.start, span.end) else ""


def _is_medical_word(terms: DocumentTerms, span: Span) -> bool:
    """Whether the whole span is a one-word medical term, and nothing next to it makes it a name."""
    tokens = [token for token in range(*terms.tokens_of(span)) if terms.ends[token] - terms.starts[token] > 1]
    if len(tokens) != 1 or _is_only_in_phrases(span):
        return False
    (token,) = tokens
    is_whole = (terms.starts[token], terms.ends[token]) == (span.start, span.end)
    if not is_whole and terms.text[terms.ends[token] : span.end] not in ("'s", "’s"):
        return False
    payload = terms.payload(token)
    if payload & _FACILITY or (payload & _PERSON and span.category is Category.NAME):
        return False
    payload &= _MEDICAL
    if span.entity is Entity.INITIALS and (_signs_note(terms.text, span) or _is_labelled(terms.text, span)):
        return False
    if payload & (_ABBREVIATION | _HARVESTED) == payload:
        return bool(payload) and terms.is_upper(token)
    return not terms.is_person(token, token + 1)


def _signs_note(text: str, span: Span) -> bool:
    """Whether two or three capitals stand alone on the last line, where a note is signed."""
    value = text[span.start : span.end]
    if not 2 <= len(value) <= 3 or not value.isupper() or text[span.end :].strip(" \t\n.-/"):
        return False
    return not text[text.rfind("\n", 0, span.start) + 1 : span.start].strip(" \t-/|")


def _is_labelled(text: str, span: Span) -> bool:
    """Whether initials of which a model is sure stand behind a label: "Reviewed: ML"."""
    return span.score >= _SURE and text[max(0, span.start - 2) : span.start] == ": "


def _is_everyday(terms: DocumentTerms, span: Span) -> bool:
    """Whether the span is one everyday word that no title or credential makes a name.

    The word is in small letters; or its capital says nothing, the institution knows nobody of that name, and the name
    is rare among people. A model that is sure of a word that is a name, too, is taken at its word.
    """
    if span.entity not in _CAPITALISED:
        return False
    first, after = terms.tokens_of(span)
    if after - first != 1 or (terms.starts[first], terms.ends[first]) != (span.start, span.end):
        return False
    payload = terms.payload(first)
    if not payload & _COMMON or payload & _FACILITY or terms.is_person(first, after):
        return False
    word = terms.text[span.start : span.end]
    if span.category is Category.NAME and span.score >= _SURE and is_name(word):
        return False
    if word.islower():
        return not _is_small_name(terms, span, payload)
    if span.entity in _PLACES or payload & _PERSON:
        return False
    return terms.is_case_uninformative(first) and is_rare_name(word)


def _is_small_name(terms: DocumentTerms, span: Span, payload: int) -> bool:
    """Whether an everyday word in small letters is the name of a known or addressed person."""
    is_known = bool(payload & _PERSON)
    if is_known and not payload & _FREQUENT:
        return True
    before = terms.text[max(0, span.start - _ADDRESSED_CHARACTERS) : span.start]
    if _ADDRESSED_BEFORE.search(before) is None or span.category is not Category.NAME:
        return False
    return is_known or not is_rare_name(terms.text[span.start : span.end])


def _is_eponym(terms: DocumentTerms, span: Span) -> bool:
    """Whether the span is an eponym for a sign, a scale or a tool, and not the name of a known person."""
    if span.entity not in _CAPITALISED or span.entity in _PLACES:
        return False
    first, after = terms.tokens_of(span)
    if any(terms.payload(token) & _PERSON for token in range(first, after)) or terms.is_person(first, after):
        return False
    return is_lone_eponym(terms.text, span.start, span.end)


def _is_apart(terms: DocumentTerms, span: Span) -> bool:
    """Whether the span is one word of a medical term that is not written as listed, and is improbably a name."""
    first, after = terms.tokens_of(span)
    is_one = after - first == 1 and (terms.starts[first], terms.ends[first]) == (span.start, span.end)
    if not is_one or span.category not in _NAMED or _is_only_in_phrases(span):
        return False
    limit = _HARDLY_PROBABLE if is_name(terms.text[span.start : span.end]) else _CERTAIN
    if span.score >= limit or terms.payload(first) & (_PERSON | _FACILITY) or terms.is_person(first, after):
        return False
    return is_term_apart(terms.text, span.start, span.end)
