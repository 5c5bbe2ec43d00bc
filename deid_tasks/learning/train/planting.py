"""Identifiers planted in genuine clinical prose: the sentences are real, the people in them are not."""

import re
from functools import cache

from deid_tasks.core.entities import Entity
from deid_tasks.hospital.render import join
from deid_tasks.hospital.scene import Piece, Scene
from deid_tasks.hospital.slots import Write, compile_slot
from deid_tasks.learning.train.sample import Edit, Mark, Sample
from deid_tasks.learning.train.scenes import SceneMaker
from deid_tasks.learning.train.targets import ANY, OUTSIDE, PERSON

_PATIENT = (
    "{patient.title} {patient.last}", "{patient.first}", "{patient.full}", "{patient.first} {patient.last}",
    "{patient.nick}",
    "{patient.last}", "{Mr} {patient.last}", "{patient.initial_last}", "{patient.title} {patient.first} {patient.last}",
)  # fmt: skip
_ENDINGS = (
    " on {date}", " on {date}", " in {date:monthyear}", " in {date:year}", " since {date:my}", " at {time}",
    " on {date:weekday}", " ({date:mdyy})", " ({date:md})",
    " per Dr. {provider.last}", " per {provider.last}", " with {provider.full}",
    " by {provider.first} {provider.last}, {provider.credentials}", " as discussed with {relative.first}",
    " at {other_facility.name}", " at {other_facility.short}", " in {other_city}", " in {other_city}, {other_state}",
    " near {place}", " at {nursing_home}", " while visiting {country}",
    " (d/w {provider.last})", " - {author.signoff}", " at {organization}", " through {organization}", "; call {phone}",
    " (MRN {patient.mrn})", " in {facility.room}", " according to {relative.full}",
)  # fmt: skip
_BEGINNINGS = (
    "On {date}, ", "{date}: ", "{date:md} - ", "{time}: ", "{date:mdyy} {time} ", "Per {provider.last}: ",
    "{patient.last} - ", "Since {date:monthyear}, ", "In {date:year}, ",
    "{patient.first} {patient.last}, {patient.age} y.o. - ", "According to {relative.full}, ",
    "{relative.first} adds: ", "Seen with Dr. {provider.last}. ",  "Dr. {provider.last}: ", "{patient.age}{sex}. ",
    "{facility.short}: ", "{patient.full} ({patient.mrn}): ", "At {other_facility.name}, ", "While in {other_city}, ",
    "{patient.first}, ", "{patient.title} {patient.last}, ",
)  # fmt: skip
_RELATIVE = (
    " {relative.first}",
    " {relative.full}",
    ", {relative.first},",
    " ({relative.first})",
    ", {relative.full},",
    " {relative.first_lower}",
)
_OWN = {
    Entity.DATE.value: (
        "{date}",
        "{date}",
        "{date:long}",
        "{date:mdyy}",
        "{date:monthyear}",
        "{date:weekday}",
        "{date:year}",
    ),
    Entity.AGE.value: ("{age}",),
    Entity.TIME.value: ("{time}",),
}
_THE_PATIENT = re.compile(
    r"\b[Tt]he patient\b(?!['’])|^(?:Patient|Pt)\b|\b(?:pt|patient) (?=(?:is|was|has|denies|reports|states)\b)"
)
_KIN = re.compile(
    r"\b(?:his|her|the) (?:wife|husband|mother|father|son|daughter|sister|brother|mom|dad|fianc[eé]e?|boyfriend"
    r"|girlfriend)\b(?! and)"
)
_SLOT = re.compile(r"\{([^}]+)\}")


class Planter:
    """Plants by chance; a sentence may also stay as it is, its own identifiers replaced."""

    def __init__(self, maker: SceneMaker) -> None:
        self._maker = maker

    def __call__(self, sentence: Sample) -> Sample:
        """``sentence`` with its own identifiers replaced and, mostly, others planted."""
        chance, scene = self._maker.rng, self._maker.scene()
        edits = [self._own(sentence, mark) for mark in sentence.marks if mark.target in _OWN or mark.target == PERSON]
        taken = [(edit.start, edit.end) for edit in edits]

        def plant(start: int, end: int, options: tuple[str, ...]) -> None:
            if not any(s < max(end, start + 1) and e > start for s, e in taken):
                edits.append(Edit(start, end, chance.choice(options)))
                taken.append((start, end))

        for match in _THE_PATIENT.finditer(sentence.text):
            if chance.random() < 0.6:
                plant(*match.span(), tuple(f"{o} " if match.group().endswith(" ") else o for o in _PATIENT))
        for match in _KIN.finditer(sentence.text):
            if chance.random() < 0.6:
                plant(match.end(), match.end(), _RELATIVE)
        if chance.random() < 0.28:
            end = len(sentence.text.rstrip(".!? "))
            if end and sentence.text[end - 1].isalnum():
                plant(end, end, _ENDINGS)
        if chance.random() < 0.22:
            plant(0, 0, _BEGINNINGS)
        return _render(sentence, sorted(edits), scene)

    def _own(self, sentence: Sample, mark: Mark) -> Edit:
        if mark.target == PERSON:
            before = sentence.text[max(0, mark.start - 8) : mark.start]
            is_doctor = re.search(r"D(?:r|octor)\.? ?$", before) is not None
            options: tuple[str, ...] = (
                ("{provider.last}", "{provider.last}", "{provider.full}")
                if is_doctor
                else ("{patient.last}", "{patient.full}")
            )
        else:
            options = _OWN[mark.target]
        return Edit(mark.start, mark.end, self._maker.rng.choice(options))


@cache
def _compiled(template: str) -> tuple[str | Write, ...]:
    parts = _SLOT.split(template)
    return tuple(compile_slot(part) if number % 2 else part for number, part in enumerate(parts))


def _render(sentence: Sample, edits: list[Edit], scene: Scene) -> Sample:
    """Return the sentence with the slots of ``edits`` written by ``scene``; marks of unknown words move along."""
    unknown = [mark for mark in sentence.marks if mark.target == ANY]
    pieces: list[Piece] = []
    marks: list[Mark] = []
    position = length = 0

    def literal(start: int, end: int) -> None:
        nonlocal length
        for mark in unknown:
            first, last = max(mark.start, start), min(mark.end, end)
            if first < last:
                marks.append(Mark(length + first - start, length + last - start, ANY))
        pieces.append((sentence.text[start:end], None))
        length += end - start

    for edit in edits:
        literal(position, edit.start)
        scene.pieces = []
        for part in _compiled(edit.new):
            if isinstance(part, str):
                scene.pieces.append((part, None))
            else:
                part(scene)
        pieces += scene.pieces
        length += sum(len(text) for text, _ in scene.pieces)
        position = edit.end
    literal(position, len(sentence.text))
    text, spans = join(pieces)
    marks += (Mark(s.start, s.end, s.entity.value) for s in spans)
    return Sample(text, tuple(sorted(m for m in marks if m.target != OUTSIDE)), sentence.source, sentence.group)
