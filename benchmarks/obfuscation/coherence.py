"""Whether a rewritten note could have been written: one person with one name, one shift of dates, places that exist.

    python -m benchmarks.obfuscation.coherence                 # about 2 minutes of one core
    python -m benchmarks.obfuscation.coherence --gold FILE     # also notes with gold spans: JSON lines, or a folder

The public engine reads and rewrites the external notes (benchmarks/external_notes) and simulated notes, without
dictionaries and without ids of patients; each note stands for itself. Gold spans say what should have been replaced.
Who is meant is told by identities where there are some: of the simulated hospital, and of notes beside which a file of
people lies (``--people`` names another one). Elsewhere the same word in two names of a note is one name; of two people
who share it, that is true of the surname too.
"""

import datetime
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.obfuscation.identities import identities_of, people_files, read_people
from benchmarks.obfuscation.relations import Pair, count_relations
from benchmarks.support.corpora import hospital_rows
from benchmarks.support.external_notes import FOLDER, SETS, ExternalNote, external_notes, read_external
from benchmarks.support.results import parser_of, results
from deid_tasks.core.entities import CATEGORY, Category, Entity
from deid_tasks.core.notes import note_batch
from deid_tasks.core.span import Span
from deid_tasks.engine.build import build_engine
from deid_tasks.engine.obfuscate.entity_groups import NAMES, ORGANIZATIONS, PLACES
from deid_tasks.engine.obfuscate.names.account_forms import account_form
from deid_tasks.engine.obfuscate.names.initial_forms import initials_form
from deid_tasks.engine.obfuscate.names.note_people import NotePeople
from deid_tasks.engine.obfuscate.names.note_person import NameMention, NotePerson
from deid_tasks.engine.obfuscate.people.name_text import fold_name, name_parts
from deid_tasks.engine.obfuscate.places.place_table import city_by_zip, city_name
from deid_tasks.engine.parts import BatchContext
from deid_tasks.engine.pipeline import deidentify
from deid_tasks.engine.text.word_labels import mark_words, split_words
from deid_tasks.evidence.annotation.formats import FORMATS
from deid_tasks.settings import EngineSettings

_BATCH = 100
_MIN_LETTERS = 3
_NUMERIC_DATE = re.compile(r"(\d{1,2})([/-])(\d{1,2})\2((?:19|20)\d\d)|((?:19|20)\d\d)-(\d\d)-(\d\d)")
_ADDRESS = re.compile(r"([A-Z][A-Za-z .']+), ([A-Z]{2}) (\d{5})\b")
_SHARES = (
    "repeated",
    "collapsed",
    "followers",
    "found followers",
    "places",
    "kinds",
    "dates",
    "relations",
    "addresses",
    "combinations",
    "valid",
)
_DIRECT = frozenset({Category.NAME, Category.ID, Category.CONTACT})


class Replacement(NamedTuple):
    """One surrogate and what it replaces; offsets are those of the original note."""

    start: int
    end: int
    original: str
    surrogate: str
    entity: Entity


class RewrittenNote(NamedTuple):
    """A note before and after."""

    text: str
    gold: tuple[Span, ...]
    found: tuple[Span, ...]
    rewritten: str
    replacements: tuple[Replacement, ...]
    identities: tuple[str, ...] = ()
    """Whose each gold span is; empty where that is not known."""

    def owner(self, index: int) -> str:
        """Return whose gold span ``index`` is; empty where that is not known."""
        return self.identities[index] if self.identities else ""

    def surrogates(self, gold: Span) -> dict[str, str]:
        """Return each folded word of a gold name and the word of its surrogate; empty words where none can be told."""
        words: dict[str, str] = {}
        for _, _, word in name_parts(self.text[gold.start : gold.end]):
            words[fold_name(word)] = ""
        for one in self.replacements:
            if one.start < gold.end and gold.start < one.end:
                before, after = name_parts(one.original), name_parts(one.surrogate)
                if len(before) == len(after):
                    made = {fold_name(a): fold_name(b) for (_, _, a), (_, _, b) in zip(before, after, strict=True)}
                    words |= {word: made[word] for word in words if word in made}
        return words


