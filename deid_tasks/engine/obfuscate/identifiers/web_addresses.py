"""Web addresses and names of files: another domain of the same kind, with a path made of surrogates."""

import datetime
import re
from collections.abc import Mapping

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.dates import shift_date
from deid_tasks.engine.obfuscate.dates.calendar_terms import MONTHS
from deid_tasks.engine.obfuscate.dates.compact_days import move_compact_day
from deid_tasks.engine.obfuscate.identifiers.domains import prepend_name, replace_domain, reserved_domain
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.names.account_names import replace_account_part
from deid_tasks.engine.obfuscate.note_context import NO_NAMES, NoteContext, NoteNames
from deid_tasks.engine.obfuscate.organizations.organization_names import replace_organization
from deid_tasks.engine.obfuscate.people.name_text import fold_name
from deid_tasks.engine.obfuscate.plain_words import is_path_word
from deid_tasks.engine.obfuscate.word_lists import read_word_list

_URL = re.compile(r"(?P<scheme>[a-z]+://)?(?P<host>[^/\s?#]+)(?P<path>.*)", re.IGNORECASE | re.DOTALL)
_PATH_PART = re.compile(
    r"""(?P<date>(?<![^\W_])(?:
            (?:19|20)\d\d-\d\d-\d\d
            | (?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])
            | \d\d?-\d\d?-(?:(?:19|20)\d\d|\d\d)
            | (?:0\d|1[0-2])-(?:[012]\d|3[01])
        )(?![^\W_]|-\d))
      | (?P<day>(?<![^\W_])\d{6}(?![^\W_]))
      | (?P<month>(?<![^\W_])(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}(?P<of>\d{4}|\d\d)(?![^\W_]))
      | (?P<named>(?<![^\W_])(?:0?[1-9]|[12]\d|3[01])
          (?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)(?:(?:20)?\d\d)?(?![^\W_]))
      | (?P<years>(?<![^\W_])(?:19|20)\d\d(?:-(?:(?:19|20)\d\d|\d\d))?(?![^\W_]))
      | [^\W_]+""",
    re.VERBOSE | re.IGNORECASE,
)
_ENDING = re.compile(r"(?<=[^\W_])\.[A-Za-z][A-Za-z0-9]{1,4}$")
"""What says which kind of file it is."""
_MAX_INITIALS, _MAX_INITIALS_OF_FILE = 2, 4
_MAX_ABBREVIATION_LENGTH = 5
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LETTERS_AT_START = re.compile(r"[^\W\d_]{2,}(?=\d)")
_FILE_ENDINGS = (
    *(".pdf", ".doc", ".docx", ".jpg", ".jpeg", ".png", ".dcm", ".tif", ".tiff", ".xml", ".txt", ".csv", ".zip"),
    *(".mp3", ".mp4", ".wav", ".rtf", ".xls", ".xlsx", ".msg", ".eml", ".hl7", ".svs", ".heic", ".csv", ".json"),
    *(".ppt", ".pptx", ".gif", ".bmp", ".mov", ".log", ".md"),
)


def replace_url(value: str, context: NoteContext, names: NoteNames = NO_NAMES) -> str:
    """Return a web address at another domain; names of the patient in its path agree with their surrogates."""
    match = _URL.match(value)
    if match is None:
        return context.keyed.like(value, "url")
    host, colon, port = match["host"].partition(":")
    if context.options.reserved_ranges:
        lead = "www." if fold(host).startswith("www.") else ""
        surrogate = lead + reserved_domain(host, context)
    else:
        surrogate = replace_domain(host, context, names)
        surrogate = surrogate if surrogate != host else prepend_name(host, context)
    return f"{match['scheme'] or ''}{surrogate}{colon}{port}{replace_path(match['path'], context, names)}"


def is_file_name(value: str) -> bool:
    """Whether ``value`` is the name of a file, by its ending."""
    return value.lower().endswith(_FILE_ENDINGS) and "@" not in value


def replace_path(value: str, context: NoteContext, names: NoteNames = NO_NAMES) -> str:
    """Return a path or the name of a file made of the surrogates of what it holds: names, dates, organizations.

    Words that say what lies there, and words that the note says elsewhere, stay; numbers of the note are its surrogate
    numbers; other words become other words, and numbers other numbers.
    """
    if number := names.number(value):
        return number
    if ending := _ENDING.search(value):
        return replace_path(value[: ending.start()], context, names) + ending.group()
    if "/" in value or "=" in value or "\\" in value:
        return "".join(
            part if i % 2 else replace_path(part, context, names)
            for i, part in enumerate(re.split(r"([/\\=?&]+)", value))
        )
    initials = _initials_in(value, names)
    return _PATH_PART.sub(lambda part: _replace_path_part(part, context, names, initials), value)


def _initials_in(value: str, names: NoteNames) -> dict[str, str]:
    """Return the letters beside a person's surname that stand for the given names, folded, and their surrogates."""
    parts = re.findall(r"[^\W\d_]+", value)
    found: dict[str, str] = {}
    folded = {part: fold_name(part) for part in parts if len(part) > 2}
    for surname in [part for part, one in folded.items() if names.surnames.get(one) or names.clipped(one)]:
        for letters in [part for part in parts if len(part) <= _MAX_INITIALS]:
            if (made := names.account(letters + surname)) is not None:
                found.setdefault(fold(letters), made[: len(letters)])
    return found


