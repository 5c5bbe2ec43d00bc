"""Web addresses and names of files: another domain of the same kind, with a path made of surrogates."""

import re

from deid_tasks.core.reference import fold
from deid_tasks.engine.obfuscate.dates import shift_date
from deid_tasks.engine.obfuscate.identifiers.domains import prepend_name, replace_domain, reserved_domain
from deid_tasks.engine.obfuscate.letter_case import match_case
from deid_tasks.engine.obfuscate.names.account_names import replace_account_part
from deid_tasks.engine.obfuscate.note_context import NO_NAMES, NoteContext, NoteNames
from deid_tasks.engine.obfuscate.plain_words import is_path_word
from deid_tasks.engine.obfuscate.word_lists import read_word_list

_URL = re.compile(r"(?P<scheme>[a-z]+://)?(?P<host>[^/\s?#]+)(?P<path>.*)", re.IGNORECASE | re.DOTALL)
_PATH_PART = re.compile(
    r"(?P<date>(?<![^\W_])(?:(?:19|20)\d\d-\d\d-\d\d|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    r"|\d\d-\d\d-(?:19|20)\d\d)(?![^\W_]))|[^\W_]+"
)
_LETTERS_AT_START = re.compile(r"[^\W\d_]{2,}(?=\d)")
_FILE_ENDINGS = (
    *(".pdf", ".doc", ".docx", ".jpg", ".jpeg", ".png", ".dcm", ".tif", ".tiff", ".xml", ".txt", ".csv", ".zip"),
    *(".mp3", ".mp4", ".wav", ".rtf", ".xls", ".xlsx", ".msg", ".eml"),
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

    Words that say what lies there stay; other words become other words, and numbers other numbers.
    """
    return _PATH_PART.sub(lambda part: _replace_path_part(part, context, names), value)


def _replace_path_part(found: re.Match[str], context: NoteContext, names: NoteNames) -> str:
    part = found.group()
    if found["date"]:
        return shift_date(part, context)
    if not part.isalpha():
        letters = _LETTERS_AT_START.match(part)
        if letters and (is_path_word(letters.group()) or names.account(letters.group())):
            lead = letters.group()
            return (names.account(lead) or lead) + context.keyed.like(part[letters.end() :], "url")
        return part if is_path_word(part) else context.keyed.like(part, "url")
    if own := replace_account_part(part, context.patient, only_record=True):
        return own
    if len(part) == 1 or is_path_word(part):
        return part
    made = names.account(part) or names.domain(fold(part)) or replace_account_part(part, context.clinicians)
    return made or match_case(_other_word(part, context), part)


def _other_word(part: str, context: NoteContext) -> str:
    """Return a word for one of unknown meaning."""
    folded = fold(part)
    words = [word.lower() for word in read_word_list("places/landmarks.txt") if word.isalpha() and fold(word) != folded]
    return context.keyed.choice(words, "url", folded)