class GoldText(NamedTuple):
    """A note with its gold."""

    text: str
    gold: Sequence[Span]
    identities: tuple[str, ...] = ()
    """Whose each gold span is; empty where that is not known."""


def rewrite(notes: Sequence[GoldText], context: BatchContext) -> Iterator[RewrittenNote]:
    """Yield each note as the engine rewrites it; quarantined notes are left out."""
    for first in range(0, len(notes), _BATCH):
        some = notes[first : first + _BATCH]
        batch = note_batch([{"note_id": str(first + i), "text": text} for i, (text, *_) in enumerate(some)])
        for (text, gold, identities), row in zip(some, deidentify(batch, context).to_pylist(), strict=True):
            if row["deid_text"] is not None:
                made = tuple(_made(text, row))
                yield RewrittenNote(text, tuple(gold), tuple(_spans(row)), row["deid_text"], made, identities)


def _spans(row: dict[str, Any]) -> Iterator[Span]:
    return (Span(s["start"], s["end"], Entity(s["entity"]), s["detector"], s["score"]) for s in row["spans"])


def _made(text: str, row: dict[str, Any]) -> Iterator[Replacement]:
    for one in row["replacements"]:
        start, end = one["original_start"], one["original_end"]
        entity = next(Entity(s["entity"]) for s in row["spans"] if s["start"] < end and start < s["end"])
        yield Replacement(start, end, text[start:end], row["deid_text"][one["start"] : one["end"]], entity)


def count_note(note: RewrittenNote, counts: Counter[str]) -> None:
    """Add one note's counts: each measure is a share of ``… of``."""
    _count_names(note, counts)
    _count_followers(note, counts)
    _count_dates(note, counts)
    _count_words(note, counts)
    pairs = [Pair(one.entity, one.start, one.end, one.original, one.surrogate) for one in note.replacements]
    count_relations(note.text, pairs, counts)
    for city, state, zip_code in _ADDRESS.findall(note.rewritten):
        counts["addresses of"] += 1
        folded, of_state = city_by_zip().get(zip_code, ("", ""))
        counts["addresses"] += of_state == state and city_name(folded, state) == city.strip()


def _count_names(note: RewrittenNote, counts: Counter[str]) -> None:
    made: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for index, span in enumerate(note.gold):
        if span.entity in NAMES:
            for word, surrogate in note.surrogates(span).items():
                if len(word) >= _MIN_LETTERS:
                    made[note.owner(index), word].append(surrogate)
    for surrogates in made.values():
        if len(surrogates) > 1:
            counts["repeated of"] += len(surrogates)
            told = Counter(filter(None, surrogates))
            counts["repeated"] += max(told.values(), default=0)
    usual = {key: Counter(filter(None, s)).most_common(1)[0][0] for key, s in made.items() if any(s)}
    for one, other in combinations(sorted(usual), 2):
        if _are_two(one, other):
            counts["collapsed of"] += 1
            counts["collapsed"] += usual[one] == usual[other]
    _count_places(note, counts)


