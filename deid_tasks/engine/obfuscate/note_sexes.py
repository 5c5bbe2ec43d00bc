"""What a note says of the sex of its people: by titles, relations, labels and pronouns beside their names."""

import re
from collections.abc import Collection, Iterable, Sequence, Set
from functools import cached_property

from deid_tasks.core.entities import Entity
from deid_tasks.core.span import Span
from deid_tasks.engine.obfuscate.entity_groups import NAMES
from deid_tasks.engine.obfuscate.people.name_text import folded_parts
from deid_tasks.engine.obfuscate.people.public_names import UNKNOWN_NAME, given_name_table

TITLE = re.compile(
    r"""\b(?:
        (?P<dr>drs?|doctor|prof|professor|attending|resident|surgeon|physician|det|detective|deputy|trooper|judge)
        | (?P<M>mr|fr|father|imam|rabbi|mister|sir|herr|shri|shree|sri|thiru)
        | (?P<F>mrs|ms|miss|madam|ma'am|mdm|mme|mlle|sra|señora|frau|smt|shrimati|kum|kumari|selvi|tmt)
    )\b\.?:?\s+$""",
    re.IGNORECASE | re.VERBOSE,
)
"""A title before a name."""
_RELATIVES = {
    "M": "husband|son|father|dad|daddy|brother|uncle|grandfather|grandpa|grandson|boyfriend|nephew|stepfather|stepson"
    "|fianc[eé]|widower|papa|abuelo|father-in-law|son-in-law|brother-in-law",
    "F": "wife|daughter|mother|mom|mommy|mum|mam|mammy|sister|aunt|grandmother|grandma|gran|granny|granddaughter"
    "|girlfriend|niece|stepmother|stepdaughter|fianc[eé]e|widow|mama|abuela|mother-in-law|daughter-in-law|sister-in-law",
}
_RELATION = re.compile(rf"\b(?:(?P<M>{_RELATIVES['M']})|(?P<F>{_RELATIVES['F']}))\b", re.IGNORECASE)
_RELATION_BESIDE = re.compile(
    rf"\b(?:(?P<M>{_RELATIVES['M']}|boy)|(?P<F>{_RELATIVES['F']}|girl))[\s:,(\"“'‘/-]{{1,4}}$", re.IGNORECASE
)
"""A relation right before the name of whom it says so: "my wife Fionn"."""
_SPOUSE_OF = re.compile(
    r"\b(?:(?P<M>widow|wife|fiancée)|(?P<F>widower|husband|fiancé)) of (?:the |his |her )?(?:late )?$"
    r"|\b(?:(?P<M2>widow)|(?P<F2>widower)),? ?(?:\(|of )(?:the |husband |wife )?(?:late )?$",
    re.IGNORECASE,
)
"""What the other one of a couple is called, before a name: widow of Wullie, widow (Alf d. 2021)."""
_REFLEXIVE_BEHIND = re.compile(r"(?:['’]s)?(?:[ ][a-z][\w'’]*){0,3}[ ](?:(?P<M>himself)|(?P<F>herself))\b", re.ASCII)
"""A pronoun that means whom the words before it name: "Corky isn't himself"."""
_RELATION_OF_SEVERAL = re.compile(
    r"\b(?:(?P<M>sons|brothers|boys|grandsons|nephews)|(?P<F>daughters|sisters|girls|granddaughters|nieces))[\s:,(]{1,3}"
    r"(?:[^\W\d_]{2,20}(?: \(\d{1,2}\))?(?:,| and| &)\s{1,2}){0,3}$",
    re.IGNORECASE,
)
"""A relation before the names of several people: "two sons, Natnael (9) and Yonas"."""
_RELATION_BEHIND = re.compile(
    rf"\s*(?:\((?:(?P<M>{_RELATIVES['M']})|(?P<F>{_RELATIVES['F']}))\b|,?\s*(?:s/o|(?P<F2>[dw]/o))\b)", re.IGNORECASE
)
"""A relation behind the name of whom it says so: "Letchumi d/o Ramanathan"."""
_PRONOUN = re.compile(
    r"""\b(?:
        (?P<M>he|him|his|himself|man|male|gentleman|boy)
        | (?P<F>she|her|hers|herself|woman|female|lady|girl)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SUBJECT = re.compile(
    r"\b(?:(?P<M>he|himself|man|male|gentleman|boy)|(?P<F>she|herself|woman|female|lady|girl))\b", re.IGNORECASE
)
"""What may stand for somebody who is named just before it; "him" and "her" are mostly another person."""
_USUAL_ENDINGS = re.compile(
    r"(?:(?P<F>ia|ina|ena|ella|etta|elle|ette|issa|isha|een|lynn?|anna|ka)|(?P<M>slav|mir|deep|ijah|iah|ius|bert|ard|ito))$"
)
"""Endings of given names that one sex mostly has."""
_SEX_OF_PATIENT = re.compile(
    r"""\b(?:sex|gender)\b(?:\s+at\s+birth)?[\s:|=^.]{1,5}(?:(?P<M>m|male)|(?P<F>f|female))\b
        | \b\d{1,3}[\s-]?(?:y(?:ea)?rs?[\s-]?olds?|y(?:ea)?rs?|y/?o|y)[\s-]?(?:[/,]\s?|\)\s)?
          (?:(?P<M2>M|male|man|gentleman)|(?P<F2>F|female|woman|lady))\b(?![/-])
        | \bage\s?/\s?sex\b[\s:|=]{1,5}\d{1,3}\s?(?:y(?:ea)?r?s?)?\s?/\s?(?:(?P<M4>M)|(?P<F4>F))\b
        | (?-i:\b\d{2}(?:(?P<M3>M)|(?P<F3>F))\b)
        | (?-i:(?<=\s)(?:(?P<M5>M)|(?P<F5>F))[ ]\d{2,3}(?=[ ]{2}|[ ]+(?:b\.|born|DOB|dob)|,[ ]|\n))
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""The label of the patient's sex, or age and sex: "67F", "M 81  b. 1943", "54 Yrs / M", "a 67-year-old man"."""
_SENTENCE_END = re.compile(r"[.;!?\n]")
TITLE_REACH = 14
"""Characters before a name in which a title stands."""
_RELATION_REACH = 32
_MIN_BEARERS = 1.0
"""In 100,000 people."""
_BESIDE_REACH = 24
_LIST_REACH = 64
_PRONOUN_REACH = 70