def _replace_path_part(
    found: re.Match[str], context: NoteContext, names: NoteNames, initials: Mapping[str, str]
) -> str:
    part = found.group()
    if found["date"]:
        return shift_date(part, context)
    if found["day"]:
        return _move_day(part, context) or context.keyed.like(part, "url")
    if found["named"]:
        # ``cert_18Mar``
        return shift_date(" ".join(re.findall(r"\d+|\D+", part)), context).replace(" ", "")
    if found["month"]:
        return _move_month(part, found["of"], context)
    if found["years"]:
        days = datetime.timedelta(days=context.shift_days)
        moved = (datetime.date(int(part[:4]), 7, 1) + days).year - int(part[:4])
        return re.sub(r"\d+", lambda year: str(int(year.group()) + moved).zfill(len(year.group())), part)
    if not part.isalpha():
        if part[0].isalpha() and names.is_said(fold(part)):
            return part
        letters = _LETTERS_AT_START.match(part)
        if letters and (is_path_word(letters.group()) or names.account(letters.group())):
            lead = letters.group()
            own = names.account(lead)
            return (_cased(own, lead) if own else lead) + context.keyed.like(part[letters.end() :], "url")
        if letters and (made := _initials_of_person(letters.group(), context, names)):
            # ``/i/HW113406``: the client's initials and number.
            number = part[letters.end() :]
            return match_case(made, letters.group()) + (names.number(number) or context.keyed.like(number, "url"))
        return part if is_path_word(part) else context.keyed.like(part, "url")
    return _replace_word(part, context, names, initials)


def _replace_word(part: str, context: NoteContext, names: NoteNames, initials: Mapping[str, str]) -> str:
    """Return a word of a path: what it names is rewritten as in the note, and what lies there stays."""
    if own := replace_account_part(part, context.patient, only_record=True):
        return own
    if (of_person := initials.get(fold(part))) is not None:
        return of_person.upper() if part.isupper() else of_person
    if fold_name(part) in names.surnames and (made := names.account(part)) is not None:
        return _cased(made, part)
    if len(part) == 1 or is_path_word(part):
        return part
    if (made := _replace_joined_words(part, names)) is not None:
        return made
    if (made := names.account(part) or names.domain(fold(part))) is not None:
        # "EBlackwood": an initial before a surname.
        is_of_two = part[:2].isupper() and part[2:].islower() and len(made) > 1
        return made[:2].upper() + made[2:].lower() if is_of_two else _cased(made, part)
    if names.is_said(fold(part)):
        return part
    if part.isupper() and (made := _initials_of_person(part, context, names)):
        return made
    if part.isupper() and len(part) <= _MAX_ABBREVIATION_LENGTH:
        return replace_organization(part, context)
    return replace_account_part(part, context.clinicians) or match_case(_other_word(part, context), part)


def _initials_of_person(letters: str, context: NoteContext, names: NoteNames) -> str | None:
    """Return the initials of a person's surrogate; ``None`` for letters of which one begins no name of a person.

    A patient's address is the same in all notes of the patient, whomever they name.
    """
    may_be = not context.is_of_patient and 1 < len(letters) <= _MAX_INITIALS_OF_FILE
    made = names.initials(letters) if may_be else None
    return "".join(made).upper() if made and all(made) else None


def _replace_joined_words(part: str, names: NoteNames) -> str | None:
    """Return words that are written together ("AbernethyCole", "SeizurePlan") with the surrogates of the names.

    ``None`` where one of them is neither a name of the note nor an everyday word.
    """
    pieces = _CAMEL.findall(part)
    if part.islower() or len(pieces) < 2:
        return None
    made = [names.account(piece) if len(piece) > 1 else None for piece in pieces]
    if not all(one or is_path_word(piece) for one, piece in zip(made, pieces, strict=True)):
        return None
    return "".join(_cased(one, piece) if one else piece for one, piece in zip(made, pieces, strict=True))


def _cased(made: str, part: str) -> str:
    """Return a surrogate in the letter case of a word that may end in capitals ("MkhizeST")."""
    if part.isupper() or part.islower():
        return match_case(made, part)
    capitals = len(part) - len(part.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    made = made.capitalize() if part[0].isupper() else made.lower()
    return made[: len(made) - capitals] + made[len(made) - capitals :].upper()


def _move_day(digits: str, context: NoteContext) -> str | None:
    """Return six digits that are a day, moved as the note's dates are; ``None`` for other digits.

    Those that are no day near the note are read in its order of day and month.
    """
    if (near := move_compact_day(digits, context.shift_days, context)) is not None:
        return near
    form = "%d%m%y" if context.is_day_first else "%m%d%y"
    try:
        day = datetime.datetime.strptime(digits, form).date()  # noqa: DTZ007 - a day has no zone
    except ValueError:
        return None
    return (day + datetime.timedelta(days=context.shift_days)).strftime(form)


def _move_month(part: str, year: str, context: NoteContext) -> str:
    """Return a month and its year ("Jan24"), moved from the middle of the month."""
    name = part[: -len(year)]
    month = MONTHS.index(next(one for one in MONTHS if one.startswith(name[:3].lower()))) + 1
    day = datetime.date(int(year) if len(year) == 4 else 2000 + int(year), month, 15)
    moved = day + datetime.timedelta(days=context.shift_days)
    written = MONTHS[moved.month - 1]
    made = written if name.lower() == MONTHS[month - 1] and len(name) > 3 else written[:3]
    return match_case(made.capitalize(), name) + (f"{moved:%Y}" if len(year) == 4 else f"{moved:%y}")


def _other_word(part: str, context: NoteContext) -> str:
    """Return a word for one of unknown meaning."""
    folded = fold(part)
    words = [word.lower() for word in read_word_list("places/landmarks.txt") if word.isalpha() and fold(word) != folded]
    return context.keyed.choice(words, "url", folded)