def _are_two(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two words are two names: two people's, or, where it is not known whose, unlike ones."""
    (owner, word), (other_owner, other_word) = one, other
    if owner and other_owner:
        return owner != other_owner and word != other_word
    # A nickname begins as its name does, a misspelled one nearly so.
    return word[:2] != other_word[:2]


def _count_places(note: RewrittenNote, counts: Counter[str]) -> None:
    """Count the mentions of organizations and places of which the same words become the same words."""
    made: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for index, span in enumerate(note.gold):
        owner = note.owner(index)
        if owner and span.entity in ORGANIZATIONS | PLACES:
            text = note.text[span.start : span.end].casefold()
            now = next((_part(one, span) for one in note.replacements if one.start <= span.start < one.end), text)
            made[owner, text].append(now.casefold())
    for surrogates in made.values():
        if len(surrogates) > 1:
            counts["places of"] += len(surrogates)
            counts["places"] += Counter(surrogates).most_common(1)[0][1]


def _count_followers(note: RewrittenNote, counts: Counter[str]) -> None:
    """Count initials, user names and mailboxes that are made of the name of one person in the note."""
    mentions = [NameMention(span.start, span.end, span.entity) for span in note.gold if span.entity in NAMES]
    people = NotePeople(note.text, mentions, frozenset(), lambda _: "")
    own = _named_people(note, people)
    for index, span in enumerate(note.gold):
        owner = note.owner(index)
        value = note.text[span.start : span.end]
        now = next(
            (_part(one, span) for one in note.replacements if one.start <= span.start and span.end <= one.end), ""
        )
        if span.entity is Entity.INITIALS:
            letters = _letters(value)
            fitting = None if owner else people.with_initials(letters)
            person = own.get(owner) if owner else fitting and fitting[0]
            if person is not None and len(letters) > 1:
                givens, surnames = _of(note, person)
                shown = _letters(now)
                of_person = initials_form(letters, person.givens, person.surnames)
                whole = of_person.made_of(givens, surnames) if of_person else (givens[0][:1], surnames[-1][:1])
                follows = bool(shown) and (shown[0], shown[-1]) == (whole[0], whole[-1])
                _count_follower(counts, follows=follows, is_found=bool(now))
        elif span.entity in {Entity.USERNAME, Entity.EMAIL}:
            folded, shown = _letters(value.partition("@")[0]), _letters(now.partition("@")[0])
            person = own.get(owner) if owner else None
            if person is None and not owner and len(folded) >= _MIN_LETTERS and (found := people.with_account(folded)):
                person = found[0]
            form = account_form(folded, person.givens, person.surnames) if person else None
            if person is not None and form is not None:
                follows = form.made_of(*_of(note, person)) == shown
                _count_follower(counts, follows=follows, is_found=bool(now))


def _count_follower(counts: Counter[str], *, follows: bool, is_found: bool) -> None:
    """Count one of all, and one of those that detection found."""
    counts["followers of"] += 1
    counts["followers"] += follows
    counts["found followers of"] += is_found
    counts["found followers"] += is_found and follows


def _letters(value: str) -> str:
    return fold_name("".join(char for char in value if char.isalpha()))


def _named_people(note: RewrittenNote, people: NotePeople) -> dict[str, NotePerson]:
    """Return for each identity of a note the person whom it names in full."""
    owners = {span.start: note.owner(index) for index, span in enumerate(note.gold)}
    return {owner: one for one in people.persons if (owner := owners.get(one.mention.start, ""))}


def _part(one: Replacement, span: Span) -> str:
    """Return the surrogate of a span; of two initials that were rewritten together, that of its own."""
    if len(one.surrogate) != len(one.original):
        return one.surrogate
    return one.surrogate[span.start - one.start : span.end - one.start]


def _of(note: RewrittenNote, person: NotePerson) -> tuple[list[str], list[str]]:
    """Return the given names and the surnames of a person's surrogate, folded; empty where they cannot be told."""
    span = next(span for span in note.gold if span.start == person.mention.start)
    made = note.surrogates(span)
    return [made.get(word, "") for word in person.givens], [made.get(word, "") for word in person.surnames]


def _count_dates(note: RewrittenNote, counts: Counter[str]) -> None:
    shifts = []
    for one in note.replacements:
        before, after = _day(one.original), _day(one.surrogate)
        if before and after:
            shifts.append((after - before).days)
    if len(shifts) > 1:
        counts["dates of"] += len(shifts)
        counts["dates"] += Counter(shifts).most_common(1)[0][1]


def _day(text: str) -> datetime.date | None:
    found = _NUMERIC_DATE.fullmatch(text)
    if found is None:
        return None
    try:
        if found[4]:
            return datetime.date(int(found[4]), int(found[1]), int(found[3]))
        return datetime.date(int(found[5]), int(found[6]), int(found[7]))
    except ValueError:
        return None


def _count_words(note: RewrittenNote, counts: Counter[str]) -> None:
    words = split_words(note.text)
    gold, found = mark_words(words, note.gold), mark_words(words, note.found)
    counts["words"] += len(words)
    covered = [(one.start, one.end) for one in note.replacements]
    standing = Counter(note.rewritten[start:end].lower() for start, end in split_words(note.rewritten))
    replaced: set[str] = set()
    left: list[str] = []
    for index, (start, end) in enumerate(words):
        is_rewritten = any(first < end and start < last for first, last in covered)
        word = note.text[start:end].lower()
        if index in gold and index in found:
            counts["kinds of"] += 1
            counts["kinds"] += CATEGORY[Entity(gold[index])] == CATEGORY[Entity(found[index])]
        if is_rewritten and index not in gold:
            counts["damage"] += 1
        if index in gold and CATEGORY[Entity(gold[index])] in _DIRECT and len(word) >= _MIN_LETTERS:
            counts["identifying words"] += 1
            if is_rewritten:
                replaced.add(word)
            elif standing[word]:
                left.append(word)
    counts["survivors"] += len(left)
    counts["survivors found elsewhere"] += sum(word in replaced for word in left)


def _share(counts: Counter[str], name: str) -> float | None:
    return counts[name] / counts[f"{name} of"] if counts[f"{name} of"] else None


def note_sets(gold: Path | None, people: Path | None, simulated: int) -> Iterable[tuple[str, list[GoldText]]]:
    """Yield the name and the notes of each set."""
    for name in SETS:
        yield f"external, {name}", list(_with_people(external_notes(name), people_files(FOLDER / name)))
    rows = hospital_rows(simulated)[0]
    yield "simulated, dev world", [GoldText(row.document.text, row.gold, row.identities) for row in rows]
    if gold is not None:
        owners = people_files(gold) if people is None else read_people(people)
        if gold.is_dir():
            yield gold.name, list(_with_people(read_external(gold), owners))
        else:
            notes = FORMATS["jsonl"].read(gold)
            yield gold.stem, [_gold_text(note.text, note.spans, owners.get(note.note_id)) for note in notes]


def _with_people(notes: Iterable[ExternalNote], people: dict[str, list[dict[str, Any]]]) -> Iterator[GoldText]:
    for note in notes:
        yield _gold_text(note.text, note.spans, people.get(note.note_id.partition("/")[0]))


def _gold_text(text: str, spans: Sequence[Span], people: list[dict[str, Any]] | None) -> GoldText:
    return GoldText(text, spans, identities_of(text, spans, people) if people else ())


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("--gold", type=Path, help="JSON lines with text and gold spans, or a folder of marked notes")
    parser.add_argument("--people", type=Path, help="the file whose people belong to the notes of --gold")
    parser.add_argument("--simulated", type=int, default=300, help="notes of the simulated hospital")
    arguments = parser.parse_args()
    context = BatchContext(build_engine(EngineSettings.public(), bytes(32)))
    with results("coherence", "Whether rewritten notes hold together", arguments) as out:
        columns = {"set": "", "notes": ",d", "repeated names that agree": ".4f", "pairs of names that collapse": ".5f"}
        columns |= {
            "initials and accounts that follow": ".3f",
            "of those found": ".3f",
            "repeated places that agree": ".3f",
            "kinds kept": ".4f",
            "dates with one shift": ".4f",
        }
        columns |= {"distances and weekdays of dates kept": ".4f", "addresses that exist": ".3f"}
        columns |= {"places and numbers that exist together": ".3f", "valid numbers kept": ".3f"}
        columns |= {"words damaged per 1,000": ".2f"}
        columns |= {"identifying words left": ",d", "of them replaced elsewhere": ",d"}
        out.table("The public engine, each note by itself", columns)
        for name, notes in note_sets(arguments.gold, arguments.people, arguments.simulated):
            counts: Counter[str] = Counter()
            for note in rewrite(notes, context):
                count_note(note, counts)
            shares = [_share(counts, one) for one in _SHARES]
            damage = 1_000 * counts["damage"] / max(1, counts["words"])
            out.add(name, len(notes), *shares, damage, counts["survivors"], counts["survivors found elsewhere"])


if __name__ == "__main__":
    main()