class NoteSexes:
    """The sexes of the people of one note. Not retained beyond the note.

    Args:
        text: the note.
        spans: its spans, in order.
    """

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        self._text = text
        self._spans = spans
        self._sexes: dict[tuple[bool, str], str] = {}

    def sex(self, folded: str, entity: Entity, others: Collection[str] = ()) -> str:
        """Return the sex by titles, relations and pronouns: ``F``, ``M``, or empty where they say nothing.

        Args:
            folded: a given name.
            entity: whose name it is.
            others: the person's surnames, where no other person of the note has them.
        """
        question = (entity is Entity.PROVIDER, folded)
        if question not in self._sexes:
            is_provider = entity is Entity.PROVIDER
            votes = [self._stated_near(span) for span in self._named({folded}, is_provider=is_provider)]
            votes += [
                self._stated_near(span)
                for span in self._named(frozenset(others))
                if len(others) == 1 or span.entity is entity
            ]
            sex = (self._stated_of_patient if entity is Entity.PATIENT else "") or _most(votes)
            sex = sex or _most(self._sex_near(span) for span in self._named({folded}, is_provider=is_provider))
            sex = sex or (self._sex_of_note if entity is Entity.PATIENT else "")
            ending = None if sex else _USUAL_ENDINGS.search(folded)
            self._sexes[question] = sex if ending is None else "M" if ending["M"] else "F"
        return self._sexes[question]

    def stated(self, folded: str, entity: Entity) -> str:
        """Return the sex that a title or a relation right before the name states; empty without one.

        It outweighs what the name is mostly used for.
        """
        named = self._named({folded}, is_provider=entity is Entity.PROVIDER)
        sex = _most(vote for span in named if (vote := self._stated_near(span)))
        if not sex and folded in self._givens_of_patient and _is_rare(folded):
            return self._stated_of_patient
        return sex

    def _named(self, words: Set[str], *, is_provider: bool | None = None) -> list[Span]:
        """Return the spans of people, of clinicians or of others if given, whose name has one of these words."""
        named: list[tuple[Span, tuple[str, ...]]] = []
        for span in self._spans:
            if span.entity in NAMES and is_provider in {None, span.entity is Entity.PROVIDER}:
                parts = folded_parts(self._text[span.start : span.end])
                if not words.isdisjoint(parts):
                    named.append((span, parts))
        if any(len(parts) > 1 and parts[0] in words for _, parts in named):
            # "Arunachalam Chettiar", and not "Poongothai Arunachalam", his wife.
            named = [(span, parts) for span, parts in named if parts[-1] not in words or len(parts) == 1]
        return [span for span, _ in named]

    def _stated_near(self, span: Span) -> str:
        text = self._text
        found = TITLE.search(text, max(0, span.start - TITLE_REACH), span.start)
        if found and not found["dr"]:
            return "M" if found["M"] else "F"
        relation = (
            _SPOUSE_OF.search(text, max(0, span.start - _RELATION_REACH), span.start)
            or _REFLEXIVE_BEHIND.match(text, span.end)
            or _RELATION_BESIDE.search(text, max(0, span.start - _BESIDE_REACH), span.start)
            or _RELATION_OF_SEVERAL.search(text, max(0, span.start - _LIST_REACH), span.start)
            or _RELATION_BEHIND.match(text, span.end)
        )
        if relation is None:
            return ""
        return _sex_of(relation)

    def _sex_near(self, span: Span) -> str:
        text = self._text
        if stated := self._stated_near(span):
            return stated
        before = _SENTENCE_END.split(text[max(0, span.start - _RELATION_REACH) : span.start])[-1]
        relations = list(_RELATION.finditer(before))
        if relations:
            return "M" if relations[-1]["M"] else "F"
        after = _SUBJECT.search(text, span.end, span.end + _PRONOUN_REACH)
        return "" if after is None else "M" if after["M"] else "F"

    @cached_property
    def _sex_of_note(self) -> str:
        return _most("M" if found["M"] else "F" for found in _PRONOUN.finditer(self._text))

    @cached_property
    def _stated_of_patient(self) -> str:
        return _most(map(_sex_of, _SEX_OF_PATIENT.finditer(self._text)))

    @cached_property
    def _givens_of_patient(self) -> frozenset[str]:
        """The words of the patient's name where the note writes it in full first."""
        for span in self._spans:
            if span.entity is Entity.PATIENT:
                parts = folded_parts(self._text[span.start : span.end])
                if len(parts) > 1:
                    return frozenset(parts)
        return frozenset()


def _sex_of(found: re.Match[str]) -> str:
    """Return the sex whose group, such as ``M`` or ``F2``, a match has."""
    return (found.lastgroup or "F")[0]


def _is_rare(folded: str) -> bool:
    """Whether so few people have a given name that the sex which a list gives for it is uncertain."""
    return given_name_table().get(folded, UNKNOWN_NAME).bearers < _MIN_BEARERS


def _most(votes: Iterable[str]) -> str:
    """Return the sex that most votes are for; empty for none and for a tie."""
    counted = list(votes)
    men, women = counted.count("M"), counted.count("F")
    return "" if men == women else "M" if men > women else "F"
